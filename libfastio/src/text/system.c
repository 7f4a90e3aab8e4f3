/* Encodings that the system's iconv knows. It goes to and from UTF-8, so that what it calls an error is one of the
 * encoding. */
#include "encoding.h"

#include "../platform/iconv.h"

#include <errno.h>

/* ---- decoding ---- */

/* One byte more each time, until a character comes out or, *moved, is taken. NO_ROOM asks to be called again. */
static fastio__stop decode_singly(fastio__system *system, fastio__strip *s, bool *moved) {
  *moved = false;
  for (size_t n = 1; n <= fastio__strip_left(s); n++) {
    const uint8_t *in = s->in;
    uint8_t *out = s->out;
    size_t inexact;
    fastio__iconv_stop stop = fastio__iconv_run(system->iconv, &in, in + n, &out, s->out_end, &inexact);
    *moved = in != s->in || out != s->out;
    s->in = in;
    s->out = out;
    if (stop == FASTIO__ICONV_BAD) return FASTIO__MALFORMED;
    if (stop == FASTIO__ICONV_FULL || *moved) return FASTIO__NO_ROOM;
  }
  return FASTIO__TAKEN;
}

/* UTF-7: where input is cut must not matter for what comes after an error, but it does to some. */
bool fastio__system_is_careless(const fastio__encoding *encoding) {
  return strcmp(encoding->title, "UTF-7") == 0 || encoding == &fastio__encoding_unlisted;
}

static fastio__stop decode_carefully(fastio__system *system, fastio__strip *s) {
  fastio__stop stop;
  bool moved;
  do stop = decode_singly(system, s, &moved);
  while (stop == FASTIO__NO_ROOM && moved);
  return stop;
}

fastio__stop fastio__decode_system(void *state, fastio__strip *s) {
  fastio__system *system = state;
  size_t inexact;
  bool moved;
  s->bad = 1; /* what follows may be read anew */
  if (s->in == s->in_end) return FASTIO__TAKEN;
  if (system->singly) return decode_singly(system, s, &moved);
  if (system->carefully) return decode_carefully(system, s);
  switch (fastio__iconv_run(system->iconv, &s->in, s->in_end, &s->out, s->out_end, &inexact)) {
    case FASTIO__ICONV_FULL: return FASTIO__NO_ROOM;
    case FASTIO__ICONV_BAD: return FASTIO__MALFORMED;
    default: return FASTIO__TAKEN;
  }
}

/* ---- encoding ---- */

/* U+E0000 to U+E007F, which some systems drop without a word. */
static bool is_tag(const uint8_t *p, const uint8_t *end) {
  return end - p >= 4 && p[0] == 0xF3 && p[1] == 0xA0 && (p[2] == 0x80 || p[2] == 0x81);
}

static const uint8_t *before_tag(const uint8_t *p, const uint8_t *end) {
  while (p < end) {
    p = memchr(p, 0xF3, (size_t)(end - p));
    if (!p) return end;
    if (is_tag(p, end)) return p;
    p++;
  }
  return end;
}

/* A system converts thousands of characters before it finds that the first is lacking; so after one that is, some go one
 * by one. */
enum { DOUBT = 32 };

/* One character, for which nothing else is taken. */
static fastio__stop encode_singly(fastio__system *system, fastio__strip *s) {
  const uint8_t *start = s->in, *end = s->in;
  uint8_t *out = s->out;
  size_t inexact = 0;
  fastio__iconv_stop stop;
  fastio__take_utf8(&end);
  stop = fastio__iconv_run(system->iconv, &s->in, end, &s->out, s->out_end, &inexact);
  if (stop == FASTIO__ICONV_FULL) return FASTIO__NO_ROOM;
  if (stop == FASTIO__ICONV_DONE && !inexact && !(is_tag(start, end) && s->out == out)) return FASTIO__TAKEN;
  s->in = start;
  s->out = out;
  s->bad = (size_t)(end - start);
  system->doubtful = DOUBT;
  return FASTIO__LACKING;
}

