#include "ramet/layers/convolution/conv.h"

#include <algorithm>

#include "ramet/layers/input_rule.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// What the four kinds of convolution have in common.
template <std::size_t rank, class Config>
void normalize_window(Config& c, bool strides_or_dilation) {
  c.kernel_size = standardize(c.kernel_size, rank, "kernel_size");
  c.strides = standardize(c.strides, rank, "strides");
  c.dilation_rate = standardize(c.dilation_rate, rank, "dilation_rate");
  const auto above_one = [](const IntOrList& list) { return *std::max_element(list.begin(), list.end()) > 1; };
  require(!strides_or_dilation || !above_one(c.strides) || !above_one(c.dilation_rate),
          "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=",
          to_string(c.strides.values()), " and dilation_rate=", to_string(c.dilation_rate.values()));
}

void check_filters(std::int64_t filters) {
  require(filters > 0,
          "Invalid value for argument `filters`. Expected a strictly positive value. Received filters=", filters, ".");
}

void check_multiplier(std::int64_t depth_multiplier) {
  require(
      depth_multiplier > 0,
      "Invalid value for argument `depth_multiplier`. Expected a strictly positive value. Received depth_multiplier=",
      depth_multiplier, ".");
}

// Rank, channels (once built: those the kernel was made for), and room for the window.
template <std::size_t rank, class Config>
void check_spatial(const Layer& layer, const std::vector<Spec>& inputs, const Config& c, std::int64_t channels,
                   bool grows = false) {
  check_inputs(layer, inputs,
               {.min_ndim = rank + 2, .last_dim = channels, .channels_first = channels_first(c.data_format)});
  const Shape& x = inputs[0].shape;
  require(x.size() == rank + 2, describe(layer),
          ": Kernel shape must have the same length as input, but received kernel of shape ",
          to_string(c.kernel_size.values()), " + (channels, filters) and input of shape ", to_string(x), ".");
  require(channels_of(inputs[0], c.data_format) != None, describe(layer),
          ": the channels of the inputs must be known; got shape ", to_string(x));
  if (grows || c.padding.name() != "valid") return;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto size = x[i + (channels_first(c.data_format) ? 2 : 1)],
               reach = (c.kernel_size.values()[i] - 1) * c.dilation_rate.values()[i] + 1;
    require(size == None || size >= reach, describe(layer),
            ": Computed output size would be zero or negative. Received `inputs shape=", to_string(x),
            "`, `kernel_size=", to_string(c.kernel_size.values()),
            "`, `dilation_rate=", to_string(c.dilation_rate.values()), "`, `strides=", to_string(c.strides.values()),
            "`, `padding=valid`; use padding = \"same\" or a larger input");
  }
}

template <class Config>
Weight make_bias(Builder& b, const Config& c, std::int64_t size) {
  if (!c.use_bias) return {};
  return b.weight("bias", {size}, c.bias_initializer,
                  {.regularizer = as_function(c.bias_regularizer), .constraint = as_function(c.bias_constraint)});
}

Shape kernel_shape(const IntOrList& window, std::int64_t second_last, std::int64_t last) {
  Shape out = window.values();
  out.push_back(second_last);
  out.push_back(last);
  return out;
}

template <class Config>
Value windowed(Value x, Value kernel, const Config& c, std::int64_t groups) {
  const Pads pads = pads_for(c.padding.name(), x.shape(), c.kernel_size, c.strides, c.dilation_rate);
  return ops::conv(x, kernel, {c.strides.values(), c.dilation_rate.values(), pads.before, pads.after, groups});
}

// A convolution with as many groups as channels; the kernel's last two axes are one, channel major.
template <class Config>
Value depthwise(Value x, Value kernel, const Config& c) {
  return windowed(x, ops::reshape(kernel, kernel_shape(c.kernel_size, 1, kernel.dim(-2) * kernel.dim(-1))), c,
                  x.dim(-1));
}

template <class Config>
Value finished(const CallContext& ctx, Value y, const Weight& bias, const Config& c) {
  if (bias) y = y + ctx[bias];
  return c.activation(from_channels_last(y, c.data_format));
}

}  // namespace

// ---- Conv
// --------------------------------------------------------------------------------------------------------------------------
template <std::size_t rank>
void normalize(ConvConfig<rank>& c) {
  check_filters(c.filters);
  require(c.groups > 0, "The number of groups must be a positive integer. Received: groups=", c.groups, ".");
  require(c.filters % c.groups == 0,
          "The number of filters must be evenly divisible by the number of groups. Received: groups=", c.groups,
          ", filters=", c.filters, ".");
  normalize_window<rank>(c, true);
  require(c.padding.name() != "causal" || !channels_first(c.data_format),
          "When using `padding = \"causal\"`, the input data format should be `channels_last`. Received: "
          "data_format=channels_first");
}

