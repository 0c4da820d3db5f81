// Inverted dropout: what is kept is scaled up, so that sums keep their expectation.
#pragma once
#include "ramet/graph/layer.h"

namespace ramet::layers {

// 1/(1-rate) with probability 1-rate, else 0, in the layer's compute type. Advances the seed. REQUIRES: 0 < rate < 1.
Value dropout_mask(const CallContext& ctx, const Weight& seed, Shape shape, double rate);

}  // namespace ramet::layers
