#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/spatial.h"

namespace ramet {
namespace layers {

// Every step `size` times.
struct UpSampling1DConfig {
  std::int64_t size = 2;
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("size", &UpSampling1DConfig::size)};
};
void normalize(UpSampling1DConfig& config);
class UpSampling1DLayer final : public LayerOf<UpSampling1DLayer, UpSampling1DConfig> {
 public:
  static constexpr std::string_view kClassName = "UpSampling1D";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

struct InterpolationNames {
  static constexpr std::string_view what = "interpolation",
                                    names[] = {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"};
};
// Rows and columns size times as many: repeated (nearest), or bilinear with half-pixel centres. The other
// interpolations are refused.
struct UpSampling2DConfig {
  IntOrList size = 2;
  DataFormat data_format = "channels_last";
  Choice<InterpolationNames> interpolation = "nearest";
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields =
      Fields{field("size", &UpSampling2DConfig::size), field("data_format", &UpSampling2DConfig::data_format),
             field("interpolation", &UpSampling2DConfig::interpolation)};
};
void normalize(UpSampling2DConfig& config);
class UpSampling2DLayer final : public LayerOf<UpSampling2DLayer, UpSampling2DConfig> {
 public:
  static constexpr std::string_view kClassName = "UpSampling2D";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

}  // namespace layers
using UpSampling1D = Handle<layers::UpSampling1DLayer>;
using UpSampling2D = Handle<layers::UpSampling2DLayer>;
}  // namespace ramet
