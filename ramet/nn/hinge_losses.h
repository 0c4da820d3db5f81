// Losses that want a margin.
#pragma once
#include "ramet/nn/loss.h"

namespace ramet::losses {

// Labels −1 and 1; labels that are all 0 or 1 are taken as such.
class Hinge final : public LossOf<Hinge, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "Hinge";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class SquaredHinge final : public LossOf<SquaredHinge, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "SquaredHinge";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};
class CategoricalHinge final : public LossOf<CategoricalHinge, PlainLossConfig> {
 public:
  static constexpr std::string_view kClassName = "CategoricalHinge";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override;
};

}  // namespace ramet::losses
