#include "ramet/nn/probabilistic_losses.h"

#include "ramet/ops/ops.h"

namespace ramet::losses {

using namespace ops;

namespace {

constexpr double kEpsilon = 1e-7;

Value clip(Value x, double low, double high) { return minimum(maximum(x, scalar_like(x, low)), scalar_like(x, high)); }
Value clip_probability(Value p) { return clip(p, kEpsilon, 1 - kEpsilon); }

// Probabilities along the axis, made to add up to one.
Value normalized(Value p, std::int64_t axis) { return clip_probability(p / reduce_sum(p, {axis}, true)); }

// ln of the classes' probabilities along the axis.
Value log_probabilities(Value p, bool from_logits, std::int64_t axis) {
  return from_logits ? log_softmax(p, static_cast<int>(axis)) : log(normalized(p, axis));
}

Value smooth_binary(Value y, double s) { return s == 0 ? y : y * (1 - s) + 0.5 * s; }
// Keras divides by the size of the last axis, whatever the class axis is.
Value smooth_classes(Value y, double s) { return s == 0 ? y : y * (1 - s) + s / static_cast<double>(y.dim(-1)); }

void require_same_shape(std::string_view who, Value y, Value p) {
  require(y.shape() == p.shape(), who,
          ": Arguments `target` and `output` must have the same shape. Received: target.shape=", to_string(y.shape()),
          ", output.shape=", to_string(p.shape()));
}

// −(y ln p + (1−y) ln(1−p)); for logits z: max(z, 0) − z·y + ln(1 + e^−|z|) = softplus(z) − z·y.
Value binary_crossentropy(Value y, Value p, bool from_logits) {
  if (from_logits) return softplus(p) - p * y;
  const Value q = clip_probability(p);
  return -(y * log(q) + (1.0 - y) * log(1.0 - q));
}

// x^e, without pow where a product will do: its derivative at 0 stays finite.
Value power(Value x, double e) {
  if (e == 1) return x;
  if (e == 2) return square(x);
  return pow(x, scalar_like(x, e));
}

}  // namespace

LossBase::Unreduced BinaryCrossentropy::call(Value y_true, Value y_pred) const {
  auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  require_same_shape(kClassName, y, p);
  return {reduce_mean(binary_crossentropy(smooth_binary(y, config().label_smoothing), p, config().from_logits),
                      {config().axis}),
          {}};
}

// p_t is the probability of what is true; (1 − p_t)^γ weighs the hard cases.
LossBase::Unreduced BinaryFocalCrossentropy::call(Value y_true, Value y_pred) const {
  auto [target, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  require_same_shape(kClassName, target, p);
  const Value y = smooth_binary(target, config().label_smoothing);
  if (config().from_logits) p = sigmoid(p);
  const Value p_t = y * p + (1.0 - y) * (1.0 - p);
  Value loss = power(1.0 - p_t, config().gamma) * binary_crossentropy(y, p, false);
  if (config().apply_class_balancing) loss = loss * (y * config().alpha + (1.0 - y) * (1 - config().alpha));
  return {reduce_mean(loss, {config().axis}), {}};
}

LossBase::Unreduced CategoricalCrossentropy::call(Value y_true, Value y_pred) const {
  auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  require_same_shape(kClassName, y, p);
  const std::int64_t axis = config().axis;
  return {-reduce_sum(smooth_classes(y, config().label_smoothing) * log_probabilities(p, config().from_logits, axis),
                      {axis}),
          {}};
}

LossBase::Unreduced CategoricalFocalCrossentropy::call(Value y_true, Value y_pred) const {
  auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  require_same_shape(kClassName, y, p);
  const std::int64_t axis = config().axis;
  if (config().from_logits) p = softmax(p, static_cast<int>(axis));
  const Value q = normalized(p, axis);
  const auto& alpha = config().alpha.values();
  require(alpha.size() == 1 || static_cast<std::int64_t>(alpha.size()) == q.dim(-1),
          "CategoricalFocalCrossentropy: `alpha` has ", alpha.size(), " values for ", q.dim(-1), " classes");
  const Value weight =
      power(1.0 - q, config().gamma) *
      cast(constant(q.program(), Array::of<double>({static_cast<std::int64_t>(alpha.size())}, alpha)), q.dtype());
  return {-reduce_sum(weight * smooth_classes(y, config().label_smoothing) * log(q), {axis}), {}};
}

LossBase::Unreduced SparseCategoricalCrossentropy::call(Value y_true, Value y_pred) const {
  const int axis = canonical_axis(config().axis, y_pred.rank(), "SparseCategoricalCrossentropy");
  if (y_true.rank() == y_pred.rank() && y_true.dim(axis) == 1) y_true = squeeze(y_true, axis);
  Shape want = y_pred.shape();
  want.erase(want.begin() + axis);
  require(y_true.shape() == want,
          "SparseCategoricalCrossentropy: Arguments `target` and `output` must have the same shape up until the last "
          "dimension: target.shape=",
          to_string(y_true.shape()), ", output.shape=", to_string(y_pred.shape()),
          "; labels that are one-hot need categorical_crossentropy");
  Value label = cast(y_true, y_true.dtype() == DType::i64 ? DType::i64 : DType::i32), valid;
  if (config().ignore_class) {
    valid = not_equal(label, scalar_like(label, static_cast<double>(*config().ignore_class)));
    label = select(valid, label, scalar_like(label, 0));
    y_pred = select(expand_dims(valid, axis), y_pred, scalar_like(y_pred, 0));
  }
  const auto with_classes_last = [&](Value x) {
    std::vector<std::int64_t> order;
    for (int i = 0; i < static_cast<int>(x.rank()); ++i)
      if (i != axis) order.push_back(i);
    order.push_back(axis);
    return axis + 1 == static_cast<int>(x.rank()) ? x : transpose(x, order);
  };
  Value loss = config().from_logits ? -log_softmax_at(with_classes_last(y_pred), label, "label")
                                    : -take_last(with_classes_last(log(normalized(y_pred, axis))), label, {"label"});
  if (valid) loss = select(valid, loss, scalar_like(loss, 0));
  return {loss, valid};
}

LossBase::Unreduced KLDivergence::call(Value y_true, Value y_pred) const {
  const auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  const Value a = clip(y, kEpsilon, 1), b = clip(p, kEpsilon, 1);
  return {reduce_sum(a * log(a / b), {-1}), {}};
}

LossBase::Unreduced Poisson::call(Value y_true, Value y_pred) const {
  const auto [y, p] = same_rank(cast(y_true, y_pred.dtype()), y_pred);
  return {reduce_mean(p - y * log(p + kEpsilon), {-1}), {}};
}

}  // namespace ramet::losses
