#include "ramet/nn/activations.h"

#include <cmath>
#include <mutex>
#include <numbers>

#include "ramet/base/strings.h"
#include "ramet/graph/registry.h"
#include "ramet/ops/ops.h"

namespace ramet {
namespace {

using namespace ops;

Value clip(Value x, double low, double high) { return minimum(maximum(x, scalar_like(x, low)), scalar_like(x, high)); }
Value where_less(Value x, double bound, Value yes, Value no) { return select(less(x, scalar_like(x, bound)), yes, no); }
Value zero(Value x) { return scalar_like(x, 0); }

// eˣ - 1 up to zero; the exponent is cut there so that the branch not taken stays finite. Its derivative at 0 is 1, as
// Keras has it.
Value exp_below(Value x) { return expm1(select(greater(x, zero(x)), zero(x), x)); }

Value elu(Value x) { return select(greater(x, zero(x)), x, exp_below(x)); }
Value selu(Value x) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return scale * select(greater(x, zero(x)), x, alpha * exp_below(x));
}
Value celu(Value x) { return elu(x); }  // with its default α = 1
// The derivative at the bounds is 0 for relu6 and 1 for hard_tanh.
Value relu6(Value x) {
  return select(less_equal(x, zero(x)), zero(x), select(greater_equal(x, scalar_like(x, 6)), scalar_like(x, 6), x));
}
Value hard_tanh(Value x) {
  return select(less(x, scalar_like(x, -1)), scalar_like(x, -1),
                select(greater(x, scalar_like(x, 1)), scalar_like(x, 1), x));
}
Value hard_sigmoid(Value x) { return relu6(x + 3.0) / 6.0; }
Value soft_shrink(Value x) {
  return select(greater(x, scalar_like(x, 0.5)), x - 0.5, select(less(x, scalar_like(x, -0.5)), x + 0.5, zero(x)));
}
Value glu(Value x) {
  require(x.rank() >= 1 && x.dim(-1) % 2 == 0, "glu: the last axis must have an even size; got ", x.spec());
  const Values halves = split_sizes(x, -1, {x.dim(-1) / 2, x.dim(-1) / 2});
  return halves[0] * sigmoid(halves[1]);
}
// 0 below -1, x above 1, a parabola between.
Value sparse_plus(Value x) {
  return select(less_equal(x, scalar_like(x, -1)), zero(x),
                select(less(x, scalar_like(x, 1)), 0.25 * square(x + 1.0), x));
}

// The projection of each row on the probability simplex: max(x - τ, 0) with τ such that the row sums to 1. The support
// is found by comparing every pair, which needs no sort: element i is in it iff 1 + Σ_{x_j ≥ x_i} (x_i - x_j) > 0.
Value sparsemax(Value x) {
  const Value a = expand_dims(x, -1), b = expand_dims(x, -2);
  const Value at_least = cast(greater_equal(b, a), x.dtype());
  const Value inside = greater(1.0 + reduce_sum(at_least * (a - b), {-1}), zero(x));
  const Value support = cast(inside, x.dtype());
  const Value tau = (reduce_sum(select(inside, x, zero(x)), {-1}, true) - 1.0) / reduce_sum(support, {-1}, true);
  return maximum(x - tau, zero(x));
}

Value softmax_activation(Value x) {
  require(x.rank() >= 2, "Cannot apply softmax to a tensor that is 1D. Received input: ", x.spec());
  return softmax(x);
}

using Function = Value (*)(Value);
// In the order of kActivationNames.
constexpr Function kFunctions[] = {
    [](Value x) { return x; },
    [](Value x) { return relu(x); },
    relu6,
    [](Value x) { return sigmoid(x); },
    [](Value x) { return tanh(x); },
    softmax_activation,
    [](Value x) { return log_softmax(x); },
    elu,
    selu,
    [](Value x) { return gelu(x); },
    [](Value x) { return x * sigmoid(x); },
    [](Value x) { return x * sigmoid(x); },
    [](Value x) { return softplus(x); },
    [](Value x) { return x / (abs(x) + 1.0); },
    [](Value x) { return exp(x); },
    [](Value x) { return where_less(x, 0, 0.2 * x, x); },
    hard_sigmoid,
    [](Value x) { return x * hard_sigmoid(x); },
    [](Value x) { return x * hard_sigmoid(x); },
    hard_tanh,
    [](Value x) { return x * tanh(softplus(x)); },
    celu,
    glu,
    [](Value x) { return -softplus(-x); },
    [](Value x) { return select(greater(abs(x), scalar_like(x, 0.5)), x, zero(x)); },
    soft_shrink,
    [](Value x) { return x - tanh(x); },
    [](Value x) { return select(greater(x, scalar_like(x, 0)), x, zero(x)); },
    [](Value x) { return 0.5 * (x + sqrt(square(x) + 4.0)); },
    sparse_plus,
    [](Value x) { return clip(0.5 * (x + 1.0), 0, 1); },
    sparsemax,
};
static_assert(std::size(kFunctions) == kActivationNames.size());

// Only a layer without variables can be an activation: Keras neither trains nor saves those of one.
class LayerActivation final : public OwnActivation {
 public:
  explicit LayerActivation(LayerRef layer) : layer_(std::move(layer)) {}
  Value operator()(Value x) const override {
    {
      static std::mutex building;
      const std::lock_guard lock(building);
      layer_->prepare(SpecArgs{{Nest<Spec>(x.spec())}, {}});
    }
    require(layer_->own_variables().empty() && layer_->weights().empty(), "the layer ", layer_->class_name(),
            " as an activation is not supported, because it has variables; layers without any are");
    Trace trace(x.program(), false);
    return layer_->trace(trace, TracedArgs{{TracedNest(Traced{x, {}})}, {}}).leaf().value;
  }
  Json written() const override { return serialize_layer(*layer_); }
  std::string_view name() const override { return layer_->name(); }

