// How often predictions are right.
#pragma once
#include "ramet/nn/metric.h"

namespace ramet::metrics {

struct BinaryAccuracyConfig {
  std::string name = "";
  double threshold = 0.5;
  static constexpr auto fields =
      Fields{field("name", &BinaryAccuracyConfig::name), field("threshold", &BinaryAccuracyConfig::threshold)};
};
struct TopKConfig {
  std::int64_t k = 5;
  std::string name = "";
  static constexpr auto fields = Fields{field("k", &TopKConfig::k, positive), field("name", &TopKConfig::name)};
};

// An accuracy says for every place whether it is right; the rest is a weighted mean.
template <class Derived, class C>
class AccuracyOf : public MetricOf<Derived, C> {
 public:
  using MetricOf<Derived, C>::MetricOf;
  void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
              Value mask) const final {
    update_mean(trace, state, matches(y_true, y_pred), losses::masked_weight(sample_weight, mask, false));
  }
  std::optional<bool> higher_is_better() const final { return true; }
  virtual Value matches(Value y_true, Value y_pred) const = 0;  // bool
};

class Accuracy final : public AccuracyOf<Accuracy, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "Accuracy";
  using AccuracyOf::AccuracyOf;
  Value matches(Value y_true, Value y_pred) const override;
};
class BinaryAccuracy final : public AccuracyOf<BinaryAccuracy, BinaryAccuracyConfig> {
 public:
  static constexpr std::string_view kClassName = "BinaryAccuracy";
  using AccuracyOf::AccuracyOf;
  Value matches(Value y_true, Value y_pred) const override;
};
class CategoricalAccuracy final : public AccuracyOf<CategoricalAccuracy, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "CategoricalAccuracy";
  using AccuracyOf::AccuracyOf;
  Value matches(Value y_true, Value y_pred) const override;
};
class SparseCategoricalAccuracy final : public AccuracyOf<SparseCategoricalAccuracy, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "SparseCategoricalAccuracy";
  using AccuracyOf::AccuracyOf;
  Value matches(Value y_true, Value y_pred) const override;
};
class TopKCategoricalAccuracy final : public AccuracyOf<TopKCategoricalAccuracy, TopKConfig> {
 public:
  static constexpr std::string_view kClassName = "TopKCategoricalAccuracy";
  using AccuracyOf::AccuracyOf;
  Value matches(Value y_true, Value y_pred) const override;
};
class SparseTopKCategoricalAccuracy final : public AccuracyOf<SparseTopKCategoricalAccuracy, TopKConfig> {
 public:
  static constexpr std::string_view kClassName = "SparseTopKCategoricalAccuracy";
  using AccuracyOf::AccuracyOf;
  Value matches(Value y_true, Value y_pred) const override;
};

}  // namespace ramet::metrics
