/* What is known of the fields: their names, the rules that fit them, and which ones are wanted. */
#include "../core/hash.h"
#include "table.h"

static const char no_name[] = "a column has no name; repair_names would name it by its position";
static const char same_name[] = "two columns have this name; repair_names would number them";
static const char not_there[] = "there is no such column";

/* ---- errors ---- */

/* Field `field` (0-based; SIZE_MAX: none) of that name, as far as it fits. */
static fastio_status fail_field(fastio_error *err, fastio_status status, const char *message, uint64_t field,
                                fastio_bytes name) {
  fastio__fail(err, status, message);
  if (err) {
    err->field = field + 1;
    err->field_name_size = name.size < FASTIO_ERROR_TEXT_MAX ? name.size : FASTIO_ERROR_TEXT_MAX;
    if (err->field_name_size) memcpy(err->field_name, name.data, err->field_name_size);
  }
  return status;
}

static const uint64_t NO_FIELD = UINT64_MAX; /* + 1 is 0: none */

/* ---- the one block of memory: first what needs alignment, then texts ---- */

typedef struct builder {
  fastio__schema *schema;
  const fastio_csv_options *options;
  const fastio_bytes *header;
  fastio_bytes *nulls; /* where the next ones go */
  char *text;          /* where the next one goes */
  /* Names by hash: slots of field + 1; how many the next repeated name of a field's has. */
  size_t *slots, *repeated;
  size_t slot_count;
} builder;

static bool is_repaired(const builder *b) { return (b->options->flags & FASTIO_CSV_REPAIR_NAMES) != 0; }

static fastio_bytes given_name(const builder *b, size_t field) {
  static const fastio_bytes none = {"", 0};
  const char *const *names = b->options->names;
  if (names) return (fastio_bytes){names[field], strlen(names[field])};
  return b->header ? b->header[field] : none;
}

/* For the parts of a name that are made: "column_" and a number; one that is repaired may leave three texts behind, the
 * given one, "column_17" and "column_17_2". */
static size_t made_size(const builder *b) {
  const size_t size = sizeof "column_" + 20;
  return is_repaired(b) ? 4 * size : size;
}

static bool add_product(size_t *size, size_t count, size_t each) {
  size_t product;
  return fastio__multiply(count, each, &product) && fastio__add(*size, product, size);
}

static bool add_texts(size_t *size, const fastio_bytes *texts, size_t count) {
  if (!add_product(size, count, sizeof *texts)) return false;
  for (size_t i = 0; i < count; i++)
    if (!fastio__add(*size, texts[i].size, size)) return false;
  return true;
}

static bool size_of(const builder *b, size_t *out) {
  const fastio_csv_options *options = b->options;
  const fastio__schema *schema = b->schema;
  size_t size = 0;
  bool fits = add_product(&size, schema->field_count, sizeof *schema->fields + made_size(b)) &&
              add_product(&size, schema->column_count, sizeof *schema->columns) &&
              add_texts(&size, options->null_values, options->null_count);
  for (size_t i = 0; fits && i < schema->field_count; i++)
    fits = add_product(&size, given_name(b, i).size, is_repaired(b) ? 2 : 1);
  for (size_t i = 0; fits && i < options->rule_count; i++)
    fits = add_texts(&size, options->rules[i].null_values, options->rules[i].null_count);
  *out = size;
  return fits;
}

static size_t null_count_of(const fastio_csv_options *options) {
  size_t count = options->null_count;
  for (size_t i = 0; i < options->rule_count; i++) count += options->rules[i].null_count;
  return count;
}

