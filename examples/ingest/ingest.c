/* Ten million integers in C: ingest METHOD FILE prints the seconds that reading them took, and their sum. */
#include <fastio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct numbers {
  int64_t *values;
  size_t count, capacity;
} numbers;

static void append(numbers *list, int64_t value) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? list->capacity * 2 : 1 << 16;
    list->values = realloc(list->values, list->capacity * sizeof *list->values);
    if (!list->values) abort();
  }
  list->values[list->count++] = value;
}

static int64_t sum(const int64_t *values, size_t count) {
  int64_t total = 0;
  for (size_t i = 0; i < count; i++) total += values[i];
  return total;
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(double start, const int64_t *values, size_t count) {
  double seconds = now() - start;
  printf("%.6f %zu %" PRId64 "\n", seconds, count, sum(values, count));
}

static int with_fastio(const char *path, unsigned threads) {
  fastio_error error;
  fastio_source *source;
  fastio_column *column;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.threads = threads;
  double start = now();
  if (fastio_source_open(path, NULL, &source, &error) != FASTIO_OK) goto failed;
  fastio_status status = fastio_read_ints(source, &options, &column, &error);
  fastio_source_close(source);
  if (status != FASTIO_OK) goto failed;
  report(start, column->data, (size_t)column->length);
  fastio_column_free(column);
  return 0;
failed:
  fprintf(stderr, "%s: %s (byte %" PRIu64 ", line %" PRIu64 ")\n", path, error.message, error.offset, error.line);
  return 1;
}

static int with_fscanf(const char *path) {
  double start = now();
  FILE *file = fopen(path, "r");
  if (!file) return perror(path), 1;
  numbers list = {0};
  int64_t value;
  while (fscanf(file, "%" SCNd64, &value) == 1) append(&list, value);
  fclose(file);
  report(start, list.values, list.count);
  free(list.values);
  return 0;
}

/* The whole file in one fread, then strtol from number to number. */
static int with_strtol(const char *path) {
  double start = now();
  FILE *file = fopen(path, "rb");
  if (!file) return perror(path), 1;
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  if (!text) abort();
  text[fread(text, 1, size, file)] = '\0';
  fclose(file);
  numbers list = {0};
  char *next;
  for (char *at = text;; at = next) {
    long value = strtol(at, &next, 10);
    if (next == at) break;
    append(&list, value);
  }
  free(text);
  report(start, list.values, list.count);
  free(list.values);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "fastio")) return with_fastio(argv[2], 0);
  if (argc == 3 && !strcmp(argv[1], "fastio1")) return with_fastio(argv[2], 1);
  if (argc == 3 && !strcmp(argv[1], "fscanf")) return with_fscanf(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "strtol")) return with_strtol(argv[2]);
  fprintf(stderr, "usage: ingest fastio|fastio1|fscanf|strtol FILE\n");
  return 2;
}
