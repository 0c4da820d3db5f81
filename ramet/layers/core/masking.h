#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

// Steps whose features all equal mask_value are masked: the mask says so and the output has zeros there.
struct MaskingConfig {
  double mask_value = 0;
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("mask_value", &MaskingConfig::mask_value)};
};

class MaskingLayer final : public LayerOf<MaskingLayer, MaskingConfig, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = "Masking";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;

 private:
  Value kept(Value x, bool keepdims) const;
};

}  // namespace layers
using Masking = Handle<layers::MaskingLayer>;
}  // namespace ramet
