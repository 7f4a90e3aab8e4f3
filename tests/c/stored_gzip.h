/* A gzip archive that needs no compressor: members of stored blocks, made while they are read, of any size. */
#ifndef STORED_GZIP_H
#define STORED_GZIP_H

#include "check.h"

/* The text of a stored archive: fills `data` with `size` bytes from `offset` of it on. */
typedef void stored_text(const void *ctx, uint64_t offset, uint8_t *data, size_t size);

typedef struct stored_gzip {
  stored_text *text;
  const void *text_ctx;
  uint64_t size;  /* of the text */
  uint64_t done;  /* of the text, in blocks that were made */
  size_t chunk;   /* at most so many bytes a read; 0: any number */
  uint64_t given; /* bytes of the archive that were read */
  uint32_t crc;
  bool begun, ended;
  uint8_t block[65536 + 32];
  size_t at, have;
} stored_gzip;

static inline uint32_t stored_crc(uint32_t crc, const uint8_t *data, size_t size) {
  static uint32_t table[8][256];
  if (!table[0][1]) {
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t c = i;
      for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
      table[0][i] = c;
    }
    for (int t = 1; t < 8; t++)
      for (int i = 0; i < 256; i++) table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 0xFF];
  }
  crc = ~crc;
  for (; size >= 8; data += 8, size -= 8) {
    uint32_t low = crc ^
                   ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24);
    crc = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF] ^ table[4][low >> 24] ^
          table[3][data[4]] ^ table[2][data[5]] ^ table[1][data[6]] ^ table[0][data[7]];
  }
  for (; size > 0; data++, size--) crc = table[0][(crc ^ *data) & 0xFF] ^ crc >> 8;
  return ~crc;
}

static inline void stored_put32(uint8_t *out, uint32_t value) {
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(value >> (8 * i));
}

static inline void stored_next(stored_gzip *g) {
  static const uint8_t header[10] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255};
  size_t size = g->size - g->done < 65535 ? (size_t)(g->size - g->done) : 65535;
  uint8_t *out = g->block;
  bool last = g->done + size == g->size;
  if (!g->begun) memcpy(out, header, sizeof header), out += sizeof header;
  g->begun = true;
  out[0] = last;
  out[1] = (uint8_t)size, out[2] = (uint8_t)(size >> 8), out[3] = (uint8_t)~out[1], out[4] = (uint8_t)~out[2];
  g->text(g->text_ctx, g->done, out + 5, size);
  g->crc = stored_crc(g->crc, out + 5, size);
  out += 5 + size;
  g->done += size;
  if (last) {
    stored_put32(out, g->crc);
    stored_put32(out + 4, (uint32_t)g->size); /* modulo 2^32 */
    out += 8;
    g->ended = true;
  }
  g->at = 0;
  g->have = (size_t)(out - g->block);
}

static inline fastio_status stored_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  stored_gzip *g = ctx;
  (void)err;
  if (g->at == g->have && !g->ended) stored_next(g);
  if (g->chunk && size > g->chunk) size = g->chunk;
  *got = g->have - g->at < size ? g->have - g->at : size;
  memcpy(data, g->block + g->at, *got);
  g->at += *got;
  g->given += *got;
  return FASTIO_OK;
}

static inline fastio_source *stored_open(stored_gzip *g, stored_text *text, const void *ctx, uint64_t size) {
  fastio_device device = {g, stored_read, NULL};
  fastio_source *source = NULL;
  size_t chunk = g->chunk;
  memset(g, 0, sizeof *g);
  g->text = text;
  g->text_ctx = ctx;
  g->size = size;
  g->chunk = chunk;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  return source;
}

static inline bool stored_is_readable(void) {
  for (size_t i = 0; fastio_compression_name(i); i++)
    if (strcmp(fastio_compression_name(i), "gzip") == 0) return true;
  return false;
}

#endif
