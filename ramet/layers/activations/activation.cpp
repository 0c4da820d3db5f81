#include "ramet/layers/activations/activation.h"

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
using namespace ops;
namespace {

std::string or_none(const std::optional<double>& v) { return v ? cat(*v) : "None"; }
Value zero(Value x) { return scalar_like(x, 0); }
Value leaky(Value x, double slope) { return select(greater_equal(x, zero(x)), x, slope * x); }

}  // namespace

void normalize(ReLUConfig& c) {
  require(!c.max_value || *c.max_value >= 0,
          "max_value of a ReLU layer cannot be a negative value. Received: max_value=", or_none(c.max_value));
  require(
      c.negative_slope >= 0,
      "negative_slope of a ReLU layer cannot be None or a negative value. Received: negative_slope=", c.negative_slope);
  require(c.threshold >= 0,
          "threshold of a ReLU layer cannot be None or a negative value. Received: threshold=", c.threshold);
}

Value ReLULayer::call(const CallContext&, Value x) const {
  const auto& [max_value, slope, threshold] = config();
  if (!max_value && threshold == 0) return slope == 0 ? relu(x) : leaky(x, slope);
  // Below the threshold: 0, or slope·(x − threshold) = −slope·max(threshold − x, 0), taken off so that both parts stay
  // plain.
  Value y = threshold == 0 ? relu(x) : select(greater(x, scalar_like(x, threshold)), x, zero(x));
  if (max_value) y = minimum(y, scalar_like(x, *max_value));
  return slope == 0 ? y : y - slope * relu(threshold - x);
}

void normalize(LeakyReLUConfig& c) {
  require(c.negative_slope && *c.negative_slope >= 0,
          "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected a float. "
          "Received: negative_slope=",
          or_none(c.negative_slope));
}

Value LeakyReLULayer::call(const CallContext&, Value x) const { return leaky(x, *config().negative_slope); }

// The exponent is cut at 0 so that the branch not taken stays finite.
Value ELULayer::call(const CallContext&, Value x) const {
  return select(greater(x, zero(x)), x, config().alpha * expm1(minimum(x, zero(x))));
}

void normalize(PReLUConfig& c) {
  if (!c.shared_axes) return;
  for (const auto axis : c.shared_axes->values()) require(axis != 0, "`shared_axes` cannot hold the batch axis 0");
  c.shared_axes = IntOrList(c.shared_axes->values());
}

void PReLULayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.ndim = built() ? alpha_.variable()->stored().rank() + 1 : 0, .min_ndim = 1});
}

void PReLULayer::build(Builder& b, const Spec& x) {
  Shape shape(x.shape.begin() + 1, x.shape.end());
  if (config().shared_axes)
    for (const auto axis : config().shared_axes->values()) {
      const int at = canonical_axis(axis, x.rank(), "`shared_axes`");
      require(at > 0, "`shared_axes` cannot hold the batch axis 0");
      shape[static_cast<std::size_t>(at - 1)] = 1;
    }
  alpha_ = b.weight(
      "alpha", shape, config().alpha_initializer,
      {.regularizer = as_function(config().alpha_regularizer), .constraint = as_function(config().alpha_constraint)});
}

Value PReLULayer::call(const CallContext& ctx, Value x) const { return relu(x) - ctx[alpha_] * relu(-x); }

void normalize(SoftmaxConfig& c) {
  require(!c.axis.values().empty(), "`axis` must be an integer or a list of integers; got an empty list");
}

Value SoftmaxLayer::call(const CallContext& ctx, Value x) const {
  Value mask = ctx.mask();
  if (mask) {
    const std::string received =
        cat(" Received: inputs.shape=", to_string(x.shape()), ", mask.shape=", to_string(mask.shape()));
    require(mask.rank() <= x.rank(), "The `mask` must be broadcastable to `inputs` and must not have more dimensions.",
            received);
    for (int i = 1; i <= static_cast<int>(mask.rank()); ++i)
      require(mask.dim(-i) == 1 || mask.dim(-i) == x.dim(-i),
              "The `mask` must be broadcastable to `inputs`. Each mask dimension must be 1 or match the corresponding "
              "input dimension.",
              received);
    if (mask.dtype() != DType::boolean) mask = greater(mask, scalar_like(mask, 0.5));
    x = select(mask, x, scalar_like(x, -1e9));
  }
  const auto& axes = config().axis.values();
  const Value y = axes.size() == 1 ? softmax(x, static_cast<int>(axes[0])) : exp(x - logsumexp(x, axes, true));
  return mask ? select(mask, y, zero(y)) : y;
}

}  // namespace ramet::layers
