#pragma once
#include "ramet/layers/recurrent/cell.h"

namespace ramet {
namespace layers {

// h' = activation(x·kernel + bias + h·recurrent_kernel); the output is h'.
struct SimpleRNNCellConfig {
  std::int64_t units = 0;
  Activation activation = "tanh";
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
  std::optional<std::int64_t> seed = std::nullopt;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &SimpleRNNCellConfig::units, positive),
      field("activation", &SimpleRNNCellConfig::activation),
      field("use_bias", &SimpleRNNCellConfig::use_bias),
      field("kernel_initializer", &SimpleRNNCellConfig::kernel_initializer),
      field("recurrent_initializer", &SimpleRNNCellConfig::recurrent_initializer),
      field("bias_initializer", &SimpleRNNCellConfig::bias_initializer),
      field("kernel_regularizer", &SimpleRNNCellConfig::kernel_regularizer),
      field("recurrent_regularizer", &SimpleRNNCellConfig::recurrent_regularizer),
      field("bias_regularizer", &SimpleRNNCellConfig::bias_regularizer),
      field("kernel_constraint", &SimpleRNNCellConfig::kernel_constraint),
      field("recurrent_constraint", &SimpleRNNCellConfig::recurrent_constraint),
      field("bias_constraint", &SimpleRNNCellConfig::bias_constraint),
      field("dropout", &SimpleRNNCellConfig::dropout),
      field("recurrent_dropout", &SimpleRNNCellConfig::recurrent_dropout),
      field("seed", &SimpleRNNCellConfig::seed),
  };
};
inline void normalize(SimpleRNNCellConfig& c) { clamp_rates(c.dropout, c.recurrent_dropout); }

class SimpleRNNCellLayer final : public CellOf<SimpleRNNCellLayer, SimpleRNNCellConfig> {
 public:
  static constexpr std::string_view kClassName = "SimpleRNNCell";
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
using SimpleRNNCell = Handle<layers::SimpleRNNCellLayer>;
}  // namespace ramet
