#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/object.h"

namespace ramet {
namespace layers {

// y = x, mask and all.
class IdentityLayer final : public LayerOf<IdentityLayer, NoConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Identity";
  using LayerOf::LayerOf;
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;
};

}  // namespace layers
using Identity = Handle<layers::IdentityLayer>;
}  // namespace ramet
