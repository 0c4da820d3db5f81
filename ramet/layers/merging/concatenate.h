#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

// The inputs one after another along `axis`. If any has a mask, so has the output; an input without one counts as
// unmasked.
struct ConcatenateConfig {
  std::int64_t axis = -1;
  static constexpr auto fields = Fields{field("axis", &ConcatenateConfig::axis)};
};

class ConcatenateLayer final : public LayerOf<ConcatenateLayer, ConcatenateConfig, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = "Concatenate";
  using LayerOf::LayerOf;
  void check_arguments(const SpecArgs& args) const override;
  void check(const std::vector<Spec>& inputs) const override;
  Values call_list(const CallContext& ctx, const Values& xs) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;
};

}  // namespace layers
using Concatenate = Handle<layers::ConcatenateLayer>;
inline Tensor concatenate(const Arg& inputs, layers::ConcatenateConfig config = {}, LayerOptions options = {}) {
  return Concatenate(config, std::move(options))(inputs);
}
}  // namespace ramet
