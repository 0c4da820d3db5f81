#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// y = activation(x · kernel + bias), over the last axis of x.
struct DenseConfig {
  std::int64_t units = 0;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint bias_constraint = nullptr;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("units", &DenseConfig::units, positive),
      field("activation", &DenseConfig::activation),
      field("use_bias", &DenseConfig::use_bias),
      field("kernel_initializer", &DenseConfig::kernel_initializer),
      field("bias_initializer", &DenseConfig::bias_initializer),
      field("kernel_regularizer", &DenseConfig::kernel_regularizer),
      field("bias_regularizer", &DenseConfig::bias_regularizer),
      field("activity_regularizer", &DenseConfig::activity_regularizer),
      field("kernel_constraint", &DenseConfig::kernel_constraint),
      field("bias_constraint", &DenseConfig::bias_constraint),
  };
};

class DenseLayer final : public LayerOf<DenseLayer, DenseConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Dense";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::function<Value(Value)> activity_penalty() const override { return as_function(config().activity_regularizer); }

 private:
  Weight kernel_, bias_;
};

}  // namespace layers
using Dense = Handle<layers::DenseLayer>;
}  // namespace ramet
