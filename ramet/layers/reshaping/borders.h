// Adding zeros around, and cutting off the borders.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/spatial.h"

namespace ramet {
namespace layers {

struct ZeroPadding1DConfig {
  IntOrList padding = 1;  // on both sides, or {before, after}
  DataFormat data_format = "channels_last";
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields =
      Fields{field("padding", &ZeroPadding1DConfig::padding), field("data_format", &ZeroPadding1DConfig::data_format)};
};
void normalize(ZeroPadding1DConfig& config);
class ZeroPadding1DLayer final : public LayerOf<ZeroPadding1DLayer, ZeroPadding1DConfig> {
 public:
  static constexpr std::string_view kClassName = "ZeroPadding1D";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

struct ZeroPadding2DConfig {
  BorderPairs padding = 1;
  DataFormat data_format = "channels_last";
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields =
      Fields{field("padding", &ZeroPadding2DConfig::padding), field("data_format", &ZeroPadding2DConfig::data_format)};
};
void normalize(ZeroPadding2DConfig& config);
class ZeroPadding2DLayer final : public LayerOf<ZeroPadding2DLayer, ZeroPadding2DConfig> {
 public:
  static constexpr std::string_view kClassName = "ZeroPadding2D";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

struct Cropping1DConfig {
  IntOrList cropping = 1;  // on both sides, or {before, after}
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("cropping", &Cropping1DConfig::cropping)};
};
void normalize(Cropping1DConfig& config);
class Cropping1DLayer final : public LayerOf<Cropping1DLayer, Cropping1DConfig> {
 public:
  static constexpr std::string_view kClassName = "Cropping1D";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

struct Cropping2DConfig {
  BorderPairs cropping = 0;
  DataFormat data_format = "channels_last";
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields =
      Fields{field("cropping", &Cropping2DConfig::cropping), field("data_format", &Cropping2DConfig::data_format)};
};
void normalize(Cropping2DConfig& config);
class Cropping2DLayer final : public LayerOf<Cropping2DLayer, Cropping2DConfig> {
 public:
  static constexpr std::string_view kClassName = "Cropping2D";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

}  // namespace layers
using ZeroPadding1D = Handle<layers::ZeroPadding1DLayer>;
using ZeroPadding2D = Handle<layers::ZeroPadding2DLayer>;
using Cropping1D = Handle<layers::Cropping1DLayer>;
using Cropping2D = Handle<layers::Cropping2DLayer>;
}  // namespace ramet
