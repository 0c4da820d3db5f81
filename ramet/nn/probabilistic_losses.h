// Losses on probabilities and logits.
#pragma once
#include "ramet/nn/loss.h"

namespace ramet::losses {

// The weight of all classes, or of each.
class ClassWeights {
 public:
  ClassWeights(double value) : values_{value} {}
  ClassWeights(std::initializer_list<double> values) : values_(values) {}
  explicit ClassWeights(std::vector<double> values) : values_(std::move(values)) {}
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};
inline Json encode(const ClassWeights& w) {
  return w.values().size() == 1 ? Json(w.values()[0]) : ramet::encode(w.values());
}
inline void decode(const Json& json, ClassWeights& out) {
  std::vector<double> list;
  if (json.is_number())
    list = {json.as_double()};
  else
    ramet::decode(json, list);
  out = ClassWeights(std::move(list));
}

struct BinaryCrossentropyConfig {
  bool from_logits = false;
  double label_smoothing = 0;
  std::int64_t axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields =
      Fields{field("from_logits", &BinaryCrossentropyConfig::from_logits),
             field("label_smoothing", &BinaryCrossentropyConfig::label_smoothing, in_unit_interval),
             field("axis", &BinaryCrossentropyConfig::axis), field("reduction", &BinaryCrossentropyConfig::reduction),
             field("name", &BinaryCrossentropyConfig::name)};
};
using CategoricalCrossentropyConfig = BinaryCrossentropyConfig;

struct BinaryFocalCrossentropyConfig {
  bool apply_class_balancing = false;
  double alpha = 0.25, gamma = 2.0;
  bool from_logits = false;
  double label_smoothing = 0;
  std::int64_t axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields =
      Fields{field("apply_class_balancing", &BinaryFocalCrossentropyConfig::apply_class_balancing),
             field("alpha", &BinaryFocalCrossentropyConfig::alpha),
             field("gamma", &BinaryFocalCrossentropyConfig::gamma),
             field("from_logits", &BinaryFocalCrossentropyConfig::from_logits),
             field("label_smoothing", &BinaryFocalCrossentropyConfig::label_smoothing, in_unit_interval),
             field("axis", &BinaryFocalCrossentropyConfig::axis),
             field("reduction", &BinaryFocalCrossentropyConfig::reduction),
             field("name", &BinaryFocalCrossentropyConfig::name)};
};
struct CategoricalFocalCrossentropyConfig {
  ClassWeights alpha = 0.25;
  double gamma = 2.0;
  bool from_logits = false;
  double label_smoothing = 0;
  std::int64_t axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields =
      Fields{field("alpha", &CategoricalFocalCrossentropyConfig::alpha),
             field("gamma", &CategoricalFocalCrossentropyConfig::gamma),
             field("from_logits", &CategoricalFocalCrossentropyConfig::from_logits),
             field("label_smoothing", &CategoricalFocalCrossentropyConfig::label_smoothing, in_unit_interval),
             field("axis", &CategoricalFocalCrossentropyConfig::axis),
             field("reduction", &CategoricalFocalCrossentropyConfig::reduction),
             field("name", &CategoricalFocalCrossentropyConfig::name)};
};
struct SparseCategoricalCrossentropyConfig {
  bool from_logits = false;
  std::optional<std::int64_t> ignore_class = std::nullopt;
  std::int64_t axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields = Fields{field("from_logits", &SparseCategoricalCrossentropyConfig::from_logits),
                                        field("ignore_class", &SparseCategoricalCrossentropyConfig::ignore_class),
                                        field("axis", &SparseCategoricalCrossentropyConfig::axis),
                                        field("reduction", &SparseCategoricalCrossentropyConfig::reduction),
                                        field("name", &SparseCategoricalCrossentropyConfig::name)};
};

class BinaryCrossentropy final : public LossOf<BinaryCrossentropy, BinaryCrossentropyConfig> {
 public:
  static constexpr std::string_view kClassName = "BinaryCrossentropy";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class BinaryFocalCrossentropy final : public LossOf<BinaryFocalCrossentropy, BinaryFocalCrossentropyConfig> {
 public:
  static constexpr std::string_view kClassName = "BinaryFocalCrossentropy";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
// y_true holds a weight for every class, usually one-hot.
class CategoricalCrossentropy final : public LossOf<CategoricalCrossentropy, CategoricalCrossentropyConfig> {
 public:
  static constexpr std::string_view kClassName = "CategoricalCrossentropy";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class CategoricalFocalCrossentropy final
    : public LossOf<CategoricalFocalCrossentropy, CategoricalFocalCrossentropyConfig> {
 public:
  static constexpr std::string_view kClassName = "CategoricalFocalCrossentropy";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
// y_true holds class numbers. One that is out of range is a DataError (Keras counts it as a loss of 0).
class SparseCategoricalCrossentropy final
    : public LossOf<SparseCategoricalCrossentropy, SparseCategoricalCrossentropyConfig> {
 public:
  static constexpr std::string_view kClassName = "SparseCategoricalCrossentropy";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class KLDivergence final : public LossOf<KLDivergence, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "KLDivergence";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class Poisson final : public LossOf<Poisson, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "Poisson";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};

}  // namespace ramet::losses
