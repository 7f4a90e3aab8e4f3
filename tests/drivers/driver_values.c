/* Values, columns, tables and formats out of the text that answers have too: what the ops that write are given. */
#include "driver.h"

/* ---- Memory of one request ---- */

static struct {
  void **blocks;
  size_t count, room;
} kept;

void *keep(void *block) {
  if (kept.count == kept.room) kept.blocks = realloc(kept.blocks, (kept.room = 2 * kept.room + 64) * sizeof(void *));
  if (block == NULL || kept.blocks == NULL) die("memory", "none left");
  return kept.blocks[kept.count++] = block;
}

void release_kept(void) {
  while (kept.count > 0) free(kept.blocks[--kept.count]);
  free(kept.blocks);
  kept.blocks = NULL;
  kept.room = 0;
}

fastio_bytes kept_text(const char *hex, size_t length) {
  fastio_bytes text;
  if (length > 0 && *hex == 'x') hex++, length--;
  unsigned char *data = keep(from_hex(hex, length, &text.size));
  data[text.size] = '\0';
  text.data = data;
  return text;
}

/* ---- Items ---- */

static uint64_t bits_from(const char *text) {
  return strcmp(text, "nan") == 0 ? UINT64_C(0x7ff8000000000000) : strtoull(text, NULL, 16);
}

static item item_from(fastio_type type, const char *text, size_t length) {
  item value = {type, 0, {0}, 0, {NULL, 0}};
  char number[32] = "";
  if (strncmp(text, "null", length) == 0 && length == 4) value.is_null = 1;
  else if (*text == 'x') value.text = kept_text(text, length);
  else {
    memcpy(number, text, length < sizeof number ? length : sizeof number - 1);
    if (type == FASTIO_FLOAT32) value.bits.u = strcmp(number, "nan") == 0 ? 0x7fc00000 : strtoull(number, NULL, 16);
    else if (type == FASTIO_FLOAT64) value.bits.u = bits_from(number);
    else if (*number == '-') value.bits.i = strtoll(number, NULL, 10);
    else value.bits.u = strtoull(number, NULL, 10);
    if (type == FASTIO_FLOAT32) {
      uint32_t bits = (uint32_t)value.bits.u;
      memcpy(&value.single, &bits, sizeof bits);
    }
  }
  return value;
}

static fastio_type type_from(const char *text, size_t length) {
  char name[32] = "";
  memcpy(name, text, length < sizeof name ? length : sizeof name - 1);
  fastio_type type = fastio_type_from_name(name);
  if (type == 0) die("no such type", name);
  return type;
}

/* "int64", "timestamp[ns, UTC]" */
static size_t name_length(const char *text) {
  size_t length = strcspn(text, "[:");
  return strncmp(text + length, "[ns", 3) == 0 ? length + strcspn(text + length, "]") + 1 : length;
}

/* All of "a b c]"; without a type each has its own in front. */
static item *items_from(const char *text, fastio_type type, size_t *count, const char **end) {
  size_t room = 16;
  item *items = malloc(room * sizeof *items);
  for (*count = 0; *text != ']'; text += *text == ' ') {
    size_t name = type == 0 ? name_length(text) : 0;
    fastio_type own = type == 0 ? type_from(text, name) : type;
    text += name + (type == 0);
    size_t length = strcspn(text, " ]");
    if (*count == room) items = realloc(items, (room *= 2) * sizeof *items);
    if (items == NULL) die("memory", "none left");
    items[(*count)++] = item_from(own, text, length);
    text += length;
  }
  *end = text + 1;
  return keep(items);
}

item *mixed_items(const char *text, size_t *count) {
  const char *end;
  return items_from(text + 1, (fastio_type)0, count, &end);
}

/* ---- Columns ---- */

typedef struct parts {
  void *data, *validity, *offsets;
} parts;

static void release_parts(void *ctx) {
  parts *p = ctx;
  free(p->data);
  free(p->validity);
  free(p->offsets);
  free(p);
}

static void *aligned(size_t size) {
  void *block = aligned_alloc(64, (size + 64) / 64 * 64);
  if (block == NULL) die("memory", "none left");
  memset(block, 0, (size + 64) / 64 * 64);
  return block;
}