fastio__stop fastio__encode_system(void *state, fastio__strip *s) {
  fastio__system *system = state;
  for (; system->doubtful > 0 && s->in < s->in_end; system->doubtful--) {
    fastio__stop stop = encode_singly(system, s);
    if (stop != FASTIO__TAKEN) return stop;
  }
  while (s->in < s->in_end) {
    const uint8_t *start = s->in, *end = before_tag(s->in, s->in_end);
    uint8_t *out = s->out;
    size_t inexact = 0;
    fastio__stop stop = FASTIO__TAKEN;
    fastio__iconv_stop reason = FASTIO__ICONV_DONE;
    if (end > start) reason = fastio__iconv_run(system->iconv, &s->in, end, &s->out, s->out_end, &inexact);
    if (reason == FASTIO__ICONV_FULL) return FASTIO__NO_ROOM;
    if (inexact) { /* again, one at a time, to see which */
      s->in = start;
      s->out = out;
    }
    while (stop == FASTIO__TAKEN && s->in < end) stop = encode_singly(system, s);
    if (stop == FASTIO__TAKEN && s->in < s->in_end) stop = encode_singly(system, s);
    if (stop != FASTIO__TAKEN) return stop;
  }
  return FASTIO__TAKEN;
}

fastio__stop fastio__system_finish(fastio__system *system, fastio__strip *s) {
  size_t inexact;
  fastio__iconv_stop stop = fastio__iconv_run(system->iconv, NULL, NULL, &s->out, s->out_end, &inexact);
  return stop == FASTIO__ICONV_FULL ? FASTIO__NO_ROOM : FASTIO__TAKEN;
}

/* ---- names ---- */

enum { NAME_MAX_SIZE = 64, SPELLINGS = 5 };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_figure(char c) { return c >= '0' && c <= '9'; }

/* No '/', behind which some systems take orders, nor nothing at all, which means the locale. */
static bool is_name(const char *name) {
  const size_t size = strlen(name);
  bool has_letter = false;
  if (size >= NAME_MAX_SIZE) return false;
  for (size_t i = 0; i < size; i++) {
    has_letter |= is_letter(name[i]) || is_figure(name[i]);
    if (!is_letter(name[i]) && !is_figure(name[i]) && !strchr("-_:.()+", name[i])) return false;
  }
  return has_letter;
}

/* The name as it is, with '-', with '_', with nothing between its parts, with '-' before its first figures; in capitals,
 * which every iconv knows. */
static void spell(const char *name, int spelling, char out[2 * NAME_MAX_SIZE]) {
  bool inserted = false;
  for (; *name; name++) {
    bool is_joint = *name == '-' || *name == '_';
    if (spelling == 4 && !inserted && is_figure(*name)) {
      if (!is_joint && out[-1] != '-') *out++ = '-';
      inserted = true;
    }
    if (is_joint && spelling == 3) continue;
    if (is_joint && spelling > 0) *out++ = spelling == 2 ? '_' : '-';
    else *out++ = *name >= 'a' && *name <= 'z' ? (char)(*name - 32) : *name;
  }
  *out = 0;
}

/* 0, or the errno of the attempt. */
static int open_named(const char *name, bool encodes, void **out) {
  int error = EINVAL;
  if (!is_name(name)) return EINVAL;
  for (int i = 0; i < SPELLINGS && error == EINVAL; i++) {
    char spelled[1 + 2 * NAME_MAX_SIZE] = "-"; /* so that there is something before the first */
    spell(name, i, spelled + 1);
    if (strcmp(spelled + 1, "CHAR") == 0) return EINVAL; /* the locale's too */
    error = encodes ? fastio__iconv_open(spelled + 1, "UTF-8", out) : fastio__iconv_open("UTF-8", spelled + 1, out);
  }
  return error;
}

bool fastio__system_knows(const char *name) {
  void *handle;
  if (open_named(name, false, &handle) != 0) return false;
  fastio__iconv_close(handle);
  return true;
}

fastio_status fastio__system_open(fastio__system *system, const char *name, bool encodes, fastio_error *err) {
  int error = open_named(name, encodes, &system->iconv);
  if (error == 0) return FASTIO_OK;
  if (error == ENOMEM) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (error != EINVAL) return fastio__fail_os(err, error, "iconv can't be opened");
  return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "no such encoding is known here");
}

void fastio__system_close(fastio__system *system) {
  if (system->iconv) fastio__iconv_close(system->iconv);
  system->iconv = NULL;
}
