/* Bare deflate by ISA-L, the fastest inflate that can be fed in pieces. */
#include "formats.h"

#ifdef FASTIO_WITH_ISAL
#  include <isa-l/crc.h>
#  include <isa-l/igzip_lib.h>

struct fastio__inflate {
  struct inflate_state state;
};

enum { MOST = 1 << 30 }; /* bytes at once: its counts have 32 bits */

fastio__inflate *fastio__inflate_new(const fastio_env *env) {
  fastio__inflate *inflate = fastio__allocate(env, sizeof *inflate);
  if (!inflate) return NULL;
  memset(inflate, 0, sizeof *inflate);
  isal_inflate_init(&inflate->state);
  return inflate;
}

void fastio__inflate_free(fastio__inflate *inflate, const fastio_env *env) {
  fastio__release(env, inflate, sizeof *inflate);
}

void fastio__inflate_reset(fastio__inflate *inflate) { isal_inflate_reset(&inflate->state); }

/* It reads up to eight bytes ahead. Those that this call brought are given back, whenever the end may be among them:
 * then what a later call finds behind the end was brought by that call. (Where input ran out, the bytes it holds belong
 * to a code that has not come to its end.) */
static void give_back(struct inflate_state *state, size_t brought) {
  size_t ahead = state->read_in_length > 0 ? (size_t)state->read_in_length / 8 : 0;
  if (ahead > brought) ahead = brought;
  state->next_in -= ahead;
  state->avail_in += (uint32_t)ahead;
  state->read_in_length -= 8 * (int32_t)ahead;
  if (state->read_in_length < 64) state->read_in &= ((uint64_t)1 << state->read_in_length) - 1;
}

/* Of a block: what there is of it lies aside, behind the bits that are held. It goes on with more input than this. */
static bool is_in_header(const struct inflate_state *state) { return state->tmp_in_size > 0; }

fastio_status fastio__inflate_run(fastio__inflate *inflate, fastio__flow *flow, bool *ended, fastio_error *err) {
  struct inflate_state *state = &inflate->state;
  const uint32_t in_size = flow->in_size < MOST ? (uint32_t)flow->in_size : MOST;
  const uint32_t out_size = flow->out_size < MOST ? (uint32_t)flow->out_size : MOST;
  int result;
  state->next_in = (uint8_t *)(uintptr_t)flow->in;
  state->avail_in = in_size;
  state->next_out = flow->out;
  state->avail_out = out_size;
  result = isal_inflate(state);
  *ended = result >= 0 && state->block_state == ISAL_BLOCK_FINISH;
  if (*ended || (state->avail_out == 0 && !is_in_header(state))) give_back(state, in_size - state->avail_in);
  fastio__flow_move(flow, in_size - state->avail_in, out_size - state->avail_out);
  return result < 0 ? fastio__fail(err, FASTIO_CORRUPT, FASTIO__INFLATE_MESSAGE) : FASTIO_OK;
}

uint32_t fastio__crc32(uint32_t before, const uint8_t *data, size_t size) {
  return crc32_gzip_refl(before, data, size);
}

uint32_t fastio__adler32(uint32_t before, const uint8_t *data, size_t size) { return isal_adler32(before, data, size); }
#endif
