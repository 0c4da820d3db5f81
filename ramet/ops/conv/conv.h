// Convolution over any number of spatial axes, channels last: x [n, spatial…, c], kernel [window…, c/groups, f],
// y [n, spatial…, f]. A correlation: kernels are not flipped. Its two gradients are ops of their own, so that the three
// are closed under differentiation; a transposed convolution is conv_input_grad.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct ConvAttrs {
  std::vector<std::int64_t> strides, dilation, pad_before, pad_after;  // per spatial axis; pad_after may be negative
  std::int64_t groups = 1;
  static constexpr auto fields = Fields{field("strides", &ConvAttrs::strides), field("dilation", &ConvAttrs::dilation),
                                        field("pad_before", &ConvAttrs::pad_before),
                                        field("pad_after", &ConvAttrs::pad_after), field("groups", &ConvAttrs::groups)};
};
// `shape` is that of the result: the input's, or the kernel's.
struct ConvGradAttrs {
  std::vector<std::int64_t> shape, strides, dilation, pad_before;
  std::int64_t groups = 1;
  static constexpr auto fields =
      Fields{field("shape", &ConvGradAttrs::shape), field("strides", &ConvGradAttrs::strides),
             field("dilation", &ConvGradAttrs::dilation), field("pad_before", &ConvGradAttrs::pad_before),
             field("groups", &ConvGradAttrs::groups)};
};
extern const OpDef conv_op, conv_input_grad_op, conv_kernel_grad_op;

Value conv(Value x, Value kernel, ConvAttrs attrs);
Value conv_input_grad(Value dy, Value kernel, ConvGradAttrs attrs);
Value conv_kernel_grad(Value x, Value dy, ConvGradAttrs attrs);

// Zeros before and after so that a window with `stride` gives ceil(size / stride) results.
struct SamePadding {
  std::int64_t before, after;
};
SamePadding same_padding(std::int64_t size, std::int64_t window, std::int64_t stride, std::int64_t dilation);

}  // namespace ramet::ops
