/* The kinds of sinks that vectors are written to, and what then is in them. */
#include "driver.h"

#include <fcntl.h>
#include <unistd.h>

static const char before[] = "before\n"; /* in the file that is appended to or replaced */

static void keep_bytes(drain *d, const void *data, size_t size) {
  if (size == 0) return;
  if (size > d->room - d->size) d->data = realloc(d->data, d->room = 2 * (d->size + size) + 64);
  if (d->data == NULL) die("memory", "none left");
  memcpy(d->data + d->size, data, size);
  d->size += size;
}

/* ---- Pipes ---- */

static void *read_pipe(void *ctx) {
  drain *d = ctx;
  char piece[4096];
  for (ssize_t n; (n = read(d->read_end, piece, sizeof piece)) > 0;) keep_bytes(d, piece, (size_t)n);
  close(d->read_end);
  return NULL;
}

static int open_pipe(drain *d) {
  int ends[2];
  if (pipe(ends) != 0) die("pipe", "failed");
  d->read_end = ends[0];
  d->has_reader = true;
  if (pthread_create(&d->reader, NULL, read_pipe, d) != 0) die("pthread_create", "failed");
  return ends[1];
}

/* ---- A device that takes 1, 2, 3 ... 7, 1, 2 ... bytes at a time; more of large pieces ---- */

static fastio_status device_write(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  drain *d = ctx;
  size_t n = d->calls++ % 7 + 1;
  (void)err;
  if (size > 10000) n *= 500;
  if (n > size) n = size;
  keep_bytes(d, data, n);
  *put = n;
  return FASTIO_OK;
}

static fastio_status device_close(void *ctx, fastio_error *err) {
  drain *d = ctx;
  (void)err;
  d->is_closed = true;
  return FASTIO_OK;
}

static fastio_status open_device(drain *d, const fastio_write_options *options, fastio_error *err) {
  fastio_output_device device = {d, device_write, NULL, device_close};
  return fastio_writer_device(&device, options, &d->writer, err);
}

/* ---- Files ---- */

static void write_before(const drain *d) {
  FILE *file = fopen(d->path, "wb");
  if (file == NULL || fputs(before, file) < 0 || fclose(file) != 0) die("not written", d->path);
}

static void read_back(drain *d) {
  char piece[4096];
  FILE *file = fopen(d->path, "rb");
  if (file == NULL) die("not there", d->path);
  for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) keep_bytes(d, piece, n);
  fclose(file);
  remove(d->path);
}

/* ---- Files that are compressed or encoded, read back by the reference tools ---- */

typedef struct filter {
  const char *sink, *compression, *encoding, *command; /* command: what undoes it */
} filter;
static const filter filters[] = {
    {"gzip", "gzip", NULL, "gzip -dc"},
    {"bgzf", "bgzf", NULL, "bgzip -dc"},
    {"zstd", "zstd", NULL, "zstd -qdc"},
    {"xz", "xz", NULL, "xz -dc"},
    {"bzip2", "bzip2", NULL, "bzip2 -dc"},
    {"lz4", "lz4", NULL, "lz4 -qdc"},
    {"zlib", "zlib", NULL, "pigz -dcz"},
    {"utf-16", NULL, "utf-16", "iconv -f utf-16 -t utf-8"},
    {"utf-32be", NULL, "utf-32be", "iconv -f utf-32be -t utf-8"},
    {"gb18030+gzip", "gzip", "gb18030", "gzip -dc | iconv -f gb18030 -t utf-8"},
};

static const filter *filter_of(const char *sink) {
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
    if (strcmp(sink, filters[i].sink) == 0) return &filters[i];
  }
  return NULL;
}

static void read_filtered(drain *d, const filter *f) {
  char command[sizeof d->path + 64], piece[4096];
  snprintf(command, sizeof command, "< '%s' %s", d->path, f->command);
  FILE *undone = popen(command, "r");
  if (undone == NULL) die("popen", command);
  for (size_t n; (n = fread(piece, 1, sizeof piece, undone)) > 0;) keep_bytes(d, piece, n);
  if (pclose(undone) != 0) die("not what it should be", command);
  remove(d->path);
}

/* What was in the file stays before what is appended. */
static void strip_before(drain *d) {
  size_t size = sizeof before - 1;
  if (d->size < size || memcmp(d->data, before, size) != 0) die("what was in the file is lost", d->path);
  memmove(d->data, d->data + size, d->size -= size);
}

static void set_filter(fastio_write_options *options, const filter *f) {
  if (f == NULL) return;
  options->compression = f->compression;
  options->encoding = f->encoding;
  options->threads = configuration.threads;
}

