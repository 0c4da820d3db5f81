// Losses on numbers: differences, ratios, directions.
#pragma once
#include "ramet/nn/loss.h"

namespace ramet::losses {

struct HuberConfig {
  double delta = 1.0;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields = Fields{field("delta", &HuberConfig::delta),
                                        field("reduction", &HuberConfig::reduction), field("name", &HuberConfig::name)};
};
struct CosineSimilarityConfig {
  std::int64_t axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields =
      Fields{field("axis", &CosineSimilarityConfig::axis), field("reduction", &CosineSimilarityConfig::reduction),
             field("name", &CosineSimilarityConfig::name)};
};

class MeanSquaredError final : public LossOf<MeanSquaredError, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanSquaredError";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class MeanAbsoluteError final : public LossOf<MeanAbsoluteError, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanAbsoluteError";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class MeanAbsolutePercentageError final : public LossOf<MeanAbsolutePercentageError, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanAbsolutePercentageError";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class MeanSquaredLogarithmicError final : public LossOf<MeanSquaredLogarithmicError, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "MeanSquaredLogarithmicError";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class Huber final : public LossOf<Huber, HuberConfig> {
 public:
  static constexpr std::string_view kClassName = "Huber", kDefaultName = "huber_loss";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class LogCosh final : public LossOf<LogCosh, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "LogCosh";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class CosineSimilarity final : public LossOf<CosineSimilarity, CosineSimilarityConfig> {
 public:
  static constexpr std::string_view kClassName = "CosineSimilarity";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};

}  // namespace ramet::losses
