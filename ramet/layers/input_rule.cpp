#include "ramet/layers/input_rule.h"

namespace ramet::layers {

void check_inputs(const Layer& layer, const std::vector<Spec>& inputs, InputRule rule) {
  require(inputs.size() == rule.count, "Layer '", layer.name(), "' expected ", rule.count, " input(s). Received ",
          inputs.size(), " instead.");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Spec& x = inputs[i];
    const std::string head =
        cat("Input ", i, " of layer '", layer.name(), "' is incompatible with the layer: expected ");
    const std::string tail = cat(". Full shape received: ", to_string(x.shape));
    require(!rule.ndim || x.rank() == rule.ndim, head, "ndim=", rule.ndim, ", found ndim=", x.rank(), tail);
    require(x.rank() >= rule.min_ndim, head, "min_ndim=", rule.min_ndim, ", found ndim=", x.rank(), tail);
    if (rule.last_dim == None || x.rank() == 0) continue;
    const int axis = rule.channels_first ? 1 : -1;
    const auto got = x.dim(axis);
    require(got == None || got == rule.last_dim, head, "axis ", axis, " of input shape to have value ", rule.last_dim,
            ", but received input with shape ", to_string(x.shape));
  }
}

}  // namespace ramet::layers
