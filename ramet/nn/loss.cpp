#include "ramet/nn/loss.h"

#include "ramet/ops/ops.h"

namespace ramet {

using namespace ops;

namespace losses {

std::pair<Value, Value> same_rank(Value a, Value b) {
  const auto fit = [](Value& large, Value& small) {
    if (large.rank() != small.rank() + 1 || large.dim(-1) != 1) return;
    if (small.rank() == 1)
      small = expand_dims(small, -1);
    else
      large = squeeze(large, -1);
  };
  if (a.rank() > b.rank())
    fit(a, b);
  else
    fit(b, a);
  return {a, b};
}

void check_weight(Value values, Value weight) {
  bool fits = weight.rank() <= values.rank();
  try {
    fits = fits && broadcast_shapes(values.shape(), weight.shape()) == values.shape();
  } catch (const UsageError&) { fits = false; }
  require(fits, "sample_weight of shape ", to_string(weight.shape()), " does not fit the values to be weighted, ",
          to_string(values.shape()), "; give one weight per sample, or one per value");
}

Value divide_no_nan(Value a, Value b) {
  const Value zero = scalar_like(b, 0), none = equal(b, zero);
  return select(none, scalar_like(a, 0), a / select(none, scalar_like(b, 1), b));
}

Value masked_weight(Value sample_weight, Value mask, bool mean) {
  if (!mask) return sample_weight;
  Value weight = cast(mask, DType::f32);
  if (mean) {
    const Value valid = reduce_sum(weight, all_axes(weight));
    weight = weight * divide_no_nan(scalar_like(weight, static_cast<double>(element_count(weight.shape()))), valid);
  }
  if (!sample_weight) return weight;
  const auto [m, w] = same_rank(weight, cast(sample_weight, DType::f32));
  return w * m;
}

}  // namespace losses

namespace {

Value reduce(Value values, Value weight, Reduction reduction) {
  if (reduction == "none" || values.rank() == 0) return values;
  const Value sum = reduce_sum(values, all_axes(values));
  if (reduction == "sum") return sum;
  if (reduction == "mean_with_sample_weight" && weight)
    return losses::divide_no_nan(sum, reduce_sum(weight, all_axes(weight)));
  const auto count = static_cast<double>(element_count(values.shape()));
  return count == 0 ? sum : sum / count;
}

}  // namespace

std::shared_ptr<const LossBase> LossBase::from_function(std::string name, Function function) {
  struct OwnLoss final : FunctionObject<LossBase> {
    using FunctionObject::FunctionObject;
    Reduction reduction() const override { return "sum_over_batch_size"; }
    Unreduced call(Value y_true, Value y_pred) const override {
      const auto [y, p] = losses::same_rank(cast(y_true, y_pred.dtype()), y_pred);
      return {cast(function()(y, p), y_pred.dtype()), {}};
    }
  };
  return std::make_shared<const OwnLoss>(std::move(name), std::move(function));
}

Value LossBase::operator()(Value y_true, Value y_pred, Value sample_weight, Value mask) const {
  y_pred = cast(y_pred, DType::f32);
  auto [values, valid] = call(y_true, y_pred);
  if (valid) mask = mask ? logical_and(mask, valid) : valid;
  Value weight =
      losses::masked_weight(sample_weight, mask, reduction() == "mean" || reduction() == "sum_over_batch_size");
  if (weight) {
    std::tie(values, weight) = losses::same_rank(values, cast(weight, values.dtype()));
    losses::check_weight(values, weight);
    values = values * weight;
  }
  return reduce(values, weight, reduction());
}

}  // namespace ramet
