#pragma once
#include "ramet/layers/recurrent/recurrent.h"
#include "ramet/layers/recurrent/simple_rnn_cell.h"

namespace ramet {
namespace layers {

// SimpleRNNCell over time. Input [batch, steps, features].
struct SimpleRNNConfig {
  std::int64_t units = 0;
  Activation activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer recurrent_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint recurrent_constraint = nullptr;
  Constraint bias_constraint = nullptr;
  double dropout = 0;
  double recurrent_dropout = 0;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool stateful = false;
  bool unroll = false;  // changes nothing here: the loop is one op
  std::optional<std::int64_t> seed = std::nullopt;
  bool zero_output_for_mask = false;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &SimpleRNNConfig::units, positive),
      field("activation", &SimpleRNNConfig::activation),
      field("use_bias", &SimpleRNNConfig::use_bias),
      field("kernel_initializer", &SimpleRNNConfig::kernel_initializer),
      field("recurrent_initializer", &SimpleRNNConfig::recurrent_initializer),
      field("bias_initializer", &SimpleRNNConfig::bias_initializer),
      field("kernel_regularizer", &SimpleRNNConfig::kernel_regularizer),
      field("recurrent_regularizer", &SimpleRNNConfig::recurrent_regularizer),
      field("bias_regularizer", &SimpleRNNConfig::bias_regularizer),
      field("activity_regularizer", &SimpleRNNConfig::activity_regularizer),
      field("kernel_constraint", &SimpleRNNConfig::kernel_constraint),
      field("recurrent_constraint", &SimpleRNNConfig::recurrent_constraint),
      field("bias_constraint", &SimpleRNNConfig::bias_constraint),
      field("dropout", &SimpleRNNConfig::dropout),
      field("recurrent_dropout", &SimpleRNNConfig::recurrent_dropout),
      field("return_sequences", &SimpleRNNConfig::return_sequences),
      field("return_state", &SimpleRNNConfig::return_state),
      field("go_backwards", &SimpleRNNConfig::go_backwards),
      field("stateful", &SimpleRNNConfig::stateful),
      field("unroll", &SimpleRNNConfig::unroll),
      field("seed", &SimpleRNNConfig::seed),
      field("zero_output_for_mask", &SimpleRNNConfig::zero_output_for_mask),
  };
};
void normalize(SimpleRNNConfig& config);

class SimpleRNNLayer final : public RecurrentOf<SimpleRNNLayer, SimpleRNNConfig> {
 public:
  static constexpr std::string_view kClassName = "SimpleRNN";
  explicit SimpleRNNLayer(SimpleRNNConfig config, LayerOptions options = {});
  JsonObject get_config() const override;
  std::function<Value(Value)> activity_penalty() const override { return as_function(config().activity_regularizer); }
};

}  // namespace layers
using SimpleRNN = Handle<layers::SimpleRNNLayer>;
}  // namespace ramet
