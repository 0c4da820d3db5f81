#include "ramet/nn/metric.h"

#include "ramet/ops/ops.h"

namespace ramet {

using namespace ops;

VariableRefs MetricBase::make_state() const {
  VariableRefs out;
  for (const auto& n : state_names()) {
    out.push_back(std::make_shared<Variable>(n, Array::scalar(0)));
    out.back()->path = cat(name(), "/", n);
    out.back()->is_parameter = out.back()->trainable = false;
  }
  return out;
}

Value MetricBase::result(const Values& state) const { return losses::divide_no_nan(state[0], state[1]); }

std::shared_ptr<const MetricBase> MetricBase::from_function(std::string name, Function function) {
  struct OwnMetric final : FunctionObject<MetricBase> {
    using FunctionObject::FunctionObject;
    // As Python names it: without the package.
    std::string name() const override {
      return function_name() == kNameless ? function_name() : function_name().substr(function_name().find('>') + 1);
    }
    void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
                Value mask) const override {
      const auto [y, p] = losses::same_rank(cast(y_true, y_pred.dtype()), y_pred);
      metrics::update_mean(trace, state, function()(y, p), losses::masked_weight(sample_weight, mask, false));
    }
  };
  return std::make_shared<const OwnMetric>(std::move(name), std::move(function));
}

namespace metrics {
namespace {

// Axes begin … rank − 1.
Axes axes_from(std::size_t begin, std::size_t rank) {
  Axes axes;
  for (std::size_t i = begin; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}
Value mean_from(Value x, std::size_t axis) { return x.rank() > axis ? reduce_mean(x, axes_from(axis, x.rank())) : x; }

}  // namespace

void update_mean(Trace& trace, const VariableRefs& state, Value values, Value weight, Value valid) {
  values = cast(values, DType::f32);
  const bool reduce_by_sum = state.size() == 1;
  const auto reduce = [&](Value x, std::size_t axis) {
    return x.rank() <= axis ? x : reduce_by_sum ? reduce_sum(x, axes_from(axis, x.rank())) : mean_from(x, axis);
  };
  Value count;
  if (weight) {
    weight = losses::masked_weight(cast(weight, DType::f32), valid, false);
    std::tie(values, weight) = losses::same_rank(values, weight);
    const std::size_t rank = weight.rank();
    values = reduce(values, rank);
    losses::check_weight(values, weight);
    weight = broadcast_to(weight, values.shape());
    values = values * weight;
    weight = rank > 1 ? reduce(weight, 1) : weight;
    count = reduce_sum(weight, all_axes(weight));
  } else {
    count = scalar_like(values, values.rank() == 0 ? 1.0 : static_cast<double>(values.dim(0)));
  }
  values = reduce(values, 1);
  trace.update(state[0], trace.value_of(state[0]) + reduce_sum(values, all_axes(values)));
  if (state.size() > 1) trace.update(state[1], trace.value_of(state[1]) + count);
}

}  // namespace metrics
}  // namespace ramet