 private:
  LayerRef layer_;
};

class FunctionActivation final : public OwnActivation {
 public:
  FunctionActivation(std::string name, std::function<Value(Value)> call)
      : name_(std::move(name)), call_(std::move(call)) {}
  Value operator()(Value x) const override { return call_(x); }
  Json written() const override { return function_json(name_); }
  std::string_view name() const override { return name_; }

 private:
  std::string name_;
  std::function<Value(Value)> call_;
};

ActivationFunction layer_activation(const Json& json) {
  return ActivationFunction(std::make_unique<const LayerActivation>(deserialize_layer(json)));
}

}  // namespace

Value ActivationFunction::operator()(Value x) const { return own_ ? (*own_)(x) : kFunctions[index_](x); }

ActivationFunction::ActivationFunction(std::string name, std::function<Value(Value)> function)
    : ActivationFunction((require(static_cast<bool>(function), "an activation was given as an empty std::function"),
                          std::make_unique<const FunctionActivation>(std::move(name), std::move(function)))) {}

void ActivationFunction::let_go() const {
  if (--own_->holders_ == 0) delete own_;
}

ActivationFunction ActivationFunction::from(std::string_view name) {
  ActivationFunction out;
  out.index_ = find(name);
  if (out.index_ >= 0) return out;
  if (const auto function = find_function(std::string(name)); function && function->of_value)
    return {std::string(name), function->of_value};
  const std::string near = nearest(name, std::span<const std::string_view>(kActivationNames));
  throw UsageError(cat("unknown activation '", name, "'", near.empty() ? "" : cat("; did you mean '", near, "'?"), " (",
                       join(kActivationNames, ", "), ")"));
}

Json encode(const ActivationFunction& activation) {
  return activation.own() ? activation.own()->written() : Json(std::string(activation.name()));
}

void decode(const Json& json, ActivationFunction& out) {
  if (json.is_null())
    out = ActivationFunction();
  else if (json.is_string())
    out = ActivationFunction::from(json.as_string());
  else if (const std::string name = function_name(json); !name.empty())
    out = ActivationFunction::from(name);
  else if (json.is_object() && json.as_object().contains("class_name"))
    out = layer_activation(json);
  else
    throw DataError(cat("an activation is a name or an object with a class; got ", json.dump()));
}

}  // namespace ramet