static void set_bit(void *bits, size_t i) { ((uint8_t *)bits)[i / 8] |= (uint8_t)(1u << (i % 8)); }

/* The low bytes of the item, whatever the order of bytes is. */
static void set_number(void *data, fastio_type type, size_t i, const item *value) {
  size_t size = fastio_type_size(type);
  uint64_t bits = value->bits.u;
  uint8_t u8 = (uint8_t)bits;
  uint16_t u16 = (uint16_t)bits;
  uint32_t u32 = (uint32_t)bits;
  const void *from = size == 1 ? (void *)&u8 : size == 2 ? (void *)&u16 : size == 4 ? (void *)&u32 : (void *)&bits;
  memcpy((char *)data + i * size, from, size);
}

static void fill_numbers(fastio_column *view, parts *p, const item *items) {
  view->data_size = view->length * fastio_type_size(view->type);
  if (view->type == FASTIO_BOOL) view->data_size = (view->length + 7) / 8;
  view->data = p->data = aligned((size_t)view->data_size);
  for (size_t i = 0; i < view->length; i++) {
    if (items[i].is_null) continue;
    if (view->type != FASTIO_BOOL) set_number(p->data, view->type, i, &items[i]);
    else if (items[i].bits.u != 0) set_bit(p->data, i);
  }
}

static void fill_strings(fastio_column *view, parts *p, const item *items) {
  int64_t *offsets = p->offsets = aligned((size_t)(view->length + 1) * sizeof *offsets);
  for (size_t i = 0; i < view->length; i++) offsets[i + 1] = offsets[i] + (int64_t)items[i].text.size;
  view->offsets = offsets;
  view->data_size = (uint64_t)offsets[view->length];
  view->data = p->data = aligned((size_t)view->data_size);
  for (size_t i = 0; i < view->length; i++) {
    if (items[i].text.size > 0) memcpy((char *)p->data + offsets[i], items[i].text.data, items[i].text.size);
  }
}

/* Texts once each, by first appearance; their numbers become the column's values. */
static fastio_column *fill_dictionary(fastio_column *view, parts *p, item *items) {
  item *texts = keep(calloc((size_t)view->length + 1, sizeof *texts));
  size_t count = 0;
  for (size_t i = 0; i < view->length; i++) {
    size_t k = 0;
    if (items[i].is_null) continue;
    while (k < count && (texts[k].text.size != items[i].text.size ||
                         memcmp(texts[k].text.data, items[i].text.data, items[i].text.size) != 0))
      k++;
    if (k == count) texts[count++] = items[i];
    items[i].bits.u = k;
  }
  fill_numbers(view, p, items);
  return new_column(FASTIO_STRING, texts, count);
}

fastio_column *new_column(fastio_type type, item *items, size_t count) {
  fastio_column view = {type, count, 0, NULL, NULL, NULL, 0, 0, NULL}, *dictionary = NULL, *column;
  parts *p = calloc(1, sizeof *p);
  fastio_error err;
  if (type == FASTIO_DICTIONARY) view.dictionary = dictionary = fill_dictionary(&view, p, items);
  else if (type == FASTIO_STRING || type == FASTIO_BINARY) fill_strings(&view, p, items);
  else fill_numbers(&view, p, items);
  for (size_t i = 0; i < count; i++) view.null_count += items[i].is_null != 0;
  if (view.null_count > 0) {
    view.validity = p->validity = aligned(count / 8 + 1);
    for (size_t i = 0; i < count; i++) {
      if (!items[i].is_null) set_bit(p->validity, i);
    }
  }
  if (fastio_column_new(&view, release_parts, p, NULL, &column, &err) != FASTIO_OK) die("column", err.message);
  fastio_column_free(dictionary);
  return column;
}

/* "int64[1 2 null]" */
fastio_column *column_from(const char *text, const char **end) {
  size_t name = name_length(text), count;
  fastio_type type = type_from(text, name);
  item *items = items_from(text + name + 1, type, &count, end);
  return new_column(type, items, count);
}