static fastio_status open_file(drain *d, fastio_write_options *options, fastio_error *err) {
  const char *kind = configuration.sink;
  set_filter(options, filter_of(kind));
  d->is_file = true;
  snprintf(d->path, sizeof d->path, "%s/.written-%ld", directory, (long)getpid());
  if (strcmp(kind, "append") == 0) options->mode = FASTIO_APPEND;
  if (strcmp(kind, "atomic") == 0) options->flags |= FASTIO_WRITE_ATOMIC;
  if (options->mode == FASTIO_APPEND || (options->flags & FASTIO_WRITE_ATOMIC) != 0) write_before(d);
  if (strcmp(kind, "fd") == 0) {
    options->flags |= FASTIO_WRITE_OWNED;
    return fastio_writer_fd(open(d->path, O_WRONLY | O_CREAT | O_TRUNC, 0600), options, &d->writer, err);
  }
  if (strcmp(kind, "stdio") == 0) {
    options->flags |= FASTIO_WRITE_OWNED;
    return fastio_writer_stdio(fopen(d->path, "wb"), options, &d->writer, err);
  }
  return fastio_writer_open(d->path, options, &d->writer, err);
}

/* ---- All kinds ---- */

/* Goes to another writer until it is turned back. */
static fastio_status open_redirected(drain *d, const fastio_write_options *options, fastio_error *err) {
  fastio_status status = fastio_writer_memory(options, &d->writer, err);
  if (status == FASTIO_OK) status = fastio_writer_memory(NULL, &d->target, err);
  if (status == FASTIO_OK) status = fastio_writer_redirect(d->writer, d->target, err);
  return status;
}

static bool is_of_files(const char *kind) {
  static const char *const kinds[] = {"file", "append", "atomic", "fd", "stdio"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kind, kinds[i]) == 0) return true;
  }
  return filter_of(kind) != NULL;
}

fastio_status open_drain(drain *d, fastio_error *err) {
  enum { ROOM = 1 << 20 };
  const char *kind = configuration.sink;
  fastio_write_options options;
  memset(d, 0, sizeof *d);
  fastio_write_options_init(&options);
  options.buffer_size = configuration.block;
  if (is_of_files(kind)) return open_file(d, &options, err);
  if (strcmp(kind, "memory") == 0) return fastio_writer_memory(&options, &d->writer, err);
  if (strcmp(kind, "buffer") == 0) return fastio_writer_buffer(keep(malloc(ROOM)), ROOM, &options, &d->writer, err);
  if (strcmp(kind, "redirect") == 0) return open_redirected(d, &options, err);
  if (strcmp(kind, "device") == 0) return open_device(d, &options, err);
  if (strcmp(kind, "none") == 0) options.buffering = FASTIO_BUFFER_NONE;
  else if (strcmp(kind, "lines") == 0) options.buffering = FASTIO_BUFFER_LINES;
  else if (strcmp(kind, "locked") == 0) options.flags |= FASTIO_WRITE_LOCKED;
  else if (strcmp(kind, "pipe") != 0) die("unknown sink", kind);
  options.flags |= FASTIO_WRITE_OWNED;
  return fastio_writer_fd(open_pipe(d), &options, &d->writer, err);
}

/* Of a writer into memory, before it is closed. */
static fastio_status take_memory(drain *d, fastio_error *err) {
  fastio_bytes bytes = {NULL, 0};
  fastio_writer *writer = d->target != NULL ? d->target : d->writer;
  fastio_status status = FASTIO_OK;
  if (d->target != NULL) status = fastio_writer_redirect(d->writer, NULL, err);
  if (status == FASTIO_OK) status = fastio_writer_bytes(writer, &bytes, err);
  if (status == FASTIO_OK) keep_bytes(d, bytes.data, bytes.size);
  if (d->target == NULL || status != FASTIO_OK) return status;
  status = fastio_writer_bytes(d->writer, &bytes, err);
  if (bytes.size > 0) die("a redirected writer", "has kept bytes");
  return status;
}

/* Closes the writer and finds what was written. `err` is that of the first failure if there was one. */
fastio_status close_drain(drain *d, fastio_status status, fastio_error *err) {
  const char *kind = configuration.sink;
  fastio_error late;
  fastio_status closed = FASTIO_OK;
  bool in_memory = strcmp(kind, "memory") == 0 || strcmp(kind, "buffer") == 0 || strcmp(kind, "redirect") == 0;
  if (status == FASTIO_OK) {
    uint64_t offset = fastio_writer_offset(d->writer);
    if (in_memory) status = take_memory(d, err);
    d->accepted = offset;
  }
  if (d->writer != NULL) closed = fastio_writer_close(d->writer, &late);
  if (d->target != NULL) fastio_writer_discard(d->target);
  if (d->has_reader) pthread_join(d->reader, NULL);
  if (status == FASTIO_OK && closed != FASTIO_OK) status = closed, *err = late;
  if (strcmp(kind, "device") == 0 && !d->is_closed) die("a device", "was not closed");
  if (d->is_file && d->writer != NULL && filter_of(kind) != NULL) read_filtered(d, filter_of(kind));
  else if (d->is_file && d->writer != NULL) read_back(d);
  if (status == FASTIO_OK && strcmp(kind, "append") == 0) strip_before(d);
  if (status == FASTIO_OK && d->target == NULL && d->accepted != d->size) die("the offset", "is not what was written");
  return status;
}
