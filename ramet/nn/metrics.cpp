#include "ramet/nn/metrics.h"

#include "ramet/ops/ops.h"

namespace ramet {
namespace metrics {

void Mean::update(Trace& trace, const VariableRefs& state, Value, Value y_pred, Value sample_weight, Value mask) const {
  update_mean(trace, state, y_pred, losses::masked_weight(sample_weight, mask, false));
}

void Sum::update(Trace& trace, const VariableRefs& state, Value, Value y_pred, Value sample_weight, Value mask) const {
  update_mean(trace, state, y_pred, losses::masked_weight(sample_weight, mask, false));
}

// Keras drops the mask here: the squares it takes do not carry one.
void RootMeanSquaredError::update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred,
                                  Value sample_weight, Value) const {
  const auto [y, p] = losses::same_rank(ops::cast(y_true, y_pred.dtype()), y_pred);
  update_mean(trace, state, ops::square(p - y), sample_weight);
}
Value RootMeanSquaredError::result(const Values& state) const { return ops::sqrt(MetricBase::result(state)); }

void CosineSimilarity::update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
                              Value mask) const {
  update_mean(trace, state, -loss().call(y_true, y_pred).values, losses::masked_weight(sample_weight, mask, false));
}

}  // namespace metrics

const std::vector<ObjectClass<MetricBase>>& MetricBase::classes() {
  using namespace metrics;
  static const std::vector<ObjectClass<MetricBase>> list = {
      Mean::registration(),
      Sum::registration(),
      Accuracy::registration(),
      BinaryAccuracy::registration(),
      CategoricalAccuracy::registration(),
      SparseCategoricalAccuracy::registration(),
      TopKCategoricalAccuracy::registration(),
      SparseTopKCategoricalAccuracy::registration(),
      MeanSquaredError::registration({"mse", "MSE"}),
      RootMeanSquaredError::registration({"rmse", "RMSE"}),
      MeanAbsoluteError::registration({"mae", "MAE"}),
      MeanAbsolutePercentageError::registration({"mape", "MAPE"}),
      MeanSquaredLogarithmicError::registration({"msle", "MSLE"}),
      LogCoshError::registration({"logcosh"}),
      Poisson::registration(),
      KLDivergence::registration({"kl_divergence", "kld", "KLD"}),
      Hinge::registration(),
      SquaredHinge::registration(),
      CategoricalHinge::registration(),
      BinaryCrossentropy::registration({"bce", "BCE"}),
      CategoricalCrossentropy::registration(),
      SparseCategoricalCrossentropy::registration(),
      CosineSimilarity::registration(),
  };
  return list;
}

}  // namespace ramet
