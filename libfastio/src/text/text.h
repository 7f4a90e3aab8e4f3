/* text: bytes as characters. */
#ifndef FASTIO__TEXT_H
#define FASTIO__TEXT_H

#include "../core/core.h"
#include "../simd/simd.h"

/* Length of the longest prefix that is whole, well-formed UTF-8 (Unicode 15, table 3-7): `size` if all of it is, else
 * the place of the first byte of the first sequence that is not. */
FASTIO__HIDDEN size_t fastio__utf8_prefix(const uint8_t *data, size_t size);
/* How many bytes an error shows of the bad sequence at `data`: the first, and up to three continuation bytes. Depends
 * on nothing that follows them, so that an error does not depend on where a block ends. */
FASTIO__HIDDEN size_t fastio__utf8_bad_size(const uint8_t *data, size_t size);

/* ---- UTF-16 (utf16.c): as far as the input is well-formed and whole and the room lasts. *at moves on; returns the
 * bytes written. ---- */
FASTIO__HIDDEN size_t fastio__utf8_to_utf16(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end,
                                            bool big_endian);
FASTIO__HIDDEN size_t fastio__utf16_to_utf8(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end,
                                            bool big_endian);
FASTIO__HIDDEN uint64_t fastio__utf16_size(const uint8_t *utf8, size_t size); /* well-formed UTF-8, as UTF-16 */

/* ---- encodings (transcode.c and what it calls) ---- */
/* A description in static memory, one for all names that only iconv knows. NULL: nobody knows it. */
typedef struct fastio__encoding fastio__encoding;
FASTIO__HIDDEN const fastio__encoding *fastio__encoding_find(const char *name);
/* Its usual name; "": it has none but the one it was found by. */
FASTIO__HIDDEN const char *fastio__encoding_title(const fastio__encoding *encoding);
/* How many bytes this well-formed UTF-8 takes in the encoding, without a BOM; FASTIO_NO_OFFSET: can't be told. */
FASTIO__HIDDEN uint64_t fastio__encoded_size(const fastio__encoding *encoding, const uint8_t *data, size_t size);
/* How many bytes of a BOM were dropped at the start of the input. */
FASTIO__HIDDEN size_t fastio__transcoder_mark(const fastio_transcoder *transcoder);
/* Where in the input the first sequence was that was replaced or left out; FASTIO_NO_OFFSET: there was none. */
FASTIO__HIDDEN uint64_t fastio__transcoder_first_error(const fastio_transcoder *transcoder);
/* Before the first run: the input's first bytes are no BOM, even if they look like one; without_mark: the output continues
 * some that is there, so it gets none either. */
FASTIO__HIDDEN void fastio__transcoder_continue(fastio_transcoder *transcoder, bool without_mark);
/* Of the last run: where in its output (counted from the first piece on) the replaced sequences are, and how many bytes
 * of input each took: for who wants to find places of the input again. */
typedef struct fastio__correction {
  uint64_t at;           /* offset in all output */
  uint32_t taken, given; /* bytes of input, bytes of output */
} fastio__correction;
FASTIO__HIDDEN size_t fastio__transcoder_corrections(const fastio_transcoder *transcoder,
                                                     const fastio__correction **out);

#endif
