// Checks on what a layer is called with, in Keras' words.
#pragma once
#include "ramet/graph/layer.h"

namespace ramet::layers {

struct InputRule {
  std::size_t ndim = 0;  // exactly; 0 for any
  std::size_t min_ndim = 0;
  std::int64_t last_dim = None;  // of the channel axis; None for any
  bool channels_first = false;   // the channel axis is 1 instead of the last
  std::size_t count = 1;         // tensors
};

void check_inputs(const Layer& layer, const std::vector<Spec>& inputs, InputRule rule);

}  // namespace ramet::layers
