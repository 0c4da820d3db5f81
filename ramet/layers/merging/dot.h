#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

// Sum of products over axis axes[0] of the first and axes[1] of the second input, sample by sample: the other axes of
// the first, then those of the second. `normalize` scales both to length 1 along their axis before, which gives the
// cosine.
struct DotConfig {
  IntOrList axes = {};
  bool normalize = false;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("axes", &DotConfig::axes), field("normalize", &DotConfig::normalize)};
};
void normalize(DotConfig& config);

class DotLayer final : public LayerOf<DotLayer, DotConfig> {
 public:
  static constexpr std::string_view kClassName = "Dot";
  using LayerOf::LayerOf;
  void check_arguments(const SpecArgs& args) const override;
  void check(const std::vector<Spec>& inputs) const override;
  Values call_list(const CallContext& ctx, const Values& xs) const override;

 private:
  std::pair<int, int> axes(std::size_t x_rank, std::size_t y_rank) const;
};

}  // namespace layers
using Dot = Handle<layers::DotLayer>;
inline Tensor dot(const Arg& inputs, IntOrList axes, bool normalize = false, LayerOptions options = {}) {
  return Dot(layers::DotConfig{.axes = std::move(axes), .normalize = normalize}, std::move(options))(inputs);
}
}  // namespace ramet
