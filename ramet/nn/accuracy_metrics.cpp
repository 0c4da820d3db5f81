#include "ramet/nn/accuracy_metrics.h"

#include "ramet/ops/ops.h"

namespace ramet::metrics {

using namespace ops;

namespace {

// Class numbers without a trailing axis of one.
Value labels(Value y_true, Value y_pred) {
  if (y_true.rank() == y_pred.rank() && y_true.dim(-1) == 1) return squeeze(y_true, -1);
  return y_true;
}

// Fewer than k classes are more likely than the label. A label that is no class is never among the first k.
Value in_top_k(Value label, Value p, std::int64_t k) {
  const Value y = cast(label, DType::i32), chosen = one_hot(y, p.dim(-1), DType::boolean);
  // p at the label, without reading outside: everything else counts as 0.
  const Value at_label = reduce_sum(select(chosen, p, scalar_like(p, 0)), {-1}, true);
  const Value better = reduce_sum(cast(greater(p, at_label), DType::i32), {-1});
  return logical_and(less(better, scalar_like(better, static_cast<double>(k))), reduce_max(chosen, {-1}));
}

}  // namespace

Value Accuracy::matches(Value y_true, Value y_pred) const {
  const auto [y, p] = losses::same_rank(cast(y_true, y_pred.dtype()), y_pred);
  return equal(y, p);
}

Value BinaryAccuracy::matches(Value y_true, Value y_pred) const {
  const auto [y, p] = losses::same_rank(y_true, y_pred);
  return equal(cast(y, DType::f32), cast(greater(p, scalar_like(p, config().threshold)), DType::f32));
}

Value CategoricalAccuracy::matches(Value y_true, Value y_pred) const {
  return equal(argmax(y_true, -1), argmax(y_pred, -1));
}

Value SparseCategoricalAccuracy::matches(Value y_true, Value y_pred) const {
  return equal(cast(labels(y_true, y_pred), DType::i32), argmax(y_pred, -1));
}

Value TopKCategoricalAccuracy::matches(Value y_true, Value y_pred) const {
  return in_top_k(argmax(y_true, -1), y_pred, config().k);
}
Value SparseTopKCategoricalAccuracy::matches(Value y_true, Value y_pred) const {
  return in_top_k(labels(y_true, y_pred), y_pred, config().k);
}

}  // namespace ramet::metrics
