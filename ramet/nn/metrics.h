// All metrics. In `compile` they are named by string ("accuracy", "mse") or given as objects
// (metrics::TopKCategoricalAccuracy({.k = 3})).
#pragma once
#include "ramet/nn/accuracy_metrics.h"
#include "ramet/nn/losses.h"

namespace ramet::metrics {

class Mean final : public MetricOf<Mean, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "Mean";
  using MetricOf::MetricOf;
  // Of y_pred; y_true is not looked at.
  void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
              Value mask) const override;
};
class Sum final : public MetricOf<Sum, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "Sum";
  using MetricOf::MetricOf;
  std::vector<std::string> state_names() const override { return {"total"}; }
  void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
              Value mask) const override;
  Value result(const Values& state) const override { return state[0]; }
};
class RootMeanSquaredError final : public MetricOf<RootMeanSquaredError, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "RootMeanSquaredError";
  using MetricOf::MetricOf;
  void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
              Value mask) const override;
  Value result(const Values& state) const override;
  std::optional<bool> higher_is_better() const override { return false; }
};

struct LogitsMetricConfig {
  std::string name = "";
  bool from_logits = false;
  double label_smoothing = 0;
  static constexpr auto fields =
      Fields{field("name", &LogitsMetricConfig::name), field("from_logits", &LogitsMetricConfig::from_logits),
             field("label_smoothing", &LogitsMetricConfig::label_smoothing, in_unit_interval)};
};
struct LogitsAxisMetricConfig {
  std::string name = "";
  bool from_logits = false;
  double label_smoothing = 0;
  std::int64_t axis = -1;
  static constexpr auto fields =
      Fields{field("name", &LogitsAxisMetricConfig::name), field("from_logits", &LogitsAxisMetricConfig::from_logits),
             field("label_smoothing", &LogitsAxisMetricConfig::label_smoothing, in_unit_interval),
             field("axis", &LogitsAxisMetricConfig::axis)};
};
struct SparseMetricConfig {
  std::string name = "";
  bool from_logits = false;
  std::optional<std::int64_t> ignore_class = std::nullopt;
  std::int64_t axis = -1;
  static constexpr auto fields =
      Fields{field("name", &SparseMetricConfig::name), field("from_logits", &SparseMetricConfig::from_logits),
             field("ignore_class", &SparseMetricConfig::ignore_class), field("axis", &SparseMetricConfig::axis)};
};
struct AxisMetricConfig {
  std::string name = "";
  std::int64_t axis = -1;
  static constexpr auto fields = Fields{field("name", &AxisMetricConfig::name), field("axis", &AxisMetricConfig::axis)};
};

// The mean of a loss' values. A Config that the loss has fields of the same name for passes them on.
template <class Derived, class L, class C>
class MeanOf : public MetricOf<Derived, C> {
 public:
  using MetricOf<Derived, C>::MetricOf;
  void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
              Value mask) const override {
    const auto [values, valid] = loss().call(y_true, y_pred);
    update_mean(trace, state, values, losses::masked_weight(sample_weight, mask, false), valid);
  }
  std::optional<bool> higher_is_better() const override { return false; }

 protected:
  L loss() const {
    typename L::Config out;
    const C& c = this->config();
    if constexpr (requires { c.from_logits; }) out.from_logits = c.from_logits;
    if constexpr (requires { c.label_smoothing; }) out.label_smoothing = c.label_smoothing;
    if constexpr (requires { c.ignore_class; }) out.ignore_class = c.ignore_class;
    if constexpr (requires { c.axis; }) out.axis = c.axis;
    return L(std::move(out));
  }
};

class MeanSquaredError final : public MeanOf<MeanSquaredError, losses::MeanSquaredError, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanSquaredError";
  using MeanOf::MeanOf;
};
class MeanAbsoluteError final : public MeanOf<MeanAbsoluteError, losses::MeanAbsoluteError, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanAbsoluteError";
  using MeanOf::MeanOf;
};
class MeanAbsolutePercentageError final
    : public MeanOf<MeanAbsolutePercentageError, losses::MeanAbsolutePercentageError, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanAbsolutePercentageError";
  using MeanOf::MeanOf;
};
class MeanSquaredLogarithmicError final
    : public MeanOf<MeanSquaredLogarithmicError, losses::MeanSquaredLogarithmicError, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanSquaredLogarithmicError";
  using MeanOf::MeanOf;
};
class LogCoshError final : public MeanOf<LogCoshError, losses::LogCosh, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "LogCoshError", kDefaultName = "logcosh";
  using MeanOf::MeanOf;
};
class Poisson final : public MeanOf<Poisson, losses::Poisson, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "Poisson";
  using MeanOf::MeanOf;
};
class KLDivergence final : public MeanOf<KLDivergence, losses::KLDivergence, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "KLDivergence";
  using MeanOf::MeanOf;
};
class Hinge final : public MeanOf<Hinge, losses::Hinge, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "Hinge";
  using MeanOf::MeanOf;
};
class SquaredHinge final : public MeanOf<SquaredHinge, losses::SquaredHinge, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "SquaredHinge";
  using MeanOf::MeanOf;
};
class CategoricalHinge final : public MeanOf<CategoricalHinge, losses::CategoricalHinge, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "CategoricalHinge";
  using MeanOf::MeanOf;
};
class BinaryCrossentropy final : public MeanOf<BinaryCrossentropy, losses::BinaryCrossentropy, LogitsMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "BinaryCrossentropy";
  using MeanOf::MeanOf;
};
class CategoricalCrossentropy final
    : public MeanOf<CategoricalCrossentropy, losses::CategoricalCrossentropy, LogitsAxisMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "CategoricalCrossentropy";
  using MeanOf::MeanOf;
};
class SparseCategoricalCrossentropy final
    : public MeanOf<SparseCategoricalCrossentropy, losses::SparseCategoricalCrossentropy, SparseMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "SparseCategoricalCrossentropy";
  using MeanOf::MeanOf;
};
// The cosine itself: 1 is best, where the loss of the same name has −1.
class CosineSimilarity final : public MeanOf<CosineSimilarity, losses::CosineSimilarity, AxisMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "CosineSimilarity";
  using MeanOf::MeanOf;
  void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
              Value mask) const override;
  std::optional<bool> higher_is_better() const override { return true; }
};

}  // namespace ramet::metrics