template <std::size_t rank>
void ConvLayer<rank>::check(const std::vector<Spec>& inputs) const {
  const auto& c = this->config();
  check_spatial<rank>(*this, inputs, c, this->built() ? kernel_.variable()->stored().dim(-2) * c.groups : None);
  const auto channels = channels_of(inputs[0], c.data_format);
  require(channels % c.groups == 0, describe(*this),
          ": The number of input channels must be evenly divisible by the number of groups. Received groups=", c.groups,
          ", but the input has ", channels, " channels (full input shape is ", to_string(inputs[0].shape), ").");
}

template <std::size_t rank>
void ConvLayer<rank>::build(Builder& b, const Spec& x) {
  const auto& c = this->config();
  kernel_ = b.weight(
      "kernel", kernel_shape(c.kernel_size, channels_of(x, c.data_format) / c.groups, c.filters), c.kernel_initializer,
      {.regularizer = as_function(c.kernel_regularizer), .constraint = as_function(c.kernel_constraint)});
  bias_ = make_bias(b, c, c.filters);
}

template <std::size_t rank>
Value ConvLayer<rank>::call(const CallContext& ctx, Value x) const {
  const auto& c = this->config();
  return finished(ctx, windowed(to_channels_last(x, c.data_format), ctx[kernel_], c, c.groups), bias_, c);
}

// ---- DepthwiseConv
// -----------------------------------------------------------------------------------------------------------------
template <std::size_t rank>
void normalize(DepthwiseConvConfig<rank>& c) {
  check_multiplier(c.depth_multiplier);
  normalize_window<rank>(c, false);
}

template <std::size_t rank>
void DepthwiseConvLayer<rank>::check(const std::vector<Spec>& inputs) const {
  check_spatial<rank>(*this, inputs, this->config(), this->built() ? kernel_.variable()->stored().dim(-2) : None);
}

template <std::size_t rank>
void DepthwiseConvLayer<rank>::build(Builder& b, const Spec& x) {
  const auto& c = this->config();
  const auto channels = channels_of(x, c.data_format);
  kernel_ = b.weight(
      "kernel", kernel_shape(c.kernel_size, channels, c.depth_multiplier), c.depthwise_initializer,
      {.regularizer = as_function(c.depthwise_regularizer), .constraint = as_function(c.depthwise_constraint)});
  bias_ = make_bias(b, c, channels * c.depth_multiplier);
}

template <std::size_t rank>
Value DepthwiseConvLayer<rank>::call(const CallContext& ctx, Value x) const {
  const auto& c = this->config();
  return finished(ctx, depthwise(to_channels_last(x, c.data_format), ctx[kernel_], c), bias_, c);
}

// ---- SeparableConv
// -----------------------------------------------------------------------------------------------------------------
template <std::size_t rank>
void normalize(SeparableConvConfig<rank>& c) {
  check_filters(c.filters);
  check_multiplier(c.depth_multiplier);
  normalize_window<rank>(c, false);
}

template <std::size_t rank>
void SeparableConvLayer<rank>::check(const std::vector<Spec>& inputs) const {
  check_spatial<rank>(*this, inputs, this->config(), this->built() ? depthwise_.variable()->stored().dim(-2) : None);
}

template <std::size_t rank>
void SeparableConvLayer<rank>::build(Builder& b, const Spec& x) {
  const auto& c = this->config();
  const auto channels = channels_of(x, c.data_format);
  depthwise_ = b.weight(
      "depthwise_kernel", kernel_shape(c.kernel_size, channels, c.depth_multiplier), c.depthwise_initializer,
      {.regularizer = as_function(c.depthwise_regularizer), .constraint = as_function(c.depthwise_constraint)});
  pointwise_ = b.weight(
      "pointwise_kernel", kernel_shape(standardize(1, rank, "window"), channels * c.depth_multiplier, c.filters),
      c.pointwise_initializer,
      {.regularizer = as_function(c.pointwise_regularizer), .constraint = as_function(c.pointwise_constraint)});
  bias_ = make_bias(b, c, c.filters);
}

template <std::size_t rank>
Value SeparableConvLayer<rank>::call(const CallContext& ctx, Value x) const {
  const auto& c = this->config();
  const Value channels = depthwise(to_channels_last(x, c.data_format), ctx[depthwise_], c);
  const std::vector<std::int64_t> ones(rank, 1), zeros(rank, 0);
  return finished(ctx, ops::conv(channels, ctx[pointwise_], {ones, ones, zeros, zeros, 1}), bias_, c);
}

