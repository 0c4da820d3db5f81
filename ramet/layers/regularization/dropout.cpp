#include "ramet/layers/regularization/dropout.h"

#include <cmath>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

using NoiseShape = std::optional<std::vector<std::optional<std::int64_t>>>;

void check_rate(double rate) {
  require(rate >= 0 && rate <= 1,
          "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate=", rate);
}

void check_noise_shape(const NoiseShape& shape) {
  if (!shape) return;
  for (std::size_t i = 0; i < shape->size(); ++i)
    if (const auto size = (*shape)[i])
      require(*size > 0,
              "Invalid value received for argument `noise_shape`. Expected all dimensions to be positive integers or "
              "None. Received negative or zero value at index ",
              i, ": ", *size);
}

Shape concrete(const NoiseShape& noise, const Shape& x) {
  if (!noise) return x;
  require(noise->size() == x.size(), "`noise_shape` has ", noise->size(), " sizes; the input ", to_string(x), " has ",
          x.size());
  Shape out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.push_back((*noise)[i].value_or(x[i]));
    require(out[i] == 1 || out[i] == x[i], "`noise_shape` ", to_string(out), " does not broadcast to the input ",
            to_string(x));
  }
  return out;
}

// 1 where an element is kept, else 0.
Value kept(const CallContext& ctx, const Weight& seed, const Shape& shape, double rate, DType dtype) {
  const Value u = ops::random_uniform(ctx.draw(seed), shape, DType::f32);
  return ops::cast(ops::greater_equal(u, ops::scalar_like(u, rate)), dtype);
}

Value drop(const CallContext& ctx, const Weight& seed, Value x, const Shape& noise, double rate) {
  if (!ctx.training() || rate == 0) return x;
  if (rate == 1) return ops::zeros(ctx.program(), x.shape(), x.dtype());
  return x * (kept(ctx, seed, noise, rate, x.dtype()) / (1 - rate));
}

Weight seed_for(Builder& b, double rate, std::optional<std::int64_t> seed) {
  return rate > 0 ? b.seed(seed) : Weight();
}

}  // namespace

void normalize(DropoutConfig& c) {
  check_rate(c.rate);
  check_noise_shape(c.noise_shape);
}
void normalize(AlphaDropoutConfig& c) {
  check_rate(c.rate);
  check_noise_shape(c.noise_shape);
}
void normalize(SpatialDropout1DConfig& c) { check_rate(c.rate); }
void normalize(SpatialDropout2DConfig& c) { check_rate(c.rate); }

void DropoutLayer::build(Builder& b, const Spec&) { seed_ = seed_for(b, config().rate, config().seed); }
Value DropoutLayer::call(const CallContext& ctx, Value x) const {
  return drop(ctx, seed_, x, concrete(config().noise_shape, x.shape()), config().rate);
}

void AlphaDropoutLayer::build(Builder& b, const Spec&) { seed_ = seed_for(b, config().rate, config().seed); }

// x' = a·(k·x + (1 − k)·α') + b with α' = −α·scale of SELU, a = ((1 − p)(1 + p·α'²))^−½ and b = −a·α'·p for the rate p.
Value AlphaDropoutLayer::call(const CallContext& ctx, Value x) const {
  const double p = config().rate;
  if (!ctx.training() || p == 0) return x;
  require(p < 1, describe(*this), ": a rate of 1 leaves nothing to scale");
  constexpr double alpha = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
  const double a = 1 / std::sqrt((1 - p) * (1 + p * alpha * alpha)), b = -a * alpha * p;
  const Value k = kept(ctx, seed_, concrete(config().noise_shape, x.shape()), p, x.dtype());
  return a * (x * k + alpha * (1.0 - k)) + b;
}

JsonObject spatial_config(JsonObject config, const std::string& dtype) {
  config.erase("trainable");
  config.set("dtype", Json(dtype));
  return config;
}

void SpatialDropout1DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 3}); }
void SpatialDropout1DLayer::build(Builder& b, const Spec&) { seed_ = seed_for(b, config().rate, config().seed); }
Value SpatialDropout1DLayer::call(const CallContext& ctx, Value x) const {
  return drop(ctx, seed_, x, {x.dim(0), 1, x.dim(2)}, config().rate);
}

void SpatialDropout2DLayer::check(const std::vector<Spec>& inputs) const { check_inputs(*this, inputs, {.ndim = 4}); }
void SpatialDropout2DLayer::build(Builder& b, const Spec&) { seed_ = seed_for(b, config().rate, config().seed); }
Value SpatialDropout2DLayer::call(const CallContext& ctx, Value x) const {
  const Shape noise =
      channels_first(config().data_format) ? Shape{x.dim(0), x.dim(1), 1, 1} : Shape{x.dim(0), 1, 1, x.dim(3)};
  return drop(ctx, seed_, x, noise, config().rate);
}

}  // namespace ramet::layers