static fastio_status allocate(builder *b, fastio_error *err) {
  fastio__schema *schema = b->schema;
  if (!size_of(b, &schema->memory_size)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  schema->memory = fastio__allocate(schema->env, schema->memory_size);
  if (!schema->memory) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  schema->fields = schema->memory;
  b->nulls = (fastio_bytes *)(schema->fields + schema->field_count);
  schema->columns = (size_t *)(b->nulls + null_count_of(b->options));
  b->text = (char *)(schema->columns + schema->column_count);
  if (schema->field_count) memset(schema->fields, 0, schema->field_count * sizeof *schema->fields);
  return FASTIO_OK;
}

static void *copy_text(builder *b, fastio_bytes text) {
  char *copy = b->text;
  if (text.size) memcpy(copy, text.data, text.size);
  b->text += text.size;
  return copy;
}

static const fastio_bytes *copy_nulls(builder *b, const fastio_bytes *texts, size_t count) {
  const fastio_bytes *copies = b->nulls;
  for (size_t i = 0; i < count; i++) *b->nulls++ = (fastio_bytes){copy_text(b, texts[i]), texts[i].size};
  return copies;
}

/* ---- names ---- */

static bool is_same(fastio_bytes a, fastio_bytes b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The slot of that name, or the empty one where it belongs. */
static size_t *slot_of(const builder *b, fastio_bytes name) {
  size_t at = (size_t)fastio__hash(name.data, name.size, (uintptr_t)b->slots);
  for (;; at++) {
    size_t *slot = &b->slots[at & (b->slot_count - 1)];
    if (*slot == 0 || is_same(b->schema->fields[*slot - 1].name, name)) return slot;
  }
}

static fastio_status slots_init(builder *b, fastio_error *err) {
  size_t fields = b->schema->field_count, size;
  b->slot_count = 2;
  while (b->slot_count / 2 < fields && b->slot_count <= SIZE_MAX / 2) b->slot_count *= 2;
  if (!fastio__add(b->slot_count, fields, &size) || !fastio__multiply(size, sizeof *b->slots, &size))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  b->slots = fastio__allocate(b->schema->env, size);
  if (!b->slots) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(b->slots, 0, size);
  b->repeated = b->slots + b->slot_count;
  return FASTIO_OK;
}

static void slots_free(builder *b) {
  fastio__release(b->schema->env, b->slots, (b->slot_count + b->schema->field_count) * sizeof *b->slots);
}

/* Appends to the text that b->text starts with. */
static void append(builder *b, size_t *size, const char *text, uint64_t number) {
  size_t length = strlen(text);
  memcpy(b->text + *size, text, length);
  *size += length;
  *size += fastio_format_u64(number, 10, b->text + *size);
}

/* Makes the text at b->text a field's name. */
static void set_name(builder *b, size_t field, size_t size) {
  b->schema->fields[field].name = (fastio_bytes){b->text, size};
  b->text[size] = '\0';
  b->text += size + 1;
}

static void take_given_name(builder *b, size_t field) {
  fastio_bytes name = given_name(b, field);
  if (name.size) memcpy(b->text, name.data, name.size);
  set_name(b, field, name.size);
}

static void name_by_position(builder *b, size_t field) {
  size_t size = 0;
  append(b, &size, "column_", (uint64_t)field + 1);
  set_name(b, field, size);
}

/* "a_2", "a_3", ...: the first one that no column has. Each name goes on counting where it stopped, so that a thousand
 * columns of one name are no million tries. */
static void number_name(builder *b, size_t field) {
  fastio_bytes base = b->schema->fields[field].name;
  size_t *count = &b->repeated[*slot_of(b, base) - 1], *slot, size;
  if (base.size) memcpy(b->text, base.data, base.size);
  do {
    size = base.size;
    append(b, &size, "_", (uint64_t)(*count)++ + 2);
    slot = slot_of(b, (fastio_bytes){b->text, size});
  } while (*slot != 0);
  set_name(b, field, size);
  *slot = field + 1;
}

/* Whether the name is this field's, or can be, since no other one has it. */
static bool claim_name(builder *b, size_t field) {
  size_t *slot = slot_of(b, b->schema->fields[field].name);
  if (*slot == 0) *slot = field + 1;
  return *slot == field + 1;
}

/* The first columns of a name keep it; then those without one get one, then the others a number. */
static void repair_names(builder *b) {
  const fastio__field *fields = b->schema->fields;
  size_t count = b->schema->field_count;
  for (size_t i = 0; i < count; i++)
    if (fields[i].name.size > 0) (void)claim_name(b, i);
  for (size_t i = 0; i < count; i++) {
    if (fields[i].name.size > 0) continue;
    name_by_position(b, i);
    (void)claim_name(b, i);
  }
  for (size_t i = 0; i < count; i++)
    if (!claim_name(b, i)) number_name(b, i);
}

static fastio_status check_names(builder *b, fastio_error *err) {
  fastio_status status = b->options->names ? FASTIO_INVALID_ARGUMENT : FASTIO_BAD_HEADER;
  for (size_t i = 0; i < b->schema->field_count; i++) {
    fastio_bytes name = b->schema->fields[i].name;
    if (name.size == 0) return fail_field(err, status, no_name, i, name);
    if (!claim_name(b, i)) return fail_field(err, status, same_name, i, name);
  }
  return FASTIO_OK;
}

static fastio_status set_names(builder *b, fastio_error *err) {
  bool has_names = b->options->names || b->header;
  for (size_t i = 0; i < b->schema->field_count; i++) {
    if (has_names) take_given_name(b, i);
    else name_by_position(b, i);
  }
  if (!is_repaired(b)) return check_names(b, err);
  repair_names(b);
  return FASTIO_OK;
}

/* ---- rules ---- */

/* '*' stands for any text, '?' for one byte. After a mismatch only the last '*' needs to take one byte more. */
static bool fits_pattern(const char *pattern, fastio_bytes name) {
  const char *at = name.data, *end = at + name.size, *star = NULL, *star_at = NULL;
  while (at < end) {
    if (*pattern == '*') {
      star = ++pattern;
      star_at = at;
    } else if (*pattern != '\0' && (*pattern == '?' || *pattern == *at)) {
      pattern++;
      at++;
    } else if (star) {
      pattern = star;
      at = ++star_at;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}

/* The one field that is meant; SIZE_MAX and a failure if there is none. */
static fastio_status find_field(const builder *b, const char *name, uint64_t position, size_t *out, fastio_error *err) {
  if (name) {
    fastio_bytes text = {name, strlen(name)};
    size_t slot = *slot_of(b, text);
    if (slot == 0) return fail_field(err, FASTIO_INVALID_ARGUMENT, not_there, NO_FIELD, text);
    *out = slot - 1;
    return FASTIO_OK;
  }
  if (position >= b->schema->field_count)
    return fail_field(err, FASTIO_INVALID_ARGUMENT, not_there, position, (fastio_bytes){"", 0});
  *out = (size_t)position;
  return FASTIO_OK;
}

static void apply(const fastio_column_rule *rule, const fastio_bytes *nulls, fastio__field *field) {
  if (rule->type) field->type = rule->type;
  if (!nulls) return;
  field->nulls = nulls;
  field->null_count = rule->null_count;
}

static fastio_status apply_rule(builder *b, const fastio_column_rule *rule, fastio_error *err) {
  const fastio_bytes *nulls = rule->null_values ? copy_nulls(b, rule->null_values, rule->null_count) : NULL;
  bool every = !rule->name && rule->position == FASTIO_EVERY_COLUMN;
  fastio_status status;
  size_t field;
  if (every || rule->is_pattern) {
    for (size_t i = 0; i < b->schema->field_count; i++)
      if (every || fits_pattern(rule->name, b->schema->fields[i].name)) apply(rule, nulls, &b->schema->fields[i]);
    return FASTIO_OK;
  }
  status = find_field(b, rule->name, rule->position, &field, err);
  if (status == FASTIO_OK) apply(rule, nulls, &b->schema->fields[field]);
  return status;
}

static fastio_status apply_rules(builder *b, fastio_error *err) {
  const fastio_csv_options *options = b->options;
  const fastio_bytes *nulls = copy_nulls(b, options->null_values, options->null_count);
  fastio_status status = FASTIO_OK;
  for (size_t i = 0; i < b->schema->field_count; i++) {
    b->schema->fields[i].nulls = nulls;
    b->schema->fields[i].null_count = options->null_count;
  }
  for (size_t i = 0; status == FASTIO_OK && i < options->rule_count; i++)
    status = apply_rule(b, &options->rules[i], err);
  return status;
}

/* ---- selection ---- */

static fastio_status select_columns(builder *b, fastio_error *err) {
  fastio__schema *schema = b->schema;
  const fastio_column_ref *refs = b->options->columns;
  fastio_status status = FASTIO_OK;
  if (schema->field_count) memset(b->repeated, 0, schema->field_count * sizeof *b->repeated); /* now: wanted */
  for (size_t i = 0; status == FASTIO_OK && i < schema->column_count; i++) {
    size_t field = i;
    if (refs) status = find_field(b, refs[i].name, refs[i].position, &field, err);
    if (status == FASTIO_OK && b->repeated[field]++)
      status = fail_field(err, FASTIO_INVALID_ARGUMENT, "this column is wanted twice", field,
                          schema->fields[field].name);
    schema->columns[i] = field;
  }
  return status;
}

static fastio_status check_matrix(const builder *b, fastio_error *err) {
  const fastio__schema *schema = b->schema;
  if (!(b->options->flags & FASTIO_CSV_MATRIX)) return FASTIO_OK;
  for (size_t i = 0; i < schema->column_count; i++) {
    const fastio__field *field = &schema->fields[schema->columns[i]];
    if (!fastio__is_number(field->type) || field->type != schema->fields[schema->columns[0]].type)
      return fail_field(err, FASTIO_INVALID_ARGUMENT,
                        "a matrix needs rules that give every column the same number type", schema->columns[i],
                        field->name);
  }
  return FASTIO_OK;
}

/* ---- all of it ---- */

static fastio_status build(builder *b, fastio_error *err) {
  fastio_status status = set_names(b, err);
  if (status == FASTIO_OK) status = apply_rules(b, err);
  if (status == FASTIO_OK) status = select_columns(b, err);
  if (status == FASTIO_OK) status = check_matrix(b, err);
  return status;
}

fastio_status fastio__schema_init(fastio__schema *schema, const fastio_csv_options *options, const fastio_bytes *header,
                                  size_t field_count, fastio_error *err) {
  builder b;
  fastio_status status;
  memset(schema, 0, sizeof *schema);
  memset(&b, 0, sizeof b);
  schema->env = options->env;
  schema->field_count = options->names ? options->name_count : field_count;
  schema->column_count = options->columns ? options->column_count : schema->field_count;
  b.schema = schema;
  b.options = options;
  b.header = header;
  status = allocate(&b, err);
  if (status == FASTIO_OK) status = slots_init(&b, err);
  if (status == FASTIO_OK) {
    status = build(&b, err);
    slots_free(&b);
  }
  if (status != FASTIO_OK) fastio__schema_free(schema);
  return status;
}

void fastio__schema_free(fastio__schema *schema) {
  fastio__release(schema->env, schema->memory, schema->memory_size);
  memset(schema, 0, sizeof *schema);
}

void fastio__name_field(const fastio__schema *schema, uint64_t field, fastio_error *err) {
  err->field = field;
  if (!schema || field > schema->field_count) return;
  const fastio_bytes *name = &schema->fields[field - 1].name;
  err->field_name_size = name->size < FASTIO_ERROR_TEXT_MAX ? name->size : FASTIO_ERROR_TEXT_MAX;
  if (err->field_name_size) memcpy(err->field_name, name->data, err->field_name_size);
}
