#include "ramet/layers/recurrent/simple_rnn.h"

namespace ramet::layers {

void normalize(SimpleRNNConfig& config) { clamp_rates(config.dropout, config.recurrent_dropout); }

SimpleRNNLayer::SimpleRNNLayer(SimpleRNNConfig config, LayerOptions options)
    : RecurrentOf(std::move(config), std::move(options)) {
  cell_ = std::make_shared<SimpleRNNCellLayer>(shared_fields<SimpleRNNCellConfig>(this->config()),
                                               LayerOptions{"simple_rnn_cell", trainable(), dtype_name()});
}

JsonObject SimpleRNNLayer::get_config() const {
  JsonObject out = RecurrentOf::get_config();
  if (!config().seed) out.erase("seed");  // Keras leaves it out
  return out;
}

}  // namespace ramet::layers
