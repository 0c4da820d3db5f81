// Convolutions over sequences (1D) and images (2D), written once for both. Kernels are not flipped. With channels_first
// the work is done channels last, between two transpositions. strides and dilation_rate cannot both exceed 1.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/spatial.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// y = activation(conv(x, kernel) + bias); kernel [window…, channels / groups, filters].
template <std::size_t rank>
struct ConvConfig {
  std::int64_t filters = 0;
  IntOrList kernel_size = {};
  IntOrList strides = 1;
  std::conditional_t<rank == 1, CausalPadding, Padding> padding = "valid";
  DataFormat data_format = "channels_last";
  IntOrList dilation_rate = 1;
  std::int64_t groups = 1;
  Activation activation = {};  // linear; g++ 12 takes no literal for it in a template
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint bias_constraint = nullptr;

  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{
      field("filters", &ConvConfig::filters),
      field("kernel_size", &ConvConfig::kernel_size),
      field("strides", &ConvConfig::strides),
      field("padding", &ConvConfig::padding),
      field("data_format", &ConvConfig::data_format),
      field("dilation_rate", &ConvConfig::dilation_rate),
      field("groups", &ConvConfig::groups),
      field("activation", &ConvConfig::activation),
      field("use_bias", &ConvConfig::use_bias),
      field("kernel_initializer", &ConvConfig::kernel_initializer),
      field("bias_initializer", &ConvConfig::bias_initializer),
      field("kernel_regularizer", &ConvConfig::kernel_regularizer),
      field("bias_regularizer", &ConvConfig::bias_regularizer),
      field("activity_regularizer", &ConvConfig::activity_regularizer),
      field("kernel_constraint", &ConvConfig::kernel_constraint),
      field("bias_constraint", &ConvConfig::bias_constraint),
  };
};
template <std::size_t rank>
void normalize(ConvConfig<rank>& config);

template <std::size_t rank>
class ConvLayer final : public LayerOf<ConvLayer<rank>, ConvConfig<rank>> {
 public:
  static constexpr std::string_view kClassName = rank == 1 ? "Conv1D" : "Conv2D";
  using LayerOf<ConvLayer<rank>, ConvConfig<rank>>::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::function<Value(Value)> activity_penalty() const override {
    return as_function(this->config().activity_regularizer);
  }

 private:
  Weight kernel_, bias_;
};

// Each channel has its own depth_multiplier kernels; channel c's results are c·depth_multiplier + m. kernel [window…,
// channels, depth_multiplier].
template <std::size_t rank>
struct DepthwiseConvConfig {
  IntOrList kernel_size = {};
  IntOrList strides = 1;
  Padding padding = "valid";
  std::int64_t depth_multiplier = 1;
  DataFormat data_format = "channels_last";
  IntOrList dilation_rate = 1;
  Activation activation = {};  // linear; g++ 12 takes no literal for it in a template
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint depthwise_constraint = nullptr;
  Constraint bias_constraint = nullptr;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("kernel_size", &DepthwiseConvConfig::kernel_size),
      field("strides", &DepthwiseConvConfig::strides),
      field("padding", &DepthwiseConvConfig::padding),
      field("depth_multiplier", &DepthwiseConvConfig::depth_multiplier),
      field("data_format", &DepthwiseConvConfig::data_format),
      field("dilation_rate", &DepthwiseConvConfig::dilation_rate),
      field("activation", &DepthwiseConvConfig::activation),
      field("use_bias", &DepthwiseConvConfig::use_bias),
      field("depthwise_initializer", &DepthwiseConvConfig::depthwise_initializer),
      field("bias_initializer", &DepthwiseConvConfig::bias_initializer),
      field("depthwise_regularizer", &DepthwiseConvConfig::depthwise_regularizer),
      field("bias_regularizer", &DepthwiseConvConfig::bias_regularizer),
      field("activity_regularizer", &DepthwiseConvConfig::activity_regularizer),
      field("depthwise_constraint", &DepthwiseConvConfig::depthwise_constraint),
      field("bias_constraint", &DepthwiseConvConfig::bias_constraint),
  };
};
template <std::size_t rank>
void normalize(DepthwiseConvConfig<rank>& config);

template <std::size_t rank>
class DepthwiseConvLayer final : public LayerOf<DepthwiseConvLayer<rank>, DepthwiseConvConfig<rank>> {
 public:
  static constexpr std::string_view kClassName = rank == 1 ? "DepthwiseConv1D" : "DepthwiseConv2D";
  using LayerOf<DepthwiseConvLayer<rank>, DepthwiseConvConfig<rank>>::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::function<Value(Value)> activity_penalty() const override {
    return as_function(this->config().activity_regularizer);
  }

 private:
  Weight kernel_, bias_;
};

