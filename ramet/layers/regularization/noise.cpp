#include "ramet/layers/regularization/noise.h"

#include <cmath>

#include "ramet/ops/ops.h"

namespace ramet::layers {

void normalize(GaussianNoiseConfig& c) {
  require(c.stddev >= 0 && c.stddev <= 1,
          "Invalid value received for argument `stddev`. Expected a float value between 0 and 1. Received: stddev=",
          c.stddev);
}
void normalize(GaussianDropoutConfig& c) {
  require(
      c.rate >= 0 && c.rate <= 1,
      "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate=", c.rate);
}

void GaussianNoiseLayer::build(Builder& b, const Spec&) {
  if (config().stddev > 0) seed_ = b.seed(config().seed);
}
Value GaussianNoiseLayer::call(const CallContext& ctx, Value x) const {
  if (!ctx.training() || config().stddev == 0) return x;
  return x + config().stddev * ops::random_normal(ctx.draw(seed_), x.shape(), x.dtype());
}

void GaussianDropoutLayer::build(Builder& b, const Spec&) {
  if (config().rate > 0) seed_ = b.seed(config().seed);
}
Value GaussianDropoutLayer::call(const CallContext& ctx, Value x) const {
  const double p = config().rate;
  if (!ctx.training() || p == 0) return x;
  require(p < 1, describe(*this), ": a rate of 1 asks for noise without bound");
  return x * (1.0 + std::sqrt(p / (1 - p)) * ops::random_normal(ctx.draw(seed_), x.shape(), x.dtype()));
}

std::function<Value(Value)> ActivityRegularizationLayer::activity_penalty() const {
  return as_function(Regularizer(regularizers::L1L2({.l1 = config().l1, .l2 = config().l2})));
}

}  // namespace ramet::layers
