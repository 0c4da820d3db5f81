#include "ramet/nn/regression_losses.h"

#include <cmath>

#include "ramet/ops/ops.h"

namespace ramet::losses {

using namespace ops;

namespace {

constexpr double kEpsilon = 1e-7;

// y_true as y_pred's type, ranks made equal.
struct Pair {
  Value y, p;
  Pair(Value y_true, Value y_pred) { std::tie(y, p) = same_rank(cast(y_true, y_pred.dtype()), y_pred); }
};

LossBase::Unreduced mean(Value x) { return {reduce_mean(x, {-1}), {}}; }

// x / |x| along the axis, with Keras' bound on the square under the root.
Value unit(Value x, std::int64_t axis) {
  const Value square_sum = reduce_sum(square(x), {axis}, true);
  return x * rsqrt(maximum(square_sum, scalar_like(x, kEpsilon * kEpsilon)));
}

}  // namespace

LossBase::Unreduced MeanSquaredError::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  return mean(square(y - p));
}

LossBase::Unreduced MeanAbsoluteError::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  return mean(abs(y - p));
}

LossBase::Unreduced MeanAbsolutePercentageError::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  return {reduce_mean(abs((y - p) / maximum(abs(y), scalar_like(y, kEpsilon))), {-1}) * 100.0, {}};
}

LossBase::Unreduced MeanSquaredLogarithmicError::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  const Value log_p = log(maximum(p, scalar_like(p, kEpsilon)) + 1.0);
  const Value log_y = log(maximum(y, scalar_like(y, kEpsilon)) + 1.0);
  return mean(square(log_p - log_y));
}

// e²/2 where |e| ≤ δ, else δ|e| − δ²/2.
LossBase::Unreduced Huber::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  const double delta = config().delta;
  const Value e = p - y, size = abs(e);
  return mean(select(less_equal(size, scalar_like(e, delta)), square(e) * 0.5, size * delta - 0.5 * delta * delta));
}

// ln cosh x = x + softplus(−2x) − ln 2.
LossBase::Unreduced LogCosh::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  const Value x = p - y;
  return mean(x + softplus(x * -2.0) - std::log(2.0));
}

LossBase::Unreduced CosineSimilarity::call(Value y_true, Value y_pred) const {
  const auto [y, p] = Pair(y_true, y_pred);
  const std::int64_t axis = config().axis;
  return {-reduce_sum(unit(y, axis) * unit(p, axis), {axis}), {}};
}

}  // namespace ramet::losses
