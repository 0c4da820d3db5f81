#include "ramet/layers/recurrent/gru.h"

namespace ramet::layers {

void normalize(GRUConfig& config) {
  refuse_cudnn("GRU", config.use_cudnn);
  clamp_rates(config.dropout, config.recurrent_dropout);
}

GRULayer::GRULayer(GRUConfig config, LayerOptions options) : RecurrentOf(std::move(config), std::move(options)) {
  cell_ = std::make_shared<GRUCellLayer>(shared_fields<GRUCellConfig>(this->config()),
                                         LayerOptions{"gru_cell", trainable(), dtype_name()});
}

JsonObject GRULayer::get_config() const {
  JsonObject out = RecurrentOf::get_config();
  out.erase("use_cudnn");  // not part of Keras' config
  return out;
}

}  // namespace ramet::layers
