#include "ramet/layers/attention/attention_mask.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {

Value causal_mask(Program& program, std::int64_t queries, std::int64_t keys) {
  return ops::greater_equal(ops::iota(program, {1, queries, keys}, 1), ops::iota(program, {1, queries, keys}, 2));
}

Value sliding_window_mask(Program& program, std::int64_t queries, std::int64_t keys, std::int64_t window) {
  const Value distance =
      ops::abs(ops::iota(program, {1, queries, keys}, 1) - ops::iota(program, {1, queries, keys}, 2));
  return ops::less(distance, ops::scalar_like(distance, static_cast<double>(window)));
}

Value both(Value a, Value b) { return !a ? b : !b ? a : ops::logical_and(a, b); }

}  // namespace ramet::layers
