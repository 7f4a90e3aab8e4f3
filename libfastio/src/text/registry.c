/* The encodings by name: those of this library, then those that iconv is known to have under a usual name. */
#include "encoding.h"

#define BAD(title) "bytes are not valid " title "; errors=\"replace\" or \"skip\" goes on"
#define LACKS(title) title " has no such character; errors=\"replace\" or \"skip\" goes on"

static const fastio__encoding utf16le, utf16be, utf32le, utf32be, utf8;
static const fastio__mark marks8[2] = {{&utf8, 3, {0xEF, 0xBB, 0xBF}}};
static const fastio__mark marks16[2] = {{&utf16le, 2, {0xFF, 0xFE}}, {&utf16be, 2, {0xFE, 0xFF}}};
static const fastio__mark marks32[2] = {{&utf32le, 4, {0xFF, 0xFE, 0, 0}}, {&utf32be, 4, {0, 0, 0xFE, 0xFF}}};

static const fastio__encoding utf8 = {
    "UTF-8",
    "u8|utf|cp65001",
    fastio__decode_utf8,
    fastio__encode_utf8,
    fastio__size_utf8,
    BAD("UTF-8"),
    NULL,
    marks8,
    false,
    true,
    true,
};
static const fastio__encoding utf8_sig = {
    "UTF-8-SIG",
    "utf8bom",
    fastio__decode_utf8,
    fastio__encode_utf8,
    fastio__size_utf8,
    BAD("UTF-8"),
    NULL,
    marks8,
    true,
    true,
    true,
};
static const fastio__encoding utf16 = {
    "UTF-16",
    "u16",
    fastio__decode_utf16le,
    fastio__encode_utf16le,
    fastio__utf16_size,
    BAD("UTF-16"),
    NULL,
    marks16,
    true,
    false,
    true,
};
static const fastio__encoding utf16le = {
    "UTF-16LE",
    "",
    fastio__decode_utf16le,
    fastio__encode_utf16le,
    fastio__utf16_size,
    BAD("UTF-16LE"),
    NULL,
    NULL,
    false,
    false,
    true,
};
static const fastio__encoding utf16be = {
    "UTF-16BE",
    "",
    fastio__decode_utf16be,
    fastio__encode_utf16be,
    fastio__utf16_size,
    BAD("UTF-16BE"),
    NULL,
    NULL,
    false,
    false,
    true,
};
static const fastio__encoding utf32 = {
    "UTF-32",
    "u32",
    fastio__decode_utf32le,
    fastio__encode_utf32le,
    fastio__size_utf32,
    BAD("UTF-32"),
    NULL,
    marks32,
    true,
    false,
    false,
};
static const fastio__encoding utf32le = {
    "UTF-32LE",
    "",
    fastio__decode_utf32le,
    fastio__encode_utf32le,
    fastio__size_utf32,
    BAD("UTF-32LE"),
    NULL,
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding utf32be = {
    "UTF-32BE",
    "",
    fastio__decode_utf32be,
    fastio__encode_utf32be,
    fastio__size_utf32,
    BAD("UTF-32BE"),
    NULL,
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding ascii = {
    "ASCII",
    "usascii|us|646|ansix3.41968|ansix3.41986|iso646us|iso646.irv:1991|isoir6|cp367|ibm367|csascii",
    fastio__decode_ascii,
    fastio__encode_ascii,
    fastio__size_single,
    BAD("ASCII"),
    LACKS("ASCII"),
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding latin1 = {
    "ISO-8859-1",
    "latin1|latin|l1|iso8859|8859|iso88591:1987|isoir100|cp819|ibm819|csisolatin1",
    fastio__decode_latin1,
    fastio__encode_latin1,
    fastio__size_single,
    BAD("ISO-8859-1"),
    LACKS("ISO-8859-1"),
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding windows1252 = {
    "Windows-1252",
    "cp1252|1252|xcp1252|cswindows1252|ansi",
    fastio__decode_1252,
    fastio__encode_1252,
    fastio__size_single,
    BAD("Windows-1252"),
    LACKS("Windows-1252"),
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding gb18030 = {
    "GB18030",
    "gb180302000|gb180302005|cp54936|csgb18030",
    fastio__decode_gb18030,
    fastio__encode_gb18030,
    fastio__size_gb18030,
    BAD("GB18030"),
    NULL,
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding utf_ebcdic = {
    "UTF-EBCDIC",
    "utfe",
    fastio__decode_utf_ebcdic,
    fastio__encode_utf_ebcdic,
    fastio__size_utf_ebcdic,
    BAD("UTF-EBCDIC"),
    NULL,
    NULL,
    false,
    false,
    false,
};
static const fastio__encoding *const own[] = {
    &utf8,    &utf8_sig, &utf16,  &utf16le,     &utf16be, &utf32,      &utf32le,
    &utf32be, &ascii,    &latin1, &windows1252, &gb18030, &utf_ebcdic,
};

#define SYSTEM(title, aliases)                                                                                        \
  {                                                                                                                   \
    title, aliases, fastio__decode_system, fastio__encode_system, NULL, BAD(title), LACKS(title), NULL, false, false, \
        false                                                                                                         \
  }
static const fastio__encoding systems[] = {
    SYSTEM("ISO-8859-2", "latin2|l2|csisolatin2"),
    SYSTEM("ISO-8859-3", "latin3|l3|csisolatin3"),
    SYSTEM("ISO-8859-4", "latin4|l4|csisolatin4"),
    SYSTEM("ISO-8859-5", "cyrillic|csisolatincyrillic"),
    SYSTEM("ISO-8859-6", "arabic|csisolatinarabic"),
    SYSTEM("ISO-8859-7", "greek|greek8|csisolatingreek"),
    SYSTEM("ISO-8859-8", "hebrew|csisolatinhebrew"),
    SYSTEM("ISO-8859-9", "latin5|l5|csisolatin5"),
    SYSTEM("ISO-8859-10", "latin6|l6|csisolatin6"),
    SYSTEM("ISO-8859-11", ""),
    SYSTEM("ISO-8859-13", "latin7|l7"),
    SYSTEM("ISO-8859-14", "latin8|l8"),
    SYSTEM("ISO-8859-15", "latin9|l9"),
    SYSTEM("ISO-8859-16", "latin10|l10"),
    SYSTEM("CP1250", "windows1250"),
    SYSTEM("CP1251", "windows1251"),
    SYSTEM("CP1253", "windows1253"),
    SYSTEM("CP1254", "windows1254"),
    SYSTEM("CP1255", "windows1255"),
    SYSTEM("CP1256", "windows1256"),
    SYSTEM("CP1257", "windows1257"),
    SYSTEM("CP1258", "windows1258"),
    SYSTEM("CP437", "ibm437|437|cspc8codepage437"),
    SYSTEM("CP850", "ibm850|850|cspc850multilingual"),
    SYSTEM("CP852", "ibm852|852"),
    SYSTEM("CP855", "ibm855|855"),
    SYSTEM("CP857", "ibm857|857"),
    SYSTEM("CP860", "ibm860|860"),
    SYSTEM("CP861", "ibm861|861"),
    SYSTEM("CP862", "ibm862|862"),
    SYSTEM("CP863", "ibm863|863"),
    SYSTEM("CP865", "ibm865|865"),
    SYSTEM("CP866", "ibm866|866"),
    SYSTEM("CP869", "ibm869|869"),
    SYSTEM("CP874", "windows874"),
    SYSTEM("CP932", "windows31j|ms932|mskanji|cswindows31j"),
    SYSTEM("CP949", "uhc|ms949"),
    SYSTEM("CP950", "ms950"),
    SYSTEM("KOI8-R", "cskoi8r"),
    SYSTEM("KOI8-U", ""),
    SYSTEM("KOI8-T", ""),
    SYSTEM("MACINTOSH", "mac|macroman"),
    SYSTEM("TIS-620", "tis6200"),
    SYSTEM("SHIFT_JIS", "sjis|csshiftjis"),
    SYSTEM("EUC-JP", "ujis"),
    SYSTEM("ISO-2022-JP", "csiso2022jp|jis"),
    SYSTEM("ISO-2022-JP-2", "csiso2022jp2"),
    SYSTEM("EUC-KR", "cseuckr|korean"),
    SYSTEM("ISO-2022-KR", "csiso2022kr"),
    SYSTEM("JOHAB", "cp1361|ms1361"),
    SYSTEM("BIG5", "big5tw|csbig5"),
    SYSTEM("BIG5-HKSCS", ""),
    SYSTEM("GBK", "cp936|ms936|windows936"),
    SYSTEM("GB2312", "euccn|gb23121980|csgb2312"),
    SYSTEM("EUC-TW", ""),
    SYSTEM("ISO-2022-CN", "csiso2022cn"),
    SYSTEM("UTF-7", "u7|csutf7"),
    SYSTEM("IBM037", "cp037|37|ebcdiccpus"),
    SYSTEM("IBM500", "cp500|500"),
    SYSTEM("IBM1047", "cp1047|1047"),
    SYSTEM("IBM1140", "cp1140|1140"),
};
const fastio__encoding fastio__encoding_unlisted = SYSTEM("the encoding", "");

static char plain(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static bool is_joint(char c) { return c == '-' || c == '_' || c == ' '; }

/* Whether `name` is the first of `names`, which '|' divides, but for case and joints. */
static bool is_same(const char *name, const char *names) {
  for (;; name++, names++) {
    while (is_joint(*name)) name++;
    while (is_joint(*names)) names++;
    if (*name == 0 || *names == 0 || *names == '|') return *name == 0 && (*names == 0 || *names == '|');
    if (plain(*name) != plain(*names)) return false;
  }
}

static bool is_called(const fastio__encoding *encoding, const char *name) {
  const char *alias = encoding->aliases;
  if (is_same(name, encoding->title)) return true;
  for (; alias && *alias; alias = strchr(alias, '|')) {
    if (*alias == '|') alias++;
    if (is_same(name, alias)) return true;
  }
  return false;
}

const fastio__encoding *fastio__encoding_listed(const char *name) {
  if (name[strspn(name, "-_ ")] == 0) return NULL;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (is_called(own[i], name)) return own[i];
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    if (is_called(&systems[i], name)) return &systems[i];
  return NULL;
}

const fastio__encoding *fastio__encoding_find(const char *name) {
  const fastio__encoding *listed = name ? fastio__encoding_listed(name) : NULL;
  if (!name || (listed && listed->size)) return listed;
  if (listed) return fastio__system_knows(listed->title) ? listed : NULL;
  return fastio__system_knows(name) ? &fastio__encoding_unlisted : NULL;
}

const char *fastio__encoding_title(const fastio__encoding *encoding) {
  return encoding == &fastio__encoding_unlisted ? "" : encoding->title;
}

const char *fastio_encoding_name(const char *name) {
  const fastio__encoding *encoding = fastio__encoding_find(name);
  if (!encoding) return NULL;
  return encoding == &fastio__encoding_unlisted ? name : encoding->title;
}

uint64_t fastio__encoded_size(const fastio__encoding *encoding, const uint8_t *data, size_t size) {
  return encoding->size ? encoding->size(data, size) : FASTIO_NO_OFFSET;
}
