/* The bytes that a stage has at hand of the source below it. */
#include "stages.h"

fastio_status fastio__fault_tell(fastio__fault *fault, fastio_error *err) {
  fastio_status status = fault->error.status;
  if (err) *err = fault->error;
  if (!fault->stays) fastio_error_init(&fault->error);
  return status;
}

void fastio__intake_open(fastio__intake *intake, fastio_source *source, size_t usual) {
  memset(intake, 0, sizeof *intake);
  intake->source = source;
  intake->usual = usual;
  fastio_error_init(&intake->failure.error);
}

void fastio__intake_close(fastio__intake *intake) {
  if (!intake->source) return;
  fastio__release(intake->source->env, intake->buffer, intake->capacity);
  fastio_source_close(intake->source);
}

/* What is left goes to the front, behind which there is room for `wanted` bytes in all. */
static fastio_status make_room(fastio__intake *intake, size_t wanted, fastio_error *err) {
  const fastio_env *env = intake->source->env;
  uint8_t *buffer = intake->buffer;
  if (wanted > intake->capacity) {
    buffer = fastio__allocate(env, wanted);
    if (!buffer) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  if (intake->size) memmove(buffer, intake->data, intake->size);
  intake->data = buffer;
  if (buffer == intake->buffer) return FASTIO_OK;
  fastio__release(env, intake->buffer, intake->capacity);
  intake->buffer = buffer;
  intake->capacity = wanted;
  return FASTIO_OK;
}

/* Memory is used where it is. */
static fastio_status take_memory(fastio__intake *intake, fastio_error *err) {
  fastio_source *source = intake->source;
  if (intake->size == 0) intake->data = source->data + source->position;
  intake->size += source->size - (size_t)source->position;
  intake->at_end = source->position == source->size;
  source->position = source->size;
  return fastio__source_check(source, err);
}

fastio_status fastio__intake_read(fastio__intake *intake, size_t wanted, fastio_error *err) {
  fastio_status status;
  size_t got;
  if (intake->failure.error.status != FASTIO_OK) return fastio__fault_tell(&intake->failure, err);
  if (intake->source->kind == FASTIO__MEMORY) return take_memory(intake, err);
  if (intake->size >= wanted) return FASTIO_OK;
  status = make_room(intake, wanted, err);
  if (status == FASTIO_OK)
    status = fastio__source_read(intake->source, intake->buffer + intake->size, wanted - intake->size, &got, err);
  if (status != FASTIO_OK) return status;
  intake->size += got;
  intake->at_end = got == 0;
  return FASTIO_OK;
}

void fastio__intake_fill(fastio__intake *intake, size_t wanted) {
  fastio_error error;
  if (intake->source->kind == FASTIO__STREAM || intake->failure.error.status != FASTIO_OK) return;
  if (fastio__intake_read(intake, wanted, &error) != FASTIO_OK) intake->failure.error = error;
}

fastio_status fastio__intake_need(fastio__intake *intake, size_t wanted, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  intake->at_end = false; /* it may have grown */
  while (status == FASTIO_OK && intake->size < wanted && !intake->at_end)
    status = fastio__intake_read(intake, wanted > intake->usual ? wanted : intake->usual, err);
  return status;
}

void fastio__intake_use(fastio__intake *intake, size_t size) {
  intake->data += size;
  intake->size -= size;
}

uint64_t fastio__intake_used(const fastio__intake *intake) { return intake->source->position - intake->size; }