// A depthwise convolution, then one with windows of size 1 that mixes the channels; bias and activation at the end.
template <std::size_t rank>
struct SeparableConvConfig {
  std::int64_t filters = 0;
  IntOrList kernel_size = {};
  IntOrList strides = 1;
  Padding padding = "valid";
  DataFormat data_format = "channels_last";
  IntOrList dilation_rate = 1;
  std::int64_t depth_multiplier = 1;
  Activation activation = {};  // linear; g++ 12 takes no literal for it in a template
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer pointwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = nullptr;
  Regularizer pointwise_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint depthwise_constraint = nullptr;
  Constraint pointwise_constraint = nullptr;
  Constraint bias_constraint = nullptr;

  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{
      field("filters", &SeparableConvConfig::filters),
      field("kernel_size", &SeparableConvConfig::kernel_size),
      field("strides", &SeparableConvConfig::strides),
      field("padding", &SeparableConvConfig::padding),
      field("data_format", &SeparableConvConfig::data_format),
      field("dilation_rate", &SeparableConvConfig::dilation_rate),
      field("depth_multiplier", &SeparableConvConfig::depth_multiplier),
      field("activation", &SeparableConvConfig::activation),
      field("use_bias", &SeparableConvConfig::use_bias),
      field("depthwise_initializer", &SeparableConvConfig::depthwise_initializer),
      field("pointwise_initializer", &SeparableConvConfig::pointwise_initializer),
      field("bias_initializer", &SeparableConvConfig::bias_initializer),
      field("depthwise_regularizer", &SeparableConvConfig::depthwise_regularizer),
      field("pointwise_regularizer", &SeparableConvConfig::pointwise_regularizer),
      field("bias_regularizer", &SeparableConvConfig::bias_regularizer),
      field("activity_regularizer", &SeparableConvConfig::activity_regularizer),
      field("depthwise_constraint", &SeparableConvConfig::depthwise_constraint),
      field("pointwise_constraint", &SeparableConvConfig::pointwise_constraint),
      field("bias_constraint", &SeparableConvConfig::bias_constraint),
  };
};
template <std::size_t rank>
void normalize(SeparableConvConfig<rank>& config);

template <std::size_t rank>
class SeparableConvLayer final : public LayerOf<SeparableConvLayer<rank>, SeparableConvConfig<rank>> {
 public:
  static constexpr std::string_view kClassName = rank == 1 ? "SeparableConv1D" : "SeparableConv2D";
  using LayerOf<SeparableConvLayer<rank>, SeparableConvConfig<rank>>::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::function<Value(Value)> activity_penalty() const override {
    return as_function(this->config().activity_regularizer);
  }

 private:
  Weight depthwise_, pointwise_, bias_;
};

// The transposition of a convolution as a linear map: makes inputs larger by the strides. kernel [window…, filters,
// channels].
template <std::size_t rank>
struct ConvTransposeConfig {
  std::int64_t filters = 0;
  IntOrList kernel_size = {};
  IntOrList strides = 1;
  Padding padding = "valid";
  std::optional<IntOrList> output_padding = std::nullopt;
  DataFormat data_format = "channels_last";
  IntOrList dilation_rate = 1;
  Activation activation = {};  // linear; g++ 12 takes no literal for it in a template
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint bias_constraint = nullptr;

  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{
      field("filters", &ConvTransposeConfig::filters),
      field("kernel_size", &ConvTransposeConfig::kernel_size),
      field("strides", &ConvTransposeConfig::strides),
      field("padding", &ConvTransposeConfig::padding),
      field("output_padding", &ConvTransposeConfig::output_padding),
      field("data_format", &ConvTransposeConfig::data_format),
      field("dilation_rate", &ConvTransposeConfig::dilation_rate),
      field("activation", &ConvTransposeConfig::activation),
      field("use_bias", &ConvTransposeConfig::use_bias),
      field("kernel_initializer", &ConvTransposeConfig::kernel_initializer),
      field("bias_initializer", &ConvTransposeConfig::bias_initializer),
      field("kernel_regularizer", &ConvTransposeConfig::kernel_regularizer),
      field("bias_regularizer", &ConvTransposeConfig::bias_regularizer),
      field("activity_regularizer", &ConvTransposeConfig::activity_regularizer),
      field("kernel_constraint", &ConvTransposeConfig::kernel_constraint),
      field("bias_constraint", &ConvTransposeConfig::bias_constraint),
  };
};
template <std::size_t rank>
void normalize(ConvTransposeConfig<rank>& config);

template <std::size_t rank>
class ConvTransposeLayer final : public LayerOf<ConvTransposeLayer<rank>, ConvTransposeConfig<rank>> {
 public:
  static constexpr std::string_view kClassName = rank == 1 ? "Conv1DTranspose" : "Conv2DTranspose";
  using LayerOf<ConvTransposeLayer<rank>, ConvTransposeConfig<rank>>::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::function<Value(Value)> activity_penalty() const override {
    return as_function(this->config().activity_regularizer);
  }

 private:
  Weight kernel_, bias_;
};

extern template class ConvLayer<1>;
extern template class ConvLayer<2>;
extern template class DepthwiseConvLayer<1>;
extern template class DepthwiseConvLayer<2>;
extern template class SeparableConvLayer<1>;
extern template class SeparableConvLayer<2>;
extern template class ConvTransposeLayer<1>;
extern template class ConvTransposeLayer<2>;

}  // namespace layers
using Conv1D = Handle<layers::ConvLayer<1>>;
using Conv2D = Handle<layers::ConvLayer<2>>;
using DepthwiseConv1D = Handle<layers::DepthwiseConvLayer<1>>;
using DepthwiseConv2D = Handle<layers::DepthwiseConvLayer<2>>;
using SeparableConv1D = Handle<layers::SeparableConvLayer<1>>;
using SeparableConv2D = Handle<layers::SeparableConvLayer<2>>;
using Conv1DTranspose = Handle<layers::ConvTransposeLayer<1>>;
using Conv2DTranspose = Handle<layers::ConvTransposeLayer<2>>;
}  // namespace ramet
