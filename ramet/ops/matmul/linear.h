// Products with what usually follows them, as one instruction: y = activation(product + bias). Made by passes after
// differentiation, so they have no gradient of their own.
#pragma once
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/matmul/matmul.h"

namespace ramet::ops {

struct LinearAttrs {
  bool transpose_a = false, transpose_b = false;
  bool bias = false;                  // a third input [n]
  std::string activation = "linear";  // linear, relu, sigmoid, tanh
  static constexpr auto fields =
      std::tuple{field("transpose_a", &LinearAttrs::transpose_a), field("transpose_b", &LinearAttrs::transpose_b),
                 field("bias", &LinearAttrs::bias), field("activation", &LinearAttrs::activation)};
};
struct ConvLinearAttrs {
  std::vector<std::int64_t> strides, dilation, pad_before, pad_after;
  std::int64_t groups = 1;
  bool bias = false;  // a third input [f]
  std::string activation = "linear";
  static constexpr auto fields =
      std::tuple{field("strides", &ConvLinearAttrs::strides),       field("dilation", &ConvLinearAttrs::dilation),
                 field("pad_before", &ConvLinearAttrs::pad_before), field("pad_after", &ConvLinearAttrs::pad_after),
                 field("groups", &ConvLinearAttrs::groups),         field("bias", &ConvLinearAttrs::bias),
                 field("activation", &ConvLinearAttrs::activation)};
  ConvAttrs conv() const { return {strides, dilation, pad_before, pad_after, groups}; }
};
extern const OpDef linear_op, conv_linear_op;

// 0 linear, 1 relu, 2 sigmoid, 3 tanh, as the CPU's kernels count them; -1 for anything else.
int epilogue_activation(std::string_view name);

}  // namespace ramet::ops
