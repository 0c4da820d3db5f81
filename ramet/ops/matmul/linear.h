// Products with what usually follows them, as one instruction: y = activation(product + bias + residual). Made by
// passes after differentiation, so they have no gradient of their own.
#pragma once
#include <limits>

#include "ramet/ops/conv/conv.h"
#include "ramet/ops/matmul/matmul.h"

namespace ramet::ops {

struct LinearAttrs {
  bool transpose_a = false, transpose_b = false;  // the second factor may be bfloat16 beside a float32
  bool bias = false;                              // one more input [n]
  bool residual = false;                          // one more input like the result
  std::string activation = "linear";              // linear, relu, relu6, sigmoid, tanh, gelu
  static constexpr auto fields =
      Fields{field("transpose_a", &LinearAttrs::transpose_a), field("transpose_b", &LinearAttrs::transpose_b),
             field("bias", &LinearAttrs::bias), field("residual", &LinearAttrs::residual),
             field("activation", &LinearAttrs::activation)};
};
struct ConvLinearAttrs {
  std::vector<std::int64_t> strides, dilation, pad_before, pad_after;
  std::int64_t groups = 1;
  bool bias = false, residual = false;  // inputs as above
  std::string activation = "linear";
  static constexpr auto fields =
      Fields{field("strides", &ConvLinearAttrs::strides),       field("dilation", &ConvLinearAttrs::dilation),
             field("pad_before", &ConvLinearAttrs::pad_before), field("pad_after", &ConvLinearAttrs::pad_after),
             field("groups", &ConvLinearAttrs::groups),         field("bias", &ConvLinearAttrs::bias),
             field("residual", &ConvLinearAttrs::residual),     field("activation", &ConvLinearAttrs::activation)};
  ConvAttrs conv() const { return {strides, dilation, pad_before, pad_after, groups}; }
};
extern const OpDef linear_op, conv_linear_op;

struct EpilogueActivation {
  int code = -1;  // 0 linear, 1 relu, 2 sigmoid, 3 tanh, 4 gelu, as the CPU's kernels count them; -1: none of them
  float ceiling = std::numeric_limits<float>::infinity();  // of the result: relu6 is relu with 6
};
EpilogueActivation epilogue_activation(std::string_view name);

}  // namespace ramet::ops
