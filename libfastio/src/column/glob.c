/* Paths that match a pattern. Names are matched byte by byte or, where they are UTF-8, character by character; nothing
 * depends on the locale, as it would with glob(3). */
#include "../text/text.h"
#include "column.h"

#include <errno.h>
#include <stdlib.h>

/* ---- one component ---- */

enum { NO_CHARACTER = 0x110000 }; /* bytes that are none count from here */

/* The code point at p, or its byte where there is no well-formed character. */
static uint32_t next_character(const char **p, const char *end) {
  const uint8_t *s = (const uint8_t *)*p;
  size_t left = (size_t)(end - *p), size = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
  uint32_t code;
  if (s[0] < 0x80 || size > left || fastio__utf8_prefix(s, size) != size) {
    ++*p;
    return s[0] < 0x80 ? s[0] : NO_CHARACTER + s[0];
  }
  code = s[0] & (0x7Fu >> size);
  for (size_t i = 1; i < size; i++) code = code << 6 | (s[i] & 0x3F);
  *p += size;
  return code;
}

/* The ']' of the set whose '[' is before p; NULL: there is none, and '[' is a byte like any other. */
static const char *set_end(const char *p, const char *end) {
  if (p < end && (*p == '!' || *p == '^')) p++;
  if (p < end && *p == ']') p++; /* the first one is a member */
  while (p < end && *p != ']') p++;
  return p < end ? p : NULL;
}

static bool is_in_set(const char *p, const char *end, uint32_t code) {
  bool negated = p < end && (*p == '!' || *p == '^'), found = false;
  if (negated) p++;
  while (p < end) {
    uint32_t low = next_character(&p, end), high = low;
    if (end - p >= 2 && *p == '-') {
      p++;
      high = next_character(&p, end);
    }
    found |= low <= code && code <= high;
  }
  return found != negated;
}

/* After a mismatch only the last '*' needs to take one character more. */
static bool matches(const char *pattern, const char *pattern_end, const char *name) {
  const char *end = name + strlen(name), *star = NULL, *star_at = NULL;
  if (*name == '.' && *pattern != '.') return false;
  while (name < end) {
    const char *p = pattern, *n = name, *close;
    bool same = false;
    if (p < pattern_end && *p == '*') {
      star = ++pattern;
      star_at = name;
      continue;
    }
    if (p < pattern_end) {
      uint32_t code = next_character(&n, end);
      if (*p == '?') p++, same = true;
      else if (*p == '[' && (close = set_end(p + 1, pattern_end))) same = is_in_set(p + 1, close, code), p = close + 1;
      else same = next_character(&p, pattern_end) == code;
    }
    if (same) {
      pattern = p;
      name = n;
    } else if (star) {
      (void)next_character(&star_at, end);
      pattern = star;
      name = star_at;
    } else {
      return false;
    }
  }
  while (pattern < pattern_end && *pattern == '*') pattern++;
  return pattern == pattern_end;
}

static bool is_pattern(const char *p, const char *end) {
  for (; p < end; p++)
    if (*p == '*' || *p == '?' || (*p == '[' && set_end(p + 1, end))) return true;
  return false;
}

/* ---- texts that grow ---- */

typedef struct texts { /* each with a NUL behind it */
  const fastio_env *env;
  char *data;
  size_t size, capacity;
} texts;

static bool append(texts *t, const char *data, size_t size) {
  size_t needed, capacity;
  char *more;
  if (!fastio__add(t->size, size, &needed) || !fastio__add(needed, 1, &needed)) return false;
  if (needed > t->capacity) {
    capacity = fastio__grown(t->capacity, needed);
    more = capacity ? fastio__reallocate(t->env, t->data, t->capacity, capacity) : NULL;
    if (!more) return false;
    t->data = more;
    t->capacity = capacity;
  }
  if (size) memcpy(t->data + t->size, data, size);
  t->size += size;
  t->data[t->size] = '\0';
  return true;
}

static bool append_text(texts *t, const char *text) { return append(t, text, strlen(text) + 1); }
static void free_texts(texts *t) { fastio__release(t->env, t->data, t->capacity); }

/* ---- the walk ---- */

typedef struct search {
  texts path, found; /* the path so far; what was found */
  size_t count;
  int error; /* the first one met in looking into a directory */
  bool no_memory;
} search;

typedef struct listing {
  const char *pattern, *end; /* the component */
  texts names;
  bool no_memory;
} listing;

