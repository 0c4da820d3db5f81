#include "ramet/layers/recurrent/lstm.h"

namespace ramet::layers {

void normalize(LSTMConfig& config) {
  refuse_cudnn("LSTM", config.use_cudnn);
  clamp_rates(config.dropout, config.recurrent_dropout);
}

LSTMLayer::LSTMLayer(LSTMConfig config, LayerOptions options) : RecurrentOf(std::move(config), std::move(options)) {
  cell_ = std::make_shared<LSTMCellLayer>(shared_fields<LSTMCellConfig>(this->config()),
                                          LayerOptions{"lstm_cell", trainable(), dtype_name()});
}

JsonObject LSTMLayer::get_config() const {
  JsonObject out = RecurrentOf::get_config();
  out.erase("use_cudnn");  // not part of Keras' config
  return out;
}

}  // namespace ramet::layers
