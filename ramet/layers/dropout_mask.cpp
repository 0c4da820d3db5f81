#include "ramet/layers/dropout_mask.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {

Value dropout_mask(const CallContext& ctx, const Weight& seed, Shape shape, double rate) {
  const Value u = ops::random_uniform(ctx.draw(seed), std::move(shape), ctx.compute_dtype());
  return ops::cast(ops::greater_equal(u, ops::scalar_like(u, rate)), ctx.compute_dtype()) * (1 / (1 - rate));
}

}  // namespace ramet::layers
