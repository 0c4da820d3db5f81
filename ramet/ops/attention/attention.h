// Attention of several heads as one instruction, a few queries at a time: no matrix of all scores in memory.
//
//   s = (scale·q)·kᵀ, or -1e9 where a query may not look;  y = softmax(s)·v
//
// Inputs: q [batch, queries, heads, size], k [batch, keys, heads, size], v [batch, keys, heads, value size], a mask
// (true: may look) [batch | 1, heads | 1, queries | 1, keys]. Results: y [batch, queries, heads, value size], and for
// the gradient the largest score of every query and 1 / Σ exp(s - largest), [batch, heads, queries, 2].
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct AttentionAttrs {
  double scale = 1;
  bool causal = false;  // query i sees keys up to i
  bool masked = false;  // the last input is a mask
  static constexpr auto fields =
      Fields{field("scale", &AttentionAttrs::scale), field("causal", &AttentionAttrs::causal),
             field("masked", &AttentionAttrs::masked)};
};
extern const OpDef attention_op;
// Inputs: q, k, v, the second result, the gradient of y, a mask. Results: gradients of q, k, v. Has none itself.
extern const OpDef attention_grad_op;

inline constexpr double kHiddenScore = -1e9;

// An undefined mask means none.
Value attention(Value q, Value k, Value v, Value mask, double scale, bool causal);

// The sizes both ops have, from q, k and v; Error naming `op` when they do not fit.
struct AttentionSizes {
  std::int64_t batch, queries, keys, heads, size, value_size;
};
AttentionSizes attention_sizes(std::string_view op, const Spec& q, const Spec& k, const Spec& v);

}  // namespace ramet::ops
