#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

// y = x·scale + offset; lists are one number per channel (the last axis).
struct RescalingConfig {
  NumberOrList scale = 1.0;
  NumberOrList offset = 0.0;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("scale", &RescalingConfig::scale), field("offset", &RescalingConfig::offset)};
};

class RescalingLayer final : public LayerOf<RescalingLayer, RescalingConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Rescaling";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override;
};

}  // namespace layers
using Rescaling = Handle<layers::RescalingLayer>;
}  // namespace ramet
