// Layers that drop elements at random while training.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/spatial.h"

namespace ramet {
namespace layers {

// Each element is dropped with probability `rate`; the kept ones are divided by 1 − rate. noise_shape has 1 where one
// decision holds for a whole axis and None where the input's size is meant.
struct DropoutConfig {
  double rate = 0;
  std::optional<std::vector<std::optional<std::int64_t>>> noise_shape = std::nullopt;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("rate", &DropoutConfig::rate), field("noise_shape", &DropoutConfig::noise_shape),
             field("seed", &DropoutConfig::seed)};
};
void normalize(DropoutConfig& config);

class DropoutLayer final : public LayerOf<DropoutLayer, DropoutConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Dropout";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::optional<bool> default_training() const override { return false; }

 private:
  Weight seed_;
};

// Keeps the mean and variance of inputs that have mean 0 and variance 1: dropped elements become SELU's negative limit.
struct AlphaDropoutConfig {
  double rate = 0;
  std::optional<std::vector<std::optional<std::int64_t>>> noise_shape = std::nullopt;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("rate", &AlphaDropoutConfig::rate), field("noise_shape", &AlphaDropoutConfig::noise_shape),
             field("seed", &AlphaDropoutConfig::seed)};
};
void normalize(AlphaDropoutConfig& config);

class AlphaDropoutLayer final : public LayerOf<AlphaDropoutLayer, AlphaDropoutConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "AlphaDropout";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::optional<bool> default_training() const override { return false; }

 private:
  Weight seed_;
};

// Whole channels are dropped: all steps (1D) or all pixels (2D) of a channel together.
struct SpatialDropout1DConfig {
  double rate = 0;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("rate", &SpatialDropout1DConfig::rate), field("seed", &SpatialDropout1DConfig::seed)};
};
void normalize(SpatialDropout1DConfig& config);
struct SpatialDropout2DConfig {
  double rate = 0;
  DataFormat data_format = "channels_last";
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("rate", &SpatialDropout2DConfig::rate), field("data_format", &SpatialDropout2DConfig::data_format),
             field("seed", &SpatialDropout2DConfig::seed)};
};
void normalize(SpatialDropout2DConfig& config);

// Keras' classes take neither `trainable` nor a policy.
JsonObject spatial_config(JsonObject config, const std::string& dtype);

class SpatialDropout1DLayer final
    : public LayerOf<SpatialDropout1DLayer, SpatialDropout1DConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "SpatialDropout1D";
  using LayerOf::LayerOf;
  JsonObject get_config() const override { return spatial_config(LayerOf::get_config(), dtype_name()); }
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::optional<bool> default_training() const override { return false; }

 private:
  Weight seed_;
};
class SpatialDropout2DLayer final
    : public LayerOf<SpatialDropout2DLayer, SpatialDropout2DConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "SpatialDropout2D";
  using LayerOf::LayerOf;
  JsonObject get_config() const override { return spatial_config(LayerOf::get_config(), dtype_name()); }
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::optional<bool> default_training() const override { return false; }

 private:
  Weight seed_;
};

}  // namespace layers
using Dropout = Handle<layers::DropoutLayer>;
using AlphaDropout = Handle<layers::AlphaDropoutLayer>;
using SpatialDropout1D = Handle<layers::SpatialDropout1DLayer>;
using SpatialDropout2D = Handle<layers::SpatialDropout2DLayer>;
}  // namespace ramet
