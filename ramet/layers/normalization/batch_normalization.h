#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// y = gamma·(x − mean) / √(variance + epsilon) + beta, one of each per entry of `axis`. In training the statistics are
// those of the batch (of its unmasked positions) and the moving ones follow: moving ← momentum·moving + (1 −
// momentum)·batch. Otherwise, and always when the layer is frozen (trainable = false), the moving ones are used. renorm
// and synchronized are refused.
struct BatchNormalizationConfig {
  std::int64_t axis = -1;
  double momentum = 0.99;
  double epsilon = 0.001;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = nullptr;
  Regularizer gamma_regularizer = nullptr;
  Constraint beta_constraint = nullptr;
  Constraint gamma_constraint = nullptr;
  bool renorm = false;
  Json renorm_clipping = nullptr;
  double renorm_momentum = 0.99;
  bool synchronized = false;

  static constexpr auto fields = Fields{
      field("axis", &BatchNormalizationConfig::axis),
      field("momentum", &BatchNormalizationConfig::momentum),
      field("epsilon", &BatchNormalizationConfig::epsilon),
      field("center", &BatchNormalizationConfig::center),
      field("scale", &BatchNormalizationConfig::scale),
      field("beta_initializer", &BatchNormalizationConfig::beta_initializer),
      field("gamma_initializer", &BatchNormalizationConfig::gamma_initializer),
      field("moving_mean_initializer", &BatchNormalizationConfig::moving_mean_initializer),
      field("moving_variance_initializer", &BatchNormalizationConfig::moving_variance_initializer),
      field("beta_regularizer", &BatchNormalizationConfig::beta_regularizer),
      field("gamma_regularizer", &BatchNormalizationConfig::gamma_regularizer),
      field("beta_constraint", &BatchNormalizationConfig::beta_constraint),
      field("gamma_constraint", &BatchNormalizationConfig::gamma_constraint),
      field("renorm", &BatchNormalizationConfig::renorm),
      field("renorm_clipping", &BatchNormalizationConfig::renorm_clipping),
      field("renorm_momentum", &BatchNormalizationConfig::renorm_momentum),
      field("synchronized", &BatchNormalizationConfig::synchronized),
  };
};
void normalize(BatchNormalizationConfig& config);

class BatchNormalizationLayer final
    : public LayerOf<BatchNormalizationLayer, BatchNormalizationConfig, MaskRule::pass_through, MaskCall> {
 public:
  static constexpr std::string_view kClassName = "BatchNormalization";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  JsonObject get_config() const override;

 private:
  Weight gamma_, beta_, moving_mean_, moving_variance_;
};

}  // namespace layers
using BatchNormalization = Handle<layers::BatchNormalizationLayer>;
}  // namespace ramet
