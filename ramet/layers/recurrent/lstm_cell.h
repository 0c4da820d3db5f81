#pragma once
#include "ramet/layers/recurrent/cell.h"

namespace ramet {
namespace layers {

// Long short-term memory. Gates lie side by side in the weights as i, f, c, o:
//   i, f, o = recurrent_activation(x·K + h·U + b),  c' = f∘c + i∘activation(x·K_c + h·U_c + b_c),  h' =
//   o∘activation(c')
// States are h, c; the output is h'.
struct LSTMCellConfig {
  std::int64_t units = 0;
  Activation activation = "tanh";
  Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  // the forget gate's bias starts at one
  Regularizer kernel_regularizer = nullptr;
  Regularizer recurrent_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint recurrent_constraint = nullptr;
  Constraint bias_constraint = nullptr;
  double dropout = 0;
  double recurrent_dropout = 0;
  std::optional<std::int64_t> seed = std::nullopt;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &LSTMCellConfig::units, positive),
      field("activation", &LSTMCellConfig::activation),
      field("recurrent_activation", &LSTMCellConfig::recurrent_activation),
      field("use_bias", &LSTMCellConfig::use_bias),
      field("kernel_initializer", &LSTMCellConfig::kernel_initializer),
      field("recurrent_initializer", &LSTMCellConfig::recurrent_initializer),
      field("bias_initializer", &LSTMCellConfig::bias_initializer),
      field("unit_forget_bias", &LSTMCellConfig::unit_forget_bias),
      field("kernel_regularizer", &LSTMCellConfig::kernel_regularizer),
      field("recurrent_regularizer", &LSTMCellConfig::recurrent_regularizer),
      field("bias_regularizer", &LSTMCellConfig::bias_regularizer),
      field("kernel_constraint", &LSTMCellConfig::kernel_constraint),
      field("recurrent_constraint", &LSTMCellConfig::recurrent_constraint),
      field("bias_constraint", &LSTMCellConfig::bias_constraint),
      field("dropout", &LSTMCellConfig::dropout),
      field("recurrent_dropout", &LSTMCellConfig::recurrent_dropout),
      field("seed", &LSTMCellConfig::seed),
  };
};
inline void normalize(LSTMCellConfig& c) { clamp_rates(c.dropout, c.recurrent_dropout); }

class LSTMCellLayer final : public CellOf<LSTMCellLayer, LSTMCellConfig> {
 public:
  static constexpr std::string_view kClassName = "LSTMCell";
  using CellOf::CellOf;
  Nest<std::int64_t> state_size() const override;
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
using LSTMCell = Handle<layers::LSTMCellLayer>;
}  // namespace ramet
