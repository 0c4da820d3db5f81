// Gaussian noise while training, and the penalty on what passes.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// Adds N(0, stddev²) while training.
struct GaussianNoiseConfig {
  double stddev = 0;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("stddev", &GaussianNoiseConfig::stddev), field("seed", &GaussianNoiseConfig::seed)};
};
void normalize(GaussianNoiseConfig& config);
class GaussianNoiseLayer final : public LayerOf<GaussianNoiseLayer, GaussianNoiseConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "GaussianNoise";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::optional<bool> default_training() const override { return false; }

 private:
  Weight seed_;
};

// Multiplies by N(1, rate / (1 − rate)) while training.
struct GaussianDropoutConfig {
  double rate = 0;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("rate", &GaussianDropoutConfig::rate), field("seed", &GaussianDropoutConfig::seed)};
};
void normalize(GaussianDropoutConfig& config);
class GaussianDropoutLayer final : public LayerOf<GaussianDropoutLayer, GaussianDropoutConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "GaussianDropout";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::optional<bool> default_training() const override { return false; }

 private:
  Weight seed_;
};

// y = x; adds (l1·Σ|x| + l2·Σx²) / batch to the losses.
struct ActivityRegularizationConfig {
  double l1 = 0;
  double l2 = 0;
  static constexpr auto fields =
      Fields{field("l1", &ActivityRegularizationConfig::l1), field("l2", &ActivityRegularizationConfig::l2)};
};
class ActivityRegularizationLayer final
    : public LayerOf<ActivityRegularizationLayer, ActivityRegularizationConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "ActivityRegularization";
  using LayerOf::LayerOf;
  Value call(const CallContext&, Value x) const override { return x; }
  std::function<Value(Value)> activity_penalty() const override;
};

}  // namespace layers
using GaussianNoise = Handle<layers::GaussianNoiseLayer>;
using GaussianDropout = Handle<layers::GaussianDropoutLayer>;
using ActivityRegularization = Handle<layers::ActivityRegularizationLayer>;
}  // namespace ramet
