/* Format and Locale: how values are written. And values as text: format(), concat(), what print writes. */
#include "py.h"

static const char locale_doc[] =
    "Locale(point='.', group='', grouping=None)\n--\n\n"
    "How a people writes numbers. Never taken from the process: give it to a Format.\n\n"
    "point: between integer part and fraction. group: between groups of digits of the integer part; \"\": no groups.\n"
    "grouping: sizes of the groups from the point leftwards, the last one repeats; (3, 2) is India's. None: threes.\n"
    "Immutable, hashable, can be pickled. Raises ValueError for texts of more than 7 bytes or group sizes beyond 255.";

static const char format_type_doc[] =
    "Format(notation='shortest', precision=None, *, base=10, sign='-', upper=False, prefix=False, align=None, "
    "width=0, fill=None, percent=False, keep_point=False, locale=None)\n--\n\n"
    "How values are written. fixed(), scientific(), general(), hexadecimal() and integer() make the usual ones.\n\n"
    "notation: of floats. \"shortest\": the digits that read back as the same float, laid out as by repr; \"fixed\",\n"
    "    \"scientific\", \"general\": as %f, %e and %g; \"hexadecimal\": as %a.\n"
    "precision: digits behind the point (with \"general\" significant ones); None: those of the shortest form.\n"
    "base: of integers, 2 to 36. sign: \"-\", \"+\" or \" \", what stands before numbers that are not negative.\n"
    "upper: letters in upper case. prefix: 0x, 0o or 0b before integers.\n"
    "align: \"right\", \"left\", \"center\" or \"internal\" (fill goes behind the sign) within `width` characters; "
    "None: "
    "numbers\n"
    "    right, text left. fill: an ASCII character; None: a space, with \"internal\" a zero.\n"
    "percent: a hundred times the float, and %. keep_point: \"general\" keeps its zeros and all keep the point, as #.\n"
    "locale: a Locale.\n"
    "A format can be called: fixed(2)(x) is format(x, fixed(2)). Immutable, hashable, can be pickled.\n"
    "Raises ValueError for what is out of its bounds.";

static const char *const notations[] = {
    [FASTIO_SHORTEST] = "shortest",       [FASTIO_FIXED] = "fixed",
    [FASTIO_SCIENTIFIC] = "scientific",   [FASTIO_GENERAL] = "general",
    [FASTIO_HEXADECIMAL] = "hexadecimal",
};
static const char *const alignments[] = {"right", "left", "center", "internal"};
static const unsigned alignment_flags[] = {FASTIO_FORMAT_RIGHT, FASTIO_FORMAT_LEFT, FASTIO_FORMAT_CENTER,
                                           FASTIO_FORMAT_INTERNAL};
static const char *const signs[] = {"-", "+", " "};
static const unsigned sign_flags[] = {0, FASTIO_FORMAT_PLUS, FASTIO_FORMAT_BLANK};

/* ---- Locale ------------------------------------------------------------------------------------------------------ */

typedef struct Locale {
  PyObject_HEAD fastio_locale locale;
} Locale;

static int short_text(PyObject *text, const char *name, char out[8]) {
  Py_ssize_t size;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == NULL) return -1;
  if (size > 7 || strlen(data) != (size_t)size) {
    PyErr_Format(PyExc_ValueError, "%s must have at most 7 bytes and no NUL, not %R", name, text);
    return -1;
  }
  memcpy(out, data, (size_t)size);
  return 0;
}

static int group_sizes(PyObject *sizes, unsigned char out[4]) {
  PyObject *tuple = PySequence_Tuple(sizes);
  if (tuple == NULL) return -1;
  Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  int failed = count < 1 || count > 4;
  for (Py_ssize_t i = 0; i < count && !failed; ++i) {
    long size = PyLong_AsLong(PyTuple_GET_ITEM(tuple, i));
    if (size == -1 && PyErr_Occurred()) failed = 1;
    else if (size < 1 || size > 255) failed = 1;
    else out[i] = (unsigned char)size;
  }
  Py_DECREF(tuple);
  if (failed && !PyErr_Occurred()) {
    PyErr_Format(PyExc_ValueError, "grouping must be one to four sizes of 1 to 255, not %R", sizes);
  }
  return failed ? -1 : 0;
}

