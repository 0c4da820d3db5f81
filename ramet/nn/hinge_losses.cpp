#include "ramet/nn/hinge_losses.h"

#include "ramet/ops/ops.h"

namespace ramet::losses {

using namespace ops;

namespace {

// 2y − 1 when every label is 0 or 1, else y.
Value signed_labels(Value y) {
  const Value is_bit = logical_or(equal(y, scalar_like(y, 0)), equal(y, scalar_like(y, 1)));
  return select(reduce_min(is_bit, all_axes(is_bit)), 2.0 * y - 1.0, y);
}

// max(1 − y·p, 0)
Value margin(Value y_true, Value y_pred) {
  const auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  return maximum(1.0 - signed_labels(y) * p, scalar_like(p, 0));
}

}  // namespace

LossBase::Unreduced Hinge::call(Value y_true, Value y_pred) const {
  return {reduce_mean(margin(y_true, y_pred), {-1}), {}};
}
LossBase::Unreduced SquaredHinge::call(Value y_true, Value y_pred) const {
  return {reduce_mean(square(margin(y_true, y_pred)), {-1}), {}};
}

LossBase::Unreduced CategoricalHinge::call(Value y_true, Value y_pred) const {
  const auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  const Value right = reduce_sum(y * p, {-1}), wrong = reduce_max((1.0 - y) * p, {-1});
  return {maximum(wrong - right + 1.0, scalar_like(p, 0)), {}};
}

}  // namespace ramet::losses
