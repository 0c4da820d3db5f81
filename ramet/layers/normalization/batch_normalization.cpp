#include "ramet/layers/normalization/batch_normalization.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// Only positions where m is True count: mean = Σ m·x / (Σ m + 1e-7), the variance alike.
ops::Moments masked_moments(Value x, Value mask, const ops::Axes& axes) {
  const Value m = ops::broadcast_to(ops::cast(ops::expand_dims(mask, -1), DType::boolean), x.shape()),
              zero = ops::scalar_like(x, 0);
  const Value count = ops::reduce_sum(ops::cast(m, x.dtype()), axes, true) + 1e-7;
  const Value mean = ops::reduce_sum(ops::select(m, x, zero), axes, true) / count;
  return {mean, ops::reduce_sum(ops::select(m, ops::square(x - mean), zero), axes, true) / count};
}

}  // namespace

void normalize(BatchNormalizationConfig& c) {
  require(!c.renorm && c.renorm_clipping.is_null(), "`renorm` is not supported");
  require(!c.synchronized, "`synchronized` is not supported: statistics are those of the process' own batch");
}

void BatchNormalizationLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.min_ndim = 1});
  const Spec& x = inputs[0];
  const auto rank = static_cast<std::int64_t>(x.rank()), axis = config().axis;
  require(axis < rank && axis >= -rank, describe(*this), ": Axis ", axis, " is out of bounds for input shape ",
          to_string(x.shape), ". Received: axis=", axis);
  if (!built()) return;
  const auto channels = moving_mean_.variable()->stored().dim(0), got = x.dim(static_cast<int>(axis));
  require(got == None || got == channels, "Input 0 of layer '", name(),
          "' is incompatible with the layer: expected axis ", axis, " of input shape to have value ", channels,
          ", but received input with shape ", to_string(x.shape));
}

void BatchNormalizationLayer::build(Builder& b, const Spec& x) {
  const Shape shape{x.dim(static_cast<int>(config().axis))};
  if (config().scale)
    gamma_ = b.weight(
        "gamma", shape, config().gamma_initializer,
        {.regularizer = as_function(config().gamma_regularizer), .constraint = as_function(config().gamma_constraint)});
  if (config().center)
    beta_ = b.weight(
        "beta", shape, config().beta_initializer,
        {.regularizer = as_function(config().beta_regularizer), .constraint = as_function(config().beta_constraint)});
  moving_mean_ = b.weight("moving_mean", shape, config().moving_mean_initializer, {.trainable = false});
  moving_variance_ = b.weight("moving_variance", shape, config().moving_variance_initializer, {.trainable = false});
}

Value BatchNormalizationLayer::call(const CallContext& ctx, Value x) const {
  x = ops::cast(x, promote(x.dtype(), DType::f32));  // statistics of brain floats would be too coarse
  const Value mask = ctx.mask();
  require(!mask || mask.rank() + 1 == x.rank(), describe(*this),
          ": The mask provided should be one dimension less than the inputs. Received: mask.shape=",
          mask ? to_string(mask.shape()) : "", ", inputs.shape=", to_string(x.shape()));
  const int at = canonical_axis(config().axis, x.rank(), "BatchNormalization: `axis`");
  ops::Axes axes;
  Shape wide(x.rank(), 1);
  for (int i = 0; i < static_cast<int>(x.rank()); ++i)
    if (i != at) axes.push_back(i);
  wide[static_cast<std::size_t>(at)] = x.dim(at);
  const auto spread = [&](const Weight& w) { return ops::cast(ops::reshape(ctx.raw(w), wide), x.dtype()); };

  ops::Moments m{spread(moving_mean_), spread(moving_variance_)};
  if (ctx.training() && trainable()) {
    m = mask ? masked_moments(x, mask, axes) : ops::moments(x, axes);
    const auto follow = [&](const Weight& moving, Value batch) {
      const Value stored = ctx.raw(moving), old = ops::cast(stored, x.dtype());
      const Value now = old * config().momentum + ops::reshape(batch, old.shape()) * (1 - config().momentum);
      ctx.update(moving, ops::cast(now, stored.dtype()));
    };
    follow(moving_mean_, m.mean);
    follow(moving_variance_, m.variance);
  }
  Value factor = ops::rsqrt(m.variance + config().epsilon);
  if (gamma_) factor = factor * spread(gamma_);
  const Value y = (x - m.mean) * factor;
  return ops::cast(beta_ ? y + spread(beta_) : y, ctx.compute_dtype());
}

// The renorm arguments are younger than many Keras 3 versions, which would refuse a file that has them; they are always
// off here.
JsonObject BatchNormalizationLayer::get_config() const {
  JsonObject out = LayerOf::get_config();
  for (const char* key : {"renorm", "renorm_clipping", "renorm_momentum"}) out.erase(key);
  return out;
}

}  // namespace ramet::layers