static PyObject *locale_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"point", "group", "grouping", NULL};
  PyObject *point = NULL, *group = NULL, *grouping = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|UUO:Locale", names, &point, &group, &grouping)) return NULL;
  if (grouping == Py_None) grouping = NULL;
  Locale *self = (Locale *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->locale = (fastio_locale){".", "", {3}};
  if (point != NULL) memset(self->locale.point, 0, sizeof self->locale.point);
  if (grouping != NULL) memset(self->locale.grouping, 0, sizeof self->locale.grouping);
  if ((point != NULL && short_text(point, "point", self->locale.point) < 0) ||
      (group != NULL && short_text(group, "group", self->locale.group) < 0) ||
      (grouping != NULL && group_sizes(grouping, self->locale.grouping) < 0))
    Py_CLEAR(self);
  if (self != NULL && self->locale.point[0] == '\0') {
    PyErr_SetString(PyExc_ValueError, "point must not be empty");
    Py_CLEAR(self);
  }
  return (PyObject *)self;
}

static void plain_dealloc(PyObject *op) {
  PyTypeObject *type = Py_TYPE(op);
  type->tp_free(op);
  Py_DECREF(type);
}

static PyObject *get_point(PyObject *op, void *Py_UNUSED(closure)) {
  return PyUnicode_FromString(((Locale *)op)->locale.point);
}

static PyObject *get_group(PyObject *op, void *Py_UNUSED(closure)) {
  return PyUnicode_FromString(((Locale *)op)->locale.group);
}

static PyObject *get_grouping(PyObject *op, void *Py_UNUSED(closure)) {
  const unsigned char *sizes = ((Locale *)op)->locale.grouping;
  Py_ssize_t count = 0;
  while (count < 4 && sizes[count] != 0) ++count;
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple != NULL && i < count; ++i) {
    PyObject *size = PyLong_FromLong(sizes[i]);
    if (size == NULL) Py_CLEAR(tuple);
    else PyTuple_SET_ITEM(tuple, i, size);
  }
  return tuple;
}

/* (point, group, grouping), which makes the same one again, and tells equal ones. */
static PyObject *locale_words(PyObject *op) {
  return Py_BuildValue("(NNN)", get_point(op, NULL), get_group(op, NULL), get_grouping(op, NULL));
}

static PyObject *locale_repr(PyObject *op) {
  PyObject *words = locale_words(op);
  PyObject *text = words == NULL ? NULL : PyUnicode_FromFormat("fastio.Locale%R", words);
  Py_XDECREF(words);
  return text;
}

static PyObject *locale_reduce(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return Py_BuildValue("(ON)", Py_TYPE(op), locale_words(op));
}

/* Two values of one type are equal, and hash alike, as their words do. */
static PyObject *compare_words(PyObject *op, PyObject *other, int operation, PyObject *(*words)(PyObject *)) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(op) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
  PyObject *left = words(op), *right = left == NULL ? NULL : words(other);
  PyObject *result = right == NULL ? NULL : PyObject_RichCompare(left, right, operation);
  Py_XDECREF(left);
  Py_XDECREF(right);
  return result;
}

static Py_hash_t hash_words(PyObject *op, PyObject *(*words)(PyObject *)) {
  PyObject *all = words(op);
  Py_hash_t hash = all == NULL ? -1 : PyObject_Hash(all);
  Py_XDECREF(all);
  return hash;
}

static PyObject *locale_compare(PyObject *op, PyObject *other, int operation) {
  return compare_words(op, other, operation, locale_words);
}
static Py_hash_t locale_hash(PyObject *op) { return hash_words(op, locale_words); }

