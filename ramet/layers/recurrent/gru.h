#pragma once
#include "ramet/layers/recurrent/gru_cell.h"
#include "ramet/layers/recurrent/recurrent.h"

namespace ramet {
namespace layers {

// GRUCell over time. Input [batch, steps, features]; state h.
struct GRUConfig {
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
  bool reset_after = true;
  UseCudnn use_cudnn = "auto";
  bool zero_output_for_mask = false;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &GRUConfig::units, positive),
      field("activation", &GRUConfig::activation),
      field("recurrent_activation", &GRUConfig::recurrent_activation),
      field("use_bias", &GRUConfig::use_bias),
      field("kernel_initializer", &GRUConfig::kernel_initializer),
      field("recurrent_initializer", &GRUConfig::recurrent_initializer),
      field("bias_initializer", &GRUConfig::bias_initializer),
      field("kernel_regularizer", &GRUConfig::kernel_regularizer),
      field("recurrent_regularizer", &GRUConfig::recurrent_regularizer),
      field("bias_regularizer", &GRUConfig::bias_regularizer),
      field("activity_regularizer", &GRUConfig::activity_regularizer),
      field("kernel_constraint", &GRUConfig::kernel_constraint),
      field("recurrent_constraint", &GRUConfig::recurrent_constraint),
      field("bias_constraint", &GRUConfig::bias_constraint),
      field("dropout", &GRUConfig::dropout),
      field("recurrent_dropout", &GRUConfig::recurrent_dropout),
      field("seed", &GRUConfig::seed),
      field("return_sequences", &GRUConfig::return_sequences),
      field("return_state", &GRUConfig::return_state),
      field("go_backwards", &GRUConfig::go_backwards),
      field("stateful", &GRUConfig::stateful),
      field("unroll", &GRUConfig::unroll),
      field("reset_after", &GRUConfig::reset_after),
      field("use_cudnn", &GRUConfig::use_cudnn),
      field("zero_output_for_mask", &GRUConfig::zero_output_for_mask),
  };
};
void normalize(GRUConfig& config);

class GRULayer final : public RecurrentOf<GRULayer, GRUConfig> {
 public:
  static constexpr std::string_view kClassName = "GRU";
  explicit GRULayer(GRUConfig config, LayerOptions options = {});
  JsonObject get_config() const override;
  std::function<Value(Value)> activity_penalty() const override { return as_function(config().activity_regularizer); }
};

}  // namespace layers
using GRU = Handle<layers::GRULayer>;
}  // namespace ramet
