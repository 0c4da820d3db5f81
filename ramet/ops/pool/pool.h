// Pooling over windows, channels last. Cells outside the input count for nothing: -inf for max, not counted for
// average.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct PoolAttrs {
  std::vector<std::int64_t> window, strides, pad_before, pad_after;
  static constexpr auto fields =
      Fields{field("window", &PoolAttrs::window), field("strides", &PoolAttrs::strides),
             field("pad_before", &PoolAttrs::pad_before), field("pad_after", &PoolAttrs::pad_after)};
};
struct AvgPoolGradAttrs {
  std::vector<std::int64_t> shape, window, strides, pad_before, pad_after;  // shape: of the pooled input
  static constexpr auto fields =
      Fields{field("shape", &AvgPoolGradAttrs::shape), field("window", &AvgPoolGradAttrs::window),
             field("strides", &AvgPoolGradAttrs::strides), field("pad_before", &AvgPoolGradAttrs::pad_before),
             field("pad_after", &AvgPoolGradAttrs::pad_after)};
};
extern const OpDef max_pool_op, avg_pool_op, max_pool_grad_op, avg_pool_grad_op;

Value max_pool(Value x, PoolAttrs attrs);
Value avg_pool(Value x, PoolAttrs attrs);
// dy sent to the first largest cell of each window of x.
Value max_pool_grad(Value x, Value dy, PoolAttrs attrs);
Value avg_pool_grad(Value dy, AvgPoolGradAttrs attrs);

}  // namespace ramet::ops