static PyMethodDef locale_methods[] = {
    {"__reduce__", locale_reduce, METH_NOARGS, PyDoc_STR("__reduce__($self, /)\n--\n\nPickling.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef locale_getset[] = {
    {"point", get_point, NULL, PyDoc_STR("Between integer part and fraction."), NULL},
    {"group", get_group, NULL, PyDoc_STR("Between groups of digits."), NULL},
    {"grouping", get_grouping, NULL, PyDoc_STR("Sizes of the groups from the point leftwards, as a tuple."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot locale_slots[] = {
    {Py_tp_doc, (void *)locale_doc}, {Py_tp_new, locale_new},       {Py_tp_dealloc, plain_dealloc},
    {Py_tp_repr, locale_repr},       {Py_tp_hash, locale_hash},     {Py_tp_richcompare, locale_compare},
    {Py_tp_methods, locale_methods}, {Py_tp_getset, locale_getset}, {0, NULL},
};

PyType_Spec locale_spec = {
    .name = "fastio.Locale",
    .basicsize = sizeof(Locale),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = locale_slots,
};

/* ---- Format: construction ---------------------------------------------------------------------------------------- */

typedef struct Format {
  PyObject_HEAD fastio_format format; /* points into the locale */
  PyObject *locale;                   /* a Locale or NULL */
} Format;

static int set_precision(fastio_format *format, PyObject *precision) {
  uint64_t digits;
  format->precision = FASTIO_AS_NEEDED;
  if (precision == NULL || precision == Py_None) return 0;
  if (int_from_object(precision, "precision", 0, &digits) < 0) return -1;
  if (format->notation == FASTIO_SHORTEST || digits > FASTIO_PRECISION_MAX) {
    PyErr_Format(PyExc_ValueError,
                 format->notation == FASTIO_SHORTEST ? "\"shortest\" has no precision: give a notation"
                                                     : "precision must be at most %d",
                 FASTIO_PRECISION_MAX);
    return -1;
  }
  format->precision = (int)digits;
  return 0;
}

static int set_width(fastio_format *format, PyObject *width) {
  uint64_t characters;
  if (width == NULL) return 0;
  if (int_from_object(width, "width", 0, &characters) < 0) return -1;
  if (characters > FASTIO_WIDTH_MAX) {
    PyErr_Format(PyExc_ValueError, "width must be at most %d, not %R", FASTIO_WIDTH_MAX, width);
    return -1;
  }
  format->width = (unsigned)characters;
  return 0;
}

static int set_fill(fastio_format *format, PyObject *fill) {
  int byte;
  if (fill == NULL || fill == Py_None) return 0;
  if (byte_from_object(fill, "fill", &byte) < 0) return -1;
  if (byte == 0) return PyErr_SetString(PyExc_ValueError, "fill must not be NUL"), -1;
  format->fill = (char)byte;
  return 0;
}

static int set_base(fastio_format *format, PyObject *base) {
  uint64_t value;
  if (base == NULL) return 0;
  if (int_from_object(base, "base", 2, &value) < 0) return -1;
  if (value > 36) {
    PyErr_Format(PyExc_ValueError, "base must be 2 to 36, not %R", base);
    return -1;
  }
  format->base = (int)value;
  return 0;
}

static int set_locale(State *state, Format *self, PyObject *locale) {
  if (locale == NULL || locale == Py_None) return 0;
  if (Py_TYPE(locale) != state->Locale) {
    PyErr_Format(PyExc_TypeError, "locale must be a fastio.Locale, not %.100s", Py_TYPE(locale)->tp_name);
    return -1;
  }
  self->locale = Py_NewRef(locale);
  self->format.locale = &((Locale *)locale)->locale;
  return 0;
}

static int set_words(State *state, Format *self, PyObject *const words[7]) {
  fastio_format *format = &self->format;
  int notation = words[0] == NULL ? FASTIO_SHORTEST : choice(words[0], "notation", notations, 5);
  int sign = words[3] == NULL ? 0 : choice(words[3], "sign", signs, 3);
  int has_align = words[4] != NULL && words[4] != Py_None;
  int align = has_align ? choice(words[4], "align", alignments, 4) : 0;
  if (notation < 0 || sign < 0 || align < 0) return -1;
  format->notation = notation;
  format->flags |= sign_flags[sign] | (has_align ? alignment_flags[align] : 0u);
  return set_precision(format, words[1]) < 0 || set_base(format, words[2]) < 0 || set_width(format, words[5]) < 0 ||
                 set_fill(format, words[6]) < 0 || set_locale(state, self, words[7]) < 0
             ? -1
             : 0;
}

static PyObject *format_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"notation", "precision", "base",    "sign",       "upper",  "prefix", "align",
                          "width",    "fill",      "percent", "keep_point", "locale", NULL};
  PyObject *words[8] = {NULL}; /* notation, precision, base, sign, align, width, fill, locale */
  int upper = 0, prefix = 0, percent = 0, keep_point = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO$OOppOOOppO:Format", names, &words[0], &words[1], &words[2],
                                   &words[3], &upper, &prefix, &words[4], &words[5], &words[6], &percent, &keep_point,
                                   &words[7]))
    return NULL;
  State *state = (State *)PyType_GetModuleState(type);
  Format *self = (Format *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->format.flags = (upper ? FASTIO_FORMAT_UPPER : 0u) | (prefix ? FASTIO_FORMAT_PREFIX : 0u) |
                       (percent ? FASTIO_FORMAT_PERCENT : 0u) | (keep_point ? FASTIO_FORMAT_KEEP_POINT : 0u);
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = FASTIO_OK;
  if (set_words(state, self, words) < 0 || (status = fastio_format_check(&self->format, &err)) != FASTIO_OK) {
    if (status != FASTIO_OK) raise_error(state, status, &err, NULL);
    Py_CLEAR(self);
  }
  return (PyObject *)self;
}

static void format_dealloc(PyObject *op) {
  Py_XDECREF(((Format *)op)->locale);
  plain_dealloc(op);
}

/* ---- Format: what it says ---------------------------------------------------------------------------------------- */

static const fastio_format *core(PyObject *op) { return &((Format *)op)->format; }

static PyObject *get_notation(PyObject *op, void *Py_UNUSED(closure)) {
  return PyUnicode_FromString(notations[core(op)->notation]);
}

static PyObject *get_precision(PyObject *op, void *Py_UNUSED(closure)) {
  if (core(op)->precision == FASTIO_AS_NEEDED) Py_RETURN_NONE;
  return PyLong_FromLong(core(op)->precision);
}

static PyObject *get_base(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromLong(core(op)->base == 0 ? 10 : core(op)->base);
}

static PyObject *get_sign(PyObject *op, void *Py_UNUSED(closure)) {
  unsigned flags = core(op)->flags;
  return PyUnicode_FromString(flags & FASTIO_FORMAT_PLUS ? "+" : flags & FASTIO_FORMAT_BLANK ? " " : "-");
}

static PyObject *get_align(PyObject *op, void *Py_UNUSED(closure)) {
  for (int i = 0; i < 4; ++i) {
    if ((core(op)->flags & alignment_flags[i]) != 0) return PyUnicode_FromString(alignments[i]);
  }
  Py_RETURN_NONE;
}

static PyObject *get_width(PyObject *op, void *Py_UNUSED(closure)) { return PyLong_FromUnsignedLong(core(op)->width); }

static PyObject *get_fill(PyObject *op, void *Py_UNUSED(closure)) {
  if (core(op)->fill == 0) Py_RETURN_NONE;
  return PyUnicode_FromStringAndSize(&core(op)->fill, 1);
}

static PyObject *get_flag(PyObject *op, void *closure) {
  return PyBool_FromLong((core(op)->flags & (unsigned)(uintptr_t)closure) != 0);
}

static PyObject *get_locale(PyObject *op, void *Py_UNUSED(closure)) {
  PyObject *locale = ((Format *)op)->locale;
  return Py_NewRef(locale != NULL ? locale : Py_None);
}

static PyGetSetDef format_getset[] = {
    {"notation", get_notation, NULL, PyDoc_STR("Of floats: \"shortest\", \"fixed\", ..."), NULL},
    {"precision", get_precision, NULL, PyDoc_STR("How many digits; None: those of the shortest form."), NULL},
    {"base", get_base, NULL, PyDoc_STR("Of integers."), NULL},
    {"sign", get_sign, NULL, PyDoc_STR("Before numbers that are not negative: \"-\" (nothing), \"+\" or \" \"."), NULL},
    {"upper", get_flag, NULL, PyDoc_STR("Whether letters are in upper case."), (void *)FASTIO_FORMAT_UPPER},
    {"prefix", get_flag, NULL, PyDoc_STR("Whether 0x, 0o or 0b is before integers."), (void *)FASTIO_FORMAT_PREFIX},
    {"align", get_align, NULL, PyDoc_STR("\"right\", \"left\", \"center\", \"internal\", or None."), NULL},
    {"width", get_width, NULL, PyDoc_STR("At least so many characters."), NULL},
    {"fill", get_fill, NULL, PyDoc_STR("What fills them up; None: a space, with \"internal\" a zero."), NULL},
    {"percent", get_flag, NULL, PyDoc_STR("Whether floats are percentages."), (void *)FASTIO_FORMAT_PERCENT},
    {"keep_point", get_flag, NULL, PyDoc_STR("Whether zeros and point are kept."), (void *)FASTIO_FORMAT_KEEP_POINT},
    {"locale", get_locale, NULL, PyDoc_STR("The Locale, or None."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* The words that differ from the defaults, as a dict. */
static PyObject *format_words(PyObject *op) {
  static const struct { const char *name, *standard; } defaults[] = {{"notation", "shortest"}, {"sign", "-"}};
  PyObject *words = PyDict_New();
  for (PyGetSetDef *get = format_getset; words != NULL && get->name != NULL; ++get) {
    PyObject *value = get->get(op, get->closure);
    int differs = value != NULL && value != Py_None && value != Py_False;
    for (size_t i = 0; differs && i < Py_ARRAY_LENGTH(defaults); ++i) {
      if (strcmp(get->name, defaults[i].name) == 0)
        differs = PyUnicode_CompareWithASCIIString(value, defaults[i].standard) != 0;
    }
    if (differs && strcmp(get->name, "base") == 0) differs = PyLong_AsLong(value) != 10;
    if (differs && strcmp(get->name, "width") == 0) differs = PyLong_AsLong(value) != 0;
    if (value == NULL || (differs && PyDict_SetItemString(words, get->name, value) < 0)) Py_CLEAR(words);
    Py_XDECREF(value);
  }
  return words;
}

/* 'fastio.Format("fixed", 3, width=8)' */
static PyObject *format_repr(PyObject *op) {
  PyObject *words = format_words(op), *key, *value;
  PyObject *text = words == NULL ? NULL : PyUnicode_FromString("fastio.Format(");
  Py_ssize_t place = 0;
  int count = 0;
  while (text != NULL && PyDict_Next(words, &place, &key, &value)) {
    int is_positional = PyUnicode_CompareWithASCIIString(key, "notation") == 0 ||
                        PyUnicode_CompareWithASCIIString(key, "precision") == 0;
    const char *comma = count++ > 0 ? ", " : "";
    PyUnicode_AppendAndDel(&text, is_positional ? PyUnicode_FromFormat("%s%R", comma, value)
                                                : PyUnicode_FromFormat("%s%U=%R", comma, key, value));
  }
  if (text != NULL) PyUnicode_AppendAndDel(&text, PyUnicode_FromString(")"));
  Py_XDECREF(words);
  return text;
}

/* A tuple of all words, to compare and to hash. */
static PyObject *format_tuple(PyObject *op) {
  PyObject *words = format_words(op), *items = words == NULL ? NULL : PyDict_Items(words);
  PyObject *tuple = items == NULL ? NULL : PyList_AsTuple(items); /* in the order of the getters, always */
  Py_XDECREF(words);
  Py_XDECREF(items);
  return tuple;
}

static PyObject *format_compare(PyObject *op, PyObject *other, int operation) {
  return compare_words(op, other, operation, format_tuple);
}
static Py_hash_t format_hash(PyObject *op) { return hash_words(op, format_tuple); }

PyObject *rebuild_format(PyObject *module, PyObject *words) {
  PyObject *none = PyTuple_New(0);
  PyObject *format = none == NULL ? NULL : PyObject_Call((PyObject *)state_of(module)->Format, none, words);
  Py_XDECREF(none);
  return format;
}

static PyObject *format_reduce(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return Py_BuildValue("(O(N))", state_of_self(op)->rebuild_format, format_words(op));
}

static PyObject *format_call(PyObject *op, PyObject *args, PyObject *kwargs) {
  PyObject *value;
  if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
    return PyErr_Format(PyExc_TypeError, "a Format takes one value and no keywords");
  }
  if (!PyArg_UnpackTuple(args, "a Format", 1, 1, &value)) return NULL;
  return format_value(state_of_self(op), value, core(op));
}

static PyMethodDef format_methods[] = {
    {"__reduce__", format_reduce, METH_NOARGS, PyDoc_STR("__reduce__($self, /)\n--\n\nPickling.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot format_slots[] = {
    {Py_tp_doc, (void *)format_type_doc},
    {Py_tp_new, format_new},
    {Py_tp_dealloc, format_dealloc},
    {Py_tp_repr, format_repr},
    {Py_tp_call, format_call},
    {Py_tp_hash, format_hash},
    {Py_tp_richcompare, format_compare},
    {Py_tp_methods, format_methods},
    {Py_tp_getset, format_getset},
    {0, NULL},
};

PyType_Spec format_spec = {
    .name = "fastio.Format",
    .basicsize = sizeof(Format),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = format_slots,
};

int format_from_object(State *state, PyObject *object, fastio_format *out) {
  *out = (fastio_format)FASTIO_FORMAT_INIT;
  if (object == NULL || object == Py_None) return 0;
  if (Py_TYPE(object) == state->Format) {
    *out = *core(object);
    return 1;
  }
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "format must be a fastio.Format, \"shortest\" or \"hexadecimal\", not %.100s",
                 Py_TYPE(object)->tp_name);
    return -1;
  }
  int notation = choice(object, "format", notations, 5);
  if (notation < 0) return -1;
  out->notation = notation;
  out->precision = FASTIO_AS_NEEDED;
  return notation != FASTIO_SHORTEST;
}

/* ---- Text: bytes that grow --------------------------------------------------------------------------------------- */

void text_init(Text *text) {
  text->data = text->small;
  text->size = 0;
  text->room = sizeof text->small;
}

void text_clear(Text *text) {
  if (text->data != text->small) PyMem_Free(text->data);
  text_init(text);
}

char *text_reserve(Text *text, size_t size) {
  if (text->room - text->size >= size) return text->data + text->size;
  size_t room = text->room < PY_SSIZE_T_MAX / 2 ? 2 * text->room : text->room;
  if (size > PY_SSIZE_T_MAX - text->size) return (char *)PyErr_NoMemory();
  room = MAX(room, text->size + size);
  char *grown = PyMem_Realloc(text->data == text->small ? NULL : text->data, room);
  if (grown == NULL) return (char *)PyErr_NoMemory();
  if (text->data == text->small) memcpy(grown, text->small, text->size);
  text->data = grown;
  text->room = room;
  return grown + text->size;
}

int text_append(Text *text, const void *data, size_t size) {
  char *end = text_reserve(text, size);
  if (end == NULL) return -1;
  memcpy(end, data, size);
  text->size += size;
  return 0;
}

int text_append_str(Text *text, PyObject *string) {
  if (PyUnicode_IS_COMPACT_ASCII(string)) {
    return text_append(text, PyUnicode_DATA(string), (size_t)PyUnicode_GET_LENGTH(string));
  }
  PyObject *bytes = PyUnicode_AsUTF8String(string);
  if (bytes == NULL) return -1;
  int result = text_append(text, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
  Py_DECREF(bytes);
  return result;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The type of an own class's method, or NULL without an exception. */
static PyObject *print_method(PyObject *value) {
  PyObject *method = get_attribute((PyObject *)Py_TYPE(value), "__fastio_print__");
  if (method == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return method;
}

/* What the value prints of itself, into a writer of its own, so that a record stays one write. */
static int append_own(State *state, Text *text, PyObject *method, PyObject *value) {
  PyObject *writer = writer_memory(state);
  PyObject *result = writer == NULL ? NULL : PyObject_CallFunctionObjArgs(method, value, writer, NULL);
  int failed = result == NULL || writer_append_to(writer, text) < 0;
  Py_XDECREF(result);
  Py_XDECREF(writer);
  return failed ? -1 : 0;
}

static int append_other(State *state, Text *text, PyObject *value) {
  PyObject *method = print_method(value);
  if (method == NULL && PyErr_Occurred()) return -1;
  if (method != NULL) {
    int result = append_own(state, text, method, value);
    Py_DECREF(method);
    return result;
  }
  PyObject *string = PyObject_Str(value);
  if (string == NULL) return -1;
  int result = text_append_str(text, string);
  Py_DECREF(string);
  return result;
}

int text_append_value(State *state, Text *text, PyObject *value) {
  if (PyUnicode_CheckExact(value)) return text_append_str(text, value);
  if (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value)) return append_other(state, text, value);
  char *end = text_reserve(text, FASTIO_FORMAT_MAX);
  if (end == NULL) return -1;
  if (PyFloat_CheckExact(value)) {
    text->size += fastio_format_f64(PyFloat_AS_DOUBLE(value), end);
    return 0;
  }
  int overflow;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return append_other(state, text, value);
  text->size += fastio_format_i64(number, 10, end);
  return 0;
}

/* ---- values in a format ------------------------------------------------------------------------------------------ */

static int int_of(PyObject *value, Number *out) {
  int overflow;
  out->type = FASTIO_INT64;
  out->value.i = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) return 0;
  if (overflow > 0) {
    out->type = FASTIO_UINT64;
    out->value.u = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) return 0;
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return -1;
    PyErr_Clear();
  }
  PyErr_SetString(PyExc_OverflowError, "an int of more than 64 bits");
  return -1;
}

/* A NumPy scalar is a buffer without dimensions: 1 for a number, 0 for anything else, -1 for no scalar. Its dates are
 * bytes, and float() would make numbers of some: only what is an index is asked further. */
static int scalar_of(PyObject *value, Number *out) {
  Py_buffer view;
  int other = PyIndex_Check(value) ? -1 : 0;
  if (!PyObject_CheckBuffer(value)) return -1;
  if (PyObject_GetBuffer(value, &view, PyBUF_FORMAT | PyBUF_ND) < 0) {
    PyErr_Clear();
    return other;
  }
  int kind = view.ndim != 0 ? other : number_of_buffer(&view, out);
  PyBuffer_Release(&view);
  return kind;
}

static int number_by_protocol(PyObject *value, Number *out) {
  PyNumberMethods *methods = Py_TYPE(value)->tp_as_number;
  if (PyIndex_Check(value)) {
    PyObject *number = PyNumber_Index(value);
    int result = number == NULL ? -1 : int_of(number, out);
    Py_XDECREF(number);
    return result < 0 ? -1 : 1;
  }
  if (methods == NULL || methods->nb_float == NULL) return 0;
  out->type = FASTIO_FLOAT64;
  out->value.f = PyFloat_AsDouble(value);
  return out->value.f == -1.0 && PyErr_Occurred() ? -1 : 1;
}

int number_from_object(PyObject *value, Number *out) {
  if (PyBool_Check(value) || PyUnicode_Check(value)) return 0;
  if (PyLong_Check(value)) return int_of(value, out) < 0 ? -1 : 1;
  if (PyFloat_Check(value)) {
    out->type = FASTIO_FLOAT64;
    out->value.f = PyFloat_AS_DOUBLE(value);
    return 1;
  }
  int kind = scalar_of(value, out);
  return kind >= 0 ? kind : number_by_protocol(value, out);
}

static size_t number_in_format(const Number *number, const fastio_format *format, char *out, size_t room) {
  switch (number->type) {
    case FASTIO_INT64: return fastio_format_i64_as(number->value.i, format, out, room);
    case FASTIO_UINT64: return fastio_format_u64_as(number->value.u, format, out, room);
    case FASTIO_FLOAT32: return fastio_format_f32_as((float)number->value.f, format, out, room);
    default: return fastio_format_f64_as(number->value.f, format, out, room);
  }
}

static int append_number(Text *text, const Number *number, const fastio_format *format) {
  size_t size = number_in_format(number, format, text->data + text->size, text->room - text->size);
  if (size > text->room - text->size) {
    char *end = text_reserve(text, size);
    if (end == NULL) return -1;
    size = number_in_format(number, format, end, size);
  }
  text->size += size;
  return 0;
}

/* Of what is no number only the width counts. */
static int append_padded(State *state, Text *text, PyObject *value, const fastio_format *format) {
  Text plain;
  text_init(&plain);
  int failed = text_append_value(state, &plain, value) < 0;
  if (!failed) {
    size_t size = fastio_format_text_as(plain.data, plain.size, format, NULL, 0);
    char *end = text_reserve(text, size);
    failed = end == NULL;
    if (!failed) text->size += fastio_format_text_as(plain.data, plain.size, format, end, size);
  }
  text_clear(&plain);
  return failed ? -1 : 0;
}

int text_append_formatted(State *state, Text *text, PyObject *value, const fastio_format *format) {
  Number number;
  int kind = number_from_object(value, &number);
  if (kind < 0) return -1;
  return kind == 0 ? append_padded(state, text, value, format) : append_number(text, &number, format);
}

PyObject *format_value(State *state, PyObject *value, const fastio_format *format) {
  Text text;
  text_init(&text);
  int failed = format == NULL ? text_append_value(state, &text, value) < 0
                              : text_append_formatted(state, &text, value, format) < 0;
  PyObject *result = failed ? NULL : new_str(text.data, (Py_ssize_t)text.size);
  text_clear(&text);
  return result;
}

/* ---- the functions ----------------------------------------------------------------------------------------------- */

int value_and_format(State *state, const char *name, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                     PyObject **value, fastio_format *format) {
  Py_ssize_t named = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
  if (nargs < 1 || nargs + named > 2) {
    PyErr_Format(PyExc_TypeError, "%s() takes a value and a format (%zd arguments given)", name, nargs + named);
    return -1;
  }
  if (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "format") != 0) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, PyTuple_GET_ITEM(kwnames, 0));
    return -1;
  }
  *value = args[0];
  return format_from_object(state, nargs + named == 2 ? args[1] : NULL, format);
}

const char format_doc[] =
    "format($module, value, /, format=None)\n--\n\n"
    "The value as a str.\n\n"
    "Without a format: what print() writes, str(value), or of an own type what its __fastio_print__(writer) writes.\n"
    "With one: ints up to 64 bits and floats in it (other numbers through __index__ or float()), anything else as "
    "without,\n"
    "within its width.\n"
    "Raises OverflowError for larger ints.";

PyObject *format_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  State *state = state_of(module);
  fastio_format format;
  PyObject *value;
  int given = value_and_format(state, "format", args, nargs, kwnames, &value, &format);
  return given < 0 ? NULL : format_value(state, value, given ? &format : NULL);
}

const char concat_doc[] = "concat($module, /, *values)\n--\n\n"
                          "The values as one str, each as format(value) gives it, with nothing between them.";

PyObject *concat_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  State *state = state_of(module);
  Text text;
  int failed = 0;
  text_init(&text);
  for (Py_ssize_t i = 0; i < nargs && !failed; ++i) failed = text_append_value(state, &text, args[i]) < 0;
  PyObject *result = failed ? NULL : new_str(text.data, (Py_ssize_t)text.size);
  text_clear(&text);
  return result;
}
