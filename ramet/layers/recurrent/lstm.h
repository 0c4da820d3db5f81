#pragma once
#include "ramet/layers/recurrent/lstm_cell.h"
#include "ramet/layers/recurrent/recurrent.h"

namespace ramet {
namespace layers {

// LSTMCell over time. Input [batch, steps, features]; states h, c.
struct LSTMConfig {
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
  Regularizer activity_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint recurrent_constraint = nullptr;
  Constraint bias_constraint = nullptr;
  double dropout = 0;
  double recurrent_dropout = 0;
  std::optional<std::int64_t> seed = std::nullopt;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool stateful = false;
  bool unroll = false;  // changes nothing here: the loop is one op
  UseCudnn use_cudnn = "auto";
  bool zero_output_for_mask = false;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &LSTMConfig::units, positive),
      field("activation", &LSTMConfig::activation),
      field("recurrent_activation", &LSTMConfig::recurrent_activation),
      field("use_bias", &LSTMConfig::use_bias),
      field("kernel_initializer", &LSTMConfig::kernel_initializer),
      field("recurrent_initializer", &LSTMConfig::recurrent_initializer),
      field("bias_initializer", &LSTMConfig::bias_initializer),
      field("unit_forget_bias", &LSTMConfig::unit_forget_bias),
      field("kernel_regularizer", &LSTMConfig::kernel_regularizer),
      field("recurrent_regularizer", &LSTMConfig::recurrent_regularizer),
      field("bias_regularizer", &LSTMConfig::bias_regularizer),
      field("activity_regularizer", &LSTMConfig::activity_regularizer),
      field("kernel_constraint", &LSTMConfig::kernel_constraint),
      field("recurrent_constraint", &LSTMConfig::recurrent_constraint),
      field("bias_constraint", &LSTMConfig::bias_constraint),
      field("dropout", &LSTMConfig::dropout),
      field("recurrent_dropout", &LSTMConfig::recurrent_dropout),
      field("seed", &LSTMConfig::seed),
      field("return_sequences", &LSTMConfig::return_sequences),
      field("return_state", &LSTMConfig::return_state),
      field("go_backwards", &LSTMConfig::go_backwards),
      field("stateful", &LSTMConfig::stateful),
      field("unroll", &LSTMConfig::unroll),
      field("use_cudnn", &LSTMConfig::use_cudnn),
      field("zero_output_for_mask", &LSTMConfig::zero_output_for_mask),
  };
};
void normalize(LSTMConfig& config);

class LSTMLayer final : public RecurrentOf<LSTMLayer, LSTMConfig> {
 public:
  static constexpr std::string_view kClassName = "LSTM";
  explicit LSTMLayer(LSTMConfig config, LayerOptions options = {});
  JsonObject get_config() const override;
  std::function<Value(Value)> activity_penalty() const override { return as_function(config().activity_regularizer); }
};

}  // namespace layers
using LSTM = Handle<layers::LSTMLayer>;
}  // namespace ramet
