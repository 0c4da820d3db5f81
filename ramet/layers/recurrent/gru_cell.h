#pragma once
#include "ramet/layers/recurrent/cell.h"

namespace ramet {
namespace layers {

// Gated recurrent unit. Gates lie side by side in the weights as z, r, h:
//   z, r = recurrent_activation(x·K + h·U + b),  h' = z∘h + (1-z)∘activation(x·K_h + …)
// where … is r∘(h·U_h + b_h) with reset_after (bias [2, 3·units]: for x, for h), and (r∘h)·U_h without (bias
// [3·units]).
struct GRUCellConfig {
  std::int64_t units = 0;
  Activation activation = "tanh";
  Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer recurrent_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint recurrent_constraint = nullptr;
  Constraint bias_constraint = nullptr;
  double dropout = 0;
  double recurrent_dropout = 0;
  bool reset_after = true;
  std::optional<std::int64_t> seed = std::nullopt;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &GRUCellConfig::units, positive),
      field("activation", &GRUCellConfig::activation),
      field("recurrent_activation", &GRUCellConfig::recurrent_activation),
      field("use_bias", &GRUCellConfig::use_bias),
      field("kernel_initializer", &GRUCellConfig::kernel_initializer),
      field("recurrent_initializer", &GRUCellConfig::recurrent_initializer),
      field("bias_initializer", &GRUCellConfig::bias_initializer),
      field("kernel_regularizer", &GRUCellConfig::kernel_regularizer),
      field("recurrent_regularizer", &GRUCellConfig::recurrent_regularizer),
      field("bias_regularizer", &GRUCellConfig::bias_regularizer),
      field("kernel_constraint", &GRUCellConfig::kernel_constraint),
      field("recurrent_constraint", &GRUCellConfig::recurrent_constraint),
      field("bias_constraint", &GRUCellConfig::bias_constraint),
      field("dropout", &GRUCellConfig::dropout),
      field("recurrent_dropout", &GRUCellConfig::recurrent_dropout),
      field("reset_after", &GRUCellConfig::reset_after),
      field("seed", &GRUCellConfig::seed),
  };
};
inline void normalize(GRUCellConfig& c) { clamp_rates(c.dropout, c.recurrent_dropout); }

class GRUCellLayer final : public CellOf<GRUCellLayer, GRUCellConfig> {
 public:
  static constexpr std::string_view kClassName = "GRUCell";
  using CellOf::CellOf;
  Nest<std::int64_t> state_size() const override { return config().units; }
  std::optional<std::size_t> output_state() const override { return 0; }
  void build(Builder& b, const Spec& x) override;
  CellConstants constants(const CallContext& ctx, const Spec& x) const override;
  Value project(const CallContext& ctx, Value x, const CellConstants& constants) const override;
  std::optional<CellSequence> sequence(const CallContext& ctx, Value x, const Values& states, Value mask,
                                       const CellConstants& constants, bool reverse) const override;
  CellStep step(const CallContext& ctx, Value x, const Values& states, const CellConstants& constants) const override;

 private:
  Weight kernel_, recurrent_kernel_, bias_, seed_;
};

}  // namespace layers
using GRUCell = Handle<layers::GRUCellLayer>;
}  // namespace ramet