static bool list_name(void *ctx, const char *name) {
  listing *self = ctx;
  if (matches(self->pattern, self->end, name)) self->no_memory = !append_text(&self->names, name);
  return !self->no_memory;
}

static void take(search *s) {
  if (append_text(&s->found, s->path.data)) s->count++;
  else s->no_memory = true;
}

static void walk(search *s, const char *pattern);

/* Every name of the directory that the path so far is. */
static void walk_names(search *s, const char *pattern, const char *end, const char *rest) {
  listing l = {pattern, end, {s->path.env, NULL, 0, 0}, false};
  size_t size = s->path.size;
  int error = fastio__directory_each(s->path.data, list_name, &l);
  if (error && !s->error) s->error = error;
  s->no_memory |= l.no_memory;
  for (size_t at = 0; at < l.names.size && !s->no_memory; at += strlen(l.names.data + at) + 1) {
    const char *name = l.names.data + at;
    s->path.size = size;
    if (!append(&s->path, name, strlen(name)) || !append(&s->path, end, (size_t)(rest - end))) s->no_memory = true;
    else if (*rest) walk(s, rest);
    else if (rest == end || fastio__path_exists(s->path.data)) take(s);
  }
  s->path.size = size;
  s->path.data[size] = '\0';
  free_texts(&l.names);
}

/* Components without a wildcard are just names; whether they are there is asked at the end. */
static void walk(search *s, const char *pattern) {
  size_t size = s->path.size;
  while (*pattern && !s->no_memory) {
    const char *end = pattern, *rest;
    while (*end && !fastio__is_path_separator(*end)) end++;
    for (rest = end; fastio__is_path_separator(*rest);) rest++;
    if (is_pattern(pattern, end)) {
      walk_names(s, pattern, end, rest);
      break;
    }
    if (!append(&s->path, pattern, (size_t)(rest - pattern))) s->no_memory = true;
    else if (!*rest && fastio__path_exists(s->path.data)) take(s);
    pattern = rest;
  }
  s->path.size = size;
  s->path.data[size] = '\0';
}

/* ---- the column ---- */

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b); /* as unsigned bytes */
}

static fastio_status make_column(search *s, const char **paths, fastio_column **out, fastio_error *err) {
  uint64_t size = s->found.size - s->count, at = 0;
  fastio__column_parts parts;
  fastio_column view;
  const char *path = s->found.data;
  fastio_status status;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  for (size_t i = 0; i < s->count; i++, path += strlen(path) + 1) paths[i] = path;
  qsort(paths, s->count, sizeof *paths, compare);
  status = fastio__region_init(&parts.data, s->path.env, (size_t)size, err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&parts.data, (size_t)size, err);
  if (status == FASTIO_OK)
    status = fastio__region_init(&parts.offsets, s->path.env, (s->count + 1) * sizeof(int64_t), err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&parts.offsets, (s->count + 1) * sizeof(int64_t), err);
  for (size_t i = 0; status == FASTIO_OK && i <= s->count; i++) {
    ((int64_t *)(void *)parts.offsets.data)[i] = (int64_t)at;
    if (i == s->count) break;
    memcpy(parts.data.data + at, paths[i], strlen(paths[i]));
    at += strlen(paths[i]);
  }
  view.type = FASTIO_BINARY;
  view.length = s->count;
  view.data_size = size;
  if (status == FASTIO_OK) status = fastio__column_build(&view, &parts, s->path.env, out, err);
  if (status != FASTIO_OK) {
    fastio__region_free(&parts.data);
    fastio__region_free(&parts.offsets);
  }
  return status;
}

/* That some directory could not be looked into matters only if nothing was found. */
static fastio_status finish(search *s, fastio_column **out, fastio_error *err) {
  size_t size = s->count * sizeof(char *);
  const char **paths;
  fastio_status status;
  if (s->no_memory) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (s->count == 0) return fastio__fail_os(err, s->error ? s->error : ENOENT, "no path matches the pattern");
  if (!(paths = fastio__allocate(s->path.env, size))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = make_column(s, paths, out, err);
  fastio__release(s->path.env, paths, size);
  return status;
}

fastio_status fastio_glob(const char *pattern, const fastio_env *env, fastio_column **out, fastio_error *err) {
  search s;
  fastio_status status;
  if (!pattern || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "pattern and out must not be NULL");
  memset(&s, 0, sizeof s);
  s.path.env = s.found.env = env;
  if (!append(&s.path, "", 0)) s.no_memory = true;
  else walk(&s, pattern);
  status = finish(&s, out, err);
  free_texts(&s.path);
  free_texts(&s.found);
  return status;
}
