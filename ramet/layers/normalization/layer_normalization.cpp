#include "ramet/layers/normalization/layer_normalization.h"

#include <algorithm>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

void check_axes(const Layer& layer, const std::vector<Spec>& inputs, const IntOrList& axes) {
  check_inputs(layer, inputs, {.min_ndim = 1});
  const auto rank = static_cast<std::int64_t>(inputs[0].rank());
  for (const auto axis : axes)
    require(axis < rank && axis >= -rank, describe(layer), ": Axis ", axis, " is out of bounds for input shape ",
            to_string(inputs[0].shape), ". Received: axis=", encode(axes).dump());
}

std::vector<std::int64_t> sorted(const IntOrList& axes) {
  std::vector<std::int64_t> out = axes.values();
  std::sort(out.begin(), out.end());
  return out;
}

template <class Config>
Weight make_gamma(Builder& b, const Config& c, const Shape& shape) {
  return b.weight("gamma", shape, c.gamma_initializer,
                  {.regularizer = as_function(c.gamma_regularizer), .constraint = as_function(c.gamma_constraint)});
}
template <class Config>
Weight make_beta(Builder& b, const Config& c, const Shape& shape) {
  return b.weight("beta", shape, c.beta_initializer,
                  {.regularizer = as_function(c.beta_regularizer), .constraint = as_function(c.beta_constraint)});
}

}  // namespace

void normalize(LayerNormalizationConfig& c) {
  require(!c.axis.values().empty(),
          "Expected an int or a list/tuple of ints for the argument 'axis', but received: []");
}

void LayerNormalizationLayer::check(const std::vector<Spec>& inputs) const {
  check_axes(*this, inputs, config().axis);
  const Weight& w = gamma_ ? gamma_ : beta_;
  if (!built() || !w) return;
  const auto axes = sorted(config().axis);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto want = w.variable()->stored().dim(static_cast<int>(i)), got = inputs[0].dim(static_cast<int>(axes[i]));
    require(got == None || got == want, "Input 0 of layer '", name(),
            "' is incompatible with the layer: expected axis ", axes[i], " of input shape to have value ", want,
            ", but received input with shape ", to_string(inputs[0].shape));
  }
}

void LayerNormalizationLayer::build(Builder& b, const Spec& x) {
  Shape shape;
  for (const auto axis : sorted(config().axis)) shape.push_back(x.dim(static_cast<int>(axis)));
  if (config().scale || config().rms_scaling) gamma_ = make_gamma(b, config(), shape);
  if (config().center && !config().rms_scaling) beta_ = make_beta(b, config(), shape);
}

Value LayerNormalizationLayer::call(const CallContext& ctx, Value x) const {
  x = ops::cast(x, promote(x.dtype(), DType::f32));
  ops::Axes axes;
  Shape wide(x.rank(), 1);
  for (const auto axis : config().axis) {
    axes.push_back(canonical_axis(axis, x.rank(), "LayerNormalization: `axis`"));
    wide[static_cast<std::size_t>(axes.back())] = x.dim(static_cast<int>(axes.back()));
  }
  std::sort(axes.begin(), axes.end());
  const ops::Moments m = ops::moments(x, axes);
  Value y = (config().rms_scaling ? x : x - m.mean) * ops::rsqrt(m.variance + config().epsilon);
  if (gamma_) y = y * ops::cast(ops::reshape(ctx[gamma_], wide), x.dtype());
  if (beta_) y = y + ops::cast(ops::reshape(ctx[beta_], wide), x.dtype());
  return ops::cast(y, ctx.compute_dtype());
}

void normalize(GroupNormalizationConfig& c) {
  require(c.groups > 0 || c.groups == -1,
          "Received an invalid value for argument `groups`, expected a positive integer (or `-1` for instance "
          "normalization). Received: groups=",
          c.groups);
}

void GroupNormalizationLayer::check(const std::vector<Spec>& inputs) const {
  check_axes(*this, inputs, IntOrList(config().axis));
  const auto channels = inputs[0].dim(static_cast<int>(config().axis)), groups = config().groups;
  require(channels != None, describe(*this), ": Axis ", config().axis,
          " of input tensor should have a defined dimension but the layer received an input with shape ",
          to_string(inputs[0].shape), ".");
  require(groups <= channels, describe(*this), ": Number of groups (", groups,
          ") cannot be more than the number of channels (", channels, ").");
  require(groups == -1 || channels % groups == 0, describe(*this), ": Number of groups (", groups,
          ") must be a multiple of the number of channels (", channels, ").");
}

void GroupNormalizationLayer::build(Builder& b, const Spec& x) {
  const Shape shape{x.dim(static_cast<int>(config().axis))};
  if (config().scale) gamma_ = make_gamma(b, config(), shape);
  if (config().center) beta_ = make_beta(b, config(), shape);
}

// The channel axis becomes [groups, channels of a group]; statistics are over all axes but the batch and the groups.
Value GroupNormalizationLayer::call(const CallContext& ctx, Value x) const {
  x = ops::cast(x, promote(x.dtype(), DType::f32));
  const int at = canonical_axis(config().axis, x.rank(), "GroupNormalization: `axis`");
  const auto channels = x.dim(at), groups = config().groups == -1 ? channels : config().groups;
  Shape split = x.shape(), wide(x.rank(), 1);
  split[static_cast<std::size_t>(at)] = groups;
  split.insert(split.begin() + at + 1, channels / groups);
  wide[static_cast<std::size_t>(at)] = channels;
  ops::Axes axes;
  for (int i = 1; i < static_cast<int>(split.size()); ++i)
    if (i != at) axes.push_back(i);
  const Value g = ops::reshape(x, split);
  const ops::Moments m = ops::moments(g, axes);
  Value y = ops::reshape((g - m.mean) * ops::rsqrt(m.variance + config().epsilon), x.shape());
  if (gamma_) y = y * ops::cast(ops::reshape(ctx[gamma_], wide), x.dtype());
  if (beta_) y = y + ops::cast(ops::reshape(ctx[beta_], wide), x.dtype());
  return ops::cast(y, ctx.compute_dtype());
}

void UnitNormalizationLayer::check(const std::vector<Spec>& inputs) const { check_axes(*this, inputs, config().axis); }

// The bound is taken inside the root, so that a zero vector has a gradient.
Value UnitNormalizationLayer::call(const CallContext&, Value x) const {
  const Value squares = ops::reduce_sum(ops::square(x), config().axis.values(), true);
  return x * ops::rsqrt(ops::maximum(squares, ops::scalar_like(x, 1e-24)));
}

}  // namespace ramet::layers
