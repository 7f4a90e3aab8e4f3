/* Bare deflate by ISA-L, the fastest inflate that can be fed in pieces. */
#include "formats.h"

#ifdef FASTIO_WITH_ISAL
#  include <isa-l/crc.h>
#  include <isa-l/igzip_lib.h>

struct fastio__inflate {
  struct inflate_state state;
  bool has_failed; /* but for what it had decoded before */
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

void fastio__inflate_reset(fastio__inflate *inflate) {
  isal_inflate_reset(&inflate->state);
  inflate->has_failed = false;
}

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

/* It decodes into a buffer of its own first, and tells a fault while good bytes are left there. */
static fastio_status hand_out_rest(struct inflate_state *state, fastio__flow *flow, fastio_error *err) {
  const size_t left = (size_t)(state->tmp_out_valid - state->tmp_out_processed);
  const size_t size = left < flow->out_size ? left : flow->out_size;
  if (size) memcpy(flow->out, state->tmp_out_buffer + state->tmp_out_processed, size);
  state->tmp_out_processed += (int32_t)size;
  fastio__flow_move(flow, 0, size);
  return size < left ? FASTIO_OK : fastio__fail(err, FASTIO_CORRUPT, FASTIO__INFLATE_MESSAGE);
}

enum { COPY_MOST = 258 };

/* Where it has failed, its counts are wrong: its fast loop leaves them short of what it keeps clear of at the ends. The
 * pointers are right, but for a copy from a distance that is not there, which is counted and not made. So the last bytes
 * are no good then; in the slow loop, which has right counts, all are. */
static fastio_status fail(fastio__inflate *inflate, fastio__flow *flow, fastio_error *err) {
  struct inflate_state *state = &inflate->state;
  size_t taken = (size_t)(state->next_in - flow->in), given = (size_t)(state->next_out - flow->out);
  const size_t ahead = state->read_in_length > 0 ? (size_t)state->read_in_length / 8 : 0;
  const bool is_exact = taken + state->avail_in == (flow->in_size < MOST ? flow->in_size : MOST);
  const size_t rest = (size_t)(state->tmp_out_valid - state->tmp_out_processed);
  size_t bad = is_exact ? 0 : COPY_MOST;
  const size_t bad_rest = bad < rest ? bad : rest;
  state->tmp_out_valid -= (int32_t)bad_rest;
  bad -= bad_rest;
  given -= bad < given ? bad : given;
  taken -= ahead < taken ? ahead : taken;
  fastio__flow_move(flow, taken, given);
  inflate->has_failed = true;
  return hand_out_rest(state, flow, err);
}

fastio_status fastio__inflate_run(fastio__inflate *inflate, fastio__flow *flow, bool *ended, fastio_error *err) {
  struct inflate_state *state = &inflate->state;
  const uint32_t in_size = flow->in_size < MOST ? (uint32_t)flow->in_size : MOST;
  const uint32_t out_size = flow->out_size < MOST ? (uint32_t)flow->out_size : MOST;
  *ended = false;
  if (inflate->has_failed) return hand_out_rest(state, flow, err);
  state->next_in = (uint8_t *)(uintptr_t)flow->in;
  state->avail_in = in_size;
  state->next_out = flow->out;
  state->avail_out = out_size;
  if (isal_inflate(state) < 0) return fail(inflate, flow, err);
  *ended = state->block_state == ISAL_BLOCK_FINISH;
  if (*ended || (state->avail_out == 0 && !is_in_header(state))) give_back(state, in_size - state->avail_in);
  fastio__flow_move(flow, in_size - state->avail_in, out_size - state->avail_out);
  return FASTIO_OK;
}

uint32_t fastio__crc32(uint32_t before, const uint8_t *data, size_t size) {
  return crc32_gzip_refl(before, data, size);
}

uint32_t fastio__adler32(uint32_t before, const uint8_t *data, size_t size) { return isal_adler32(before, data, size); }
#endif
