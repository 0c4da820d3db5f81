// Which query may look at which key: bool values [1, queries, keys].
#pragma once
#include "ramet/ir/program.h"

namespace ramet::layers {

// Query i sees keys up to i.
Value causal_mask(Program& program, std::int64_t queries, std::int64_t keys);
// Query i sees keys nearer than `window`.
Value sliding_window_mask(Program& program, std::int64_t queries, std::int64_t keys, std::int64_t window);
// a and b, where either may be undefined (no restriction).
Value both(Value a, Value b);

}  // namespace ramet::layers