// ---- ConvTranspose
// -----------------------------------------------------------------------------------------------------------------
template <std::size_t rank>
void normalize(ConvTransposeConfig<rank>& c) {
  check_filters(c.filters);
  normalize_window<rank>(c, true);
  if (!c.output_padding) return;
  c.output_padding = standardize(*c.output_padding, rank, "output_padding", true);
  for (std::size_t i = 0; i < rank; ++i)
    require(c.output_padding->values()[i] < c.strides.values()[i],
            "`output_padding` must be strictly less than `strides` for all dimensions. At dimension ", i,
            ", `output_padding` is ", c.output_padding->values()[i], " but `strides` is ", c.strides.values()[i],
            ". Received: output_padding=", to_string(c.output_padding->values()),
            ", strides=", to_string(c.strides.values()));
}

template <std::size_t rank>
void ConvTransposeLayer<rank>::check(const std::vector<Spec>& inputs) const {
  check_spatial<rank>(*this, inputs, this->config(), this->built() ? kernel_.variable()->stored().dim(-1) : None, true);
}

template <std::size_t rank>
void ConvTransposeLayer<rank>::build(Builder& b, const Spec& x) {
  const auto& c = this->config();
  kernel_ =
      b.weight("kernel", kernel_shape(c.kernel_size, c.filters, channels_of(x, c.data_format)), c.kernel_initializer,
               {.regularizer = as_function(c.kernel_regularizer), .constraint = as_function(c.kernel_constraint)});
  bias_ = make_bias(b, c, c.filters);
}

// The gradient, with respect to its input, of the convolution that `kernel` makes from filters to channels. With window
// reach K = (k − 1)·d + 1, stride s, n inputs and output padding p, the output has
//   valid:  (n − 1)·s + max(K, s)                   or, with p,  (n − 1)·s + K + p          and nothing is cut in
//   front; same:   n·s, P = s + K − 2                      or, with p,  (n − 1)·s + K mod 2 + p, P = K + K mod 2 − 2 +
//   p,
//           and K − 1 − min(⌈P/2⌉, K − 1) cells are cut in front.
template <std::size_t rank>
Value ConvTransposeLayer<rank>::call(const CallContext& ctx, Value x) const {
  const auto& c = this->config();
  x = to_channels_last(x, c.data_format);
  ops::ConvGradAttrs attrs{{x.dim(0)}, c.strides.values(), c.dilation_rate.values(), {}, 1};
  for (std::size_t i = 0; i < rank; ++i) {
    const auto n = x.shape()[i + 1], s = c.strides.values()[i],
               K = (c.kernel_size.values()[i] - 1) * c.dilation_rate.values()[i] + 1;
    const auto p = c.output_padding ? std::optional(c.output_padding->values()[i]) : std::nullopt;
    std::int64_t size = (n - 1) * s + (p ? K + *p : std::max(K, s)), cut = 0;
    if (c.padding.name() == "same") {
      size = p ? (n - 1) * s + K % 2 + *p : n * s;
      const auto P = p ? K + K % 2 - 2 + *p : s + K - 2;
      cut = K - 1 - std::min((P + 1) / 2, K - 1);
    }
    require(size > 0, describe(*this),
            ": Computed output size would be zero or negative. Received `inputs shape=", to_string(x.shape()),
            "`, `kernel_size=", to_string(c.kernel_size.values()), "`");
    attrs.shape.push_back(size);
    attrs.pad_before.push_back(cut);
  }
  attrs.shape.push_back(c.filters);
  return finished(ctx, ops::conv_input_grad(x, ctx[kernel_], std::move(attrs)), bias_, c);
}

template void normalize(ConvConfig<1>&);
template void normalize(ConvConfig<2>&);
template void normalize(DepthwiseConvConfig<1>&);
template void normalize(DepthwiseConvConfig<2>&);
template void normalize(SeparableConvConfig<1>&);
template void normalize(SeparableConvConfig<2>&);
template void normalize(ConvTransposeConfig<1>&);
template void normalize(ConvTransposeConfig<2>&);
template class ConvLayer<1>;
template class ConvLayer<2>;
template class DepthwiseConvLayer<1>;
template class DepthwiseConvLayer<2>;
template class SeparableConvLayer<1>;
template class SeparableConvLayer<2>;
template class ConvTransposeLayer<1>;
template class ConvTransposeLayer<2>;

}  // namespace ramet::layers
