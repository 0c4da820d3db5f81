// Normalization of each sample by itself.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// y = gamma·(x − mean) / √(variance + epsilon) + beta with mean and variance over `axis`. rms_scaling, an old switch
// found in files, leaves the mean in (and has no beta).
struct LayerNormalizationConfig {
  IntOrList axis = -1;
  double epsilon = 0.001;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = nullptr;
  Regularizer gamma_regularizer = nullptr;
  Constraint beta_constraint = nullptr;
  Constraint gamma_constraint = nullptr;
  bool rms_scaling = false;

  static constexpr auto fields = Fields{
      field("axis", &LayerNormalizationConfig::axis),
      field("epsilon", &LayerNormalizationConfig::epsilon),
      field("center", &LayerNormalizationConfig::center),
      field("scale", &LayerNormalizationConfig::scale),
      field("beta_initializer", &LayerNormalizationConfig::beta_initializer),
      field("gamma_initializer", &LayerNormalizationConfig::gamma_initializer),
      field("beta_regularizer", &LayerNormalizationConfig::beta_regularizer),
      field("gamma_regularizer", &LayerNormalizationConfig::gamma_regularizer),
      field("beta_constraint", &LayerNormalizationConfig::beta_constraint),
      field("gamma_constraint", &LayerNormalizationConfig::gamma_constraint),
      field("rms_scaling", &LayerNormalizationConfig::rms_scaling),
  };
};
void normalize(LayerNormalizationConfig& config);

class LayerNormalizationLayer final
    : public LayerOf<LayerNormalizationLayer, LayerNormalizationConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "LayerNormalization";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  bool autocast() const override { return false; }  // statistics of brain floats would be too coarse
  Value call(const CallContext& ctx, Value x) const override;

 private:
  Weight gamma_, beta_;
};

// Channels in groups; mean and variance over a group's channels and all other axes but the batch. groups = −1: every
// channel by itself.
struct GroupNormalizationConfig {
  std::int64_t groups = 32;
  std::int64_t axis = -1;
  double epsilon = 0.001;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = nullptr;
  Regularizer gamma_regularizer = nullptr;
  Constraint beta_constraint = nullptr;
  Constraint gamma_constraint = nullptr;

  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{
      field("groups", &GroupNormalizationConfig::groups),
      field("axis", &GroupNormalizationConfig::axis),
      field("epsilon", &GroupNormalizationConfig::epsilon),
      field("center", &GroupNormalizationConfig::center),
      field("scale", &GroupNormalizationConfig::scale),
      field("beta_initializer", &GroupNormalizationConfig::beta_initializer),
      field("gamma_initializer", &GroupNormalizationConfig::gamma_initializer),
      field("beta_regularizer", &GroupNormalizationConfig::beta_regularizer),
      field("gamma_regularizer", &GroupNormalizationConfig::gamma_regularizer),
      field("beta_constraint", &GroupNormalizationConfig::beta_constraint),
      field("gamma_constraint", &GroupNormalizationConfig::gamma_constraint),
  };
};
void normalize(GroupNormalizationConfig& config);

class GroupNormalizationLayer final
    : public LayerOf<GroupNormalizationLayer, GroupNormalizationConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "GroupNormalization";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  bool autocast() const override { return false; }  // statistics of brain floats would be too coarse
  Value call(const CallContext& ctx, Value x) const override;

 private:
  Weight gamma_, beta_;
};

// y = x / max(‖x‖₂ along axis, 1e-12).
struct UnitNormalizationConfig {
  IntOrList axis = -1;
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("axis", &UnitNormalizationConfig::axis)};
};
class UnitNormalizationLayer final
    : public LayerOf<UnitNormalizationLayer, UnitNormalizationConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "UnitNormalization";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

}  // namespace layers
using LayerNormalization = Handle<layers::LayerNormalizationLayer>;
using GroupNormalization = Handle<layers::GroupNormalizationLayer>;
using UnitNormalization = Handle<layers::UnitNormalizationLayer>;
}  // namespace ramet
