// Activation functions as layers.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

struct ActivationConfig {
  Activation activation = "linear";
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("activation", &ActivationConfig::activation)};
};
class ActivationLayer final : public LayerOf<ActivationLayer, ActivationConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Activation";
  using LayerOf::LayerOf;
  Value call(const CallContext&, Value x) const override { return config().activation(x); }
};

// max_value above max_value, x from threshold on, negative_slope·(x − threshold) below.
struct ReLUConfig {
  std::optional<double> max_value = std::nullopt;
  double negative_slope = 0;
  double threshold = 0;
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields =
      Fields{field("max_value", &ReLUConfig::max_value), field("negative_slope", &ReLUConfig::negative_slope),
             field("threshold", &ReLUConfig::threshold)};
};
void normalize(ReLUConfig& config);
class ReLULayer final : public LayerOf<ReLULayer, ReLUConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "ReLU";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override;
};

// negative_slope·x below zero. The slope is 0.3 here and 0.2 for the activation "leaky_relu", as in Keras.
struct LeakyReLUConfig {
  std::optional<double> negative_slope = 0.3;  // optional only so that a file's null is refused in Keras' words
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("negative_slope", &LeakyReLUConfig::negative_slope)};
};
void normalize(LeakyReLUConfig& config);
class LeakyReLULayer final : public LayerOf<LeakyReLULayer, LeakyReLUConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "LeakyReLU";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override;
};

// alpha·(eˣ − 1) below zero.
struct ELUConfig {
  double alpha = 1;
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("alpha", &ELUConfig::alpha)};
};
class ELULayer final : public LayerOf<ELULayer, ELUConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "ELU";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override;
};

// alpha·x below zero with a learned alpha for every element of a sample; along shared_axes (1 is the first after the
// batch) one for all.
struct PReLUConfig {
  Initializer alpha_initializer = "zeros";
  Regularizer alpha_regularizer = nullptr;
  Constraint alpha_constraint = nullptr;
  std::optional<IntOrList> shared_axes = std::nullopt;
  static constexpr auto fields = Fields{field("alpha_initializer", &PReLUConfig::alpha_initializer),
                                        field("alpha_regularizer", &PReLUConfig::alpha_regularizer),
                                        field("alpha_constraint", &PReLUConfig::alpha_constraint),
                                        field("shared_axes", &PReLUConfig::shared_axes)};
};
void normalize(PReLUConfig& config);
class PReLULayer final : public LayerOf<PReLULayer, PReLUConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "PReLU";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;

 private:
  Weight alpha_;
};

// Softmax along one axis or several together. Where a mask is False the logits count for nothing and the output is 0.
struct SoftmaxConfig {
  IntOrList axis = -1;
  static constexpr std::size_t kPositional = 1, kRequired = 0;
  static constexpr auto fields = Fields{field("axis", &SoftmaxConfig::axis)};
};
void normalize(SoftmaxConfig& config);
class SoftmaxLayer final : public LayerOf<SoftmaxLayer, SoftmaxConfig, MaskRule::pass_through, MaskCall> {
 public:
  static constexpr std::string_view kClassName = "Softmax";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override;
};

}  // namespace layers
using Activation = Handle<layers::ActivationLayer>;
using ReLU = Handle<layers::ReLULayer>;
using LeakyReLU = Handle<layers::LeakyReLULayer>;
using ELU = Handle<layers::ELULayer>;
using PReLU = Handle<layers::PReLULayer>;
using Softmax = Handle<layers::SoftmaxLayer>;
}  // namespace ramet
