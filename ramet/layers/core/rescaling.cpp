#include "ramet/layers/core/rescaling.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

Value as_value(Value like, const NumberOrList& numbers) {
  if (numbers.single()) return ops::scalar_like(like, numbers.values()[0]);
  const auto count = static_cast<std::int64_t>(numbers.values().size());
  return ops::constant(like.program(), Array::of<double>({count}, numbers.values()).astype(like.dtype()));
}

}  // namespace

Value RescalingLayer::call(const CallContext& ctx, Value x) const {
  x = ops::cast(x, ctx.compute_dtype());
  return x * as_value(x, config().scale) + as_value(x, config().offset);
}

}  // namespace ramet::layers
