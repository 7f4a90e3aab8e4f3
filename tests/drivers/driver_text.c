/* The ops on encodings of the C driver: in one go, and in pieces of the block size. */
#include "driver.h"

/* All that the pieces give, and how the last of them ended. */
typedef struct converted {
  unsigned char *data; /* to be freed */
  size_t size;
  uint64_t errors;
  fastio_status status;
} converted;

static void append(converted *c, const void *data, size_t size) {
  c->data = realloc(c->data, c->size + size + 1);
  if (c->data == NULL) die("memory", "none left");
  memcpy(c->data + c->size, data, size);
  c->size += size;
}

/* One piece, until all of it is taken; of the last one, until all is out. */
static void run_piece(fastio_transcoder *transcoder, const unsigned char *piece, size_t size, int last, converted *c,
                      fastio_error *err) {
  size_t capacity = configuration.block > 16 ? configuration.block : 16;
  unsigned char *room = malloc(capacity);
  size_t used = 0, put_now = 0;
  do {
    unsigned char *copy = malloc(size > 0 ? size : 1); /* a sanitizer sees every overread */
    if (size > 0) memcpy(copy, piece, size);
    c->status = fastio_transcoder_run(transcoder, copy, size, last, &used, room, capacity, &put_now, err);
    free(copy);
    if (used > size || put_now > capacity) die("a transcoder", "has taken or put too much");
    append(c, room, put_now);
    piece += used;
    size -= used;
  } while (c->status == FASTIO_OK && size > 0);
  free(room);
}

static void run_pieces(const request *q, converted *c, fastio_error *err) {
  fastio_transcoder *transcoder = NULL;
  size_t step = configuration.block, at = 0;
  c->status = fastio_transcoder_new(q->from, q->to, q->decode.errors, NULL, &transcoder, err);
  for (int last = 0; c->status == FASTIO_OK && !last; at += step) {
    last = q->size - at <= step;
    run_piece(transcoder, q->data + at, last ? q->size - at : step, last, c, err);
  }
  if (transcoder != NULL) c->errors = fastio_transcoder_errors(transcoder);
  fastio_transcoder_free(transcoder);
}

static void run_whole(const request *q, converted *c, fastio_error *err) {
  fastio_column *column = NULL;
  c->status = fastio_transcode(q->data, q->size, q->from, q->to, q->decode.errors, NULL, &column, &c->errors, err);
  if (c->status == FASTIO_OK) append(c, column->data, (size_t)column->length);
  fastio_column_free(column);
}

static void convert(const request *q, converted *c, fastio_error *err) {
  memset(c, 0, sizeof *c);
  if (configuration.block > 0) run_pieces(q, c, err);
  else run_whole(q, c, err);
}

static void transcode(const request *q) {
  converted c;
  fastio_error err;
  convert(q, &c, &err);
  if (c.status != FASTIO_OK) put_error(c.status, &err);
  else put_bytes(c.data, c.size);
  free(c.data);
}

static void transcode_errors(const request *q) {
  converted c;
  fastio_error err;
  convert(q, &c, &err);
  if (c.status != FASTIO_OK) put_error(c.status, &err);
  else put("%" PRIu64, c.errors);
  free(c.data);
}

static void utf8_valid(const request *q) { put("%zu", fastio_utf8_valid(q->data, q->size)); }
static void utf8_count(const request *q) { put("%" PRIu64, fastio_utf8_count(q->data, q->size)); }

static void encoding_name(const request *q) {
  char *name = keep(calloc(1, q->size + 1));
  if (q->size > 0) memcpy(name, q->data, q->size);
  const char *usual = fastio_encoding_name(name);
  if (usual == NULL) put("null");
  else put_bytes(usual, strlen(usual));
}

bool run_text_op(request *q) {
  static const struct {
    const char *name;
    void (*run)(const request *q);
  } ops[] = {{"transcode", transcode},
             {"transcode_errors", transcode_errors},
             {"utf8_valid", utf8_valid},
             {"utf8_count", utf8_count},
             {"encoding_name", encoding_name}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(q->op, ops[i].name) != 0) continue;
    ops[i].run(q);
    return true;
  }
  return false;
}