/* "2{x61:int64[1 2] x62:string[x x78]}" */
fastio_table *table_from(const char *text) {
  enum { MOST = 256 };
  const fastio_column *columns[MOST];
  fastio_bytes names[MOST];
  fastio_table view = {0}, *table;
  fastio_error err;
  char *at;
  view.rows = strtoull(text, &at, 10);
  view.columns = columns;
  view.names = names;
  for (const char *next = at + 1; *next != '}';) {
    size_t name = strcspn(next, ":");
    if (view.column_count == MOST) die("table", "too many columns");
    names[view.column_count] = kept_text(next, name);
    columns[view.column_count++] = column_from(next + name + 1, &next);
    if (*next == ' ') next++;
  }
  if (fastio_table_new(&view, NULL, &table, &err) != FASTIO_OK) die("table", err.message);
  return table;
}

/* ---- Formats ---- */

static unsigned align_from(const char *value) {
  if (strcmp(value, "left") == 0) return FASTIO_FORMAT_LEFT;
  if (strcmp(value, "center") == 0) return FASTIO_FORMAT_CENTER;
  return strcmp(value, "internal") == 0 ? FASTIO_FORMAT_INTERNAL : 0;
}

static int notation_from(const char *value) {
  static const char *const names[] = {"shortest", "fixed", "scientific", "general", "hexadecimal"};
  for (int i = 0; i < 5; i++) {
    if (strcmp(value, names[i]) == 0) return i;
  }
  return -1;
}

static void set_grouping(layout *l, const char *value) {
  for (size_t i = 0; i < sizeof l->locale.grouping && *value != '\0'; i++) {
    char *rest;
    l->locale.grouping[i] = (unsigned char)strtoul(value, &rest, 10);
    value = rest + (*rest == '-');
  }
  l->format.locale = &l->locale;
}

static void set_mark(layout *l, char mark[8], const char *value) {
  fastio_bytes text = kept_text(value, strlen(value));
  memcpy(mark, text.data, text.size < 8 ? text.size : 8);
  l->format.locale = &l->locale;
}

static void set_word(layout *l, const char *key, const char *value) {
  fastio_format *f = &l->format;
  if (strcmp(key, "notation") == 0) f->notation = notation_from(value);
  else if (strcmp(key, "precision") == 0) f->precision = strcmp(value, "none") == 0 ? FASTIO_AS_NEEDED : atoi(value);
  else if (strcmp(key, "base") == 0) f->base = atoi(value);
  else if (strcmp(key, "sign") == 0)
    f->flags |= hex_byte(value) == '+' ? FASTIO_FORMAT_PLUS : hex_byte(value) == ' ' ? FASTIO_FORMAT_BLANK : 0;
  else if (strcmp(key, "upper") == 0) f->flags |= atoi(value) ? FASTIO_FORMAT_UPPER : 0;
  else if (strcmp(key, "prefix") == 0) f->flags |= atoi(value) ? FASTIO_FORMAT_PREFIX : 0;
  else if (strcmp(key, "percent") == 0) f->flags |= atoi(value) ? FASTIO_FORMAT_PERCENT : 0;
  else if (strcmp(key, "keep_point") == 0) f->flags |= atoi(value) ? FASTIO_FORMAT_KEEP_POINT : 0;
  else if (strcmp(key, "align") == 0) f->flags |= align_from(value);
  else if (strcmp(key, "width") == 0) f->width = (unsigned)strtoul(value, NULL, 10);
  else if (strcmp(key, "fill") == 0) f->fill = (char)hex_byte(value);
  else if (strcmp(key, "point") == 0) set_mark(l, l->locale.point, value);
  else if (strcmp(key, "group") == 0) set_mark(l, l->locale.group, value);
  else if (strcmp(key, "grouping") == 0) set_grouping(l, value);
  else die("unknown word of a format", key);
}

/* "notation:fixed,precision:3": the struct stays where it is, since the format points into it. */
void set_layout(layout *l, const char *text, size_t length) {
  char word[64];
  memset(l, 0, sizeof *l);
  for (const char *end = text + length; text < end;) {
    size_t size = strcspn(text, ",|");
    if (size >= sizeof word) die("too long a word of a format", text);
    memcpy(word, text, size);
    word[size] = '\0';
    char *value = strchr(word, ':');
    *value++ = '\0';
    set_word(l, word, value);
    text += size + 1;
  }
}
