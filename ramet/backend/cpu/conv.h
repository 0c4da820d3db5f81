// 2-D convolution, NHWC with an HWIO kernel (kh, kw, c / groups, f), f32: forward and both gradients. The same rules as
// gemm.h: nothing allocates, the caller gives scratch and runs the parts, and no bit of a result depends on their
// number.
#pragma once
#include "ramet/backend/cpu/gemm.h"

namespace ramet::cpu {

// Padding after the image is whatever oh and ow imply. A depthwise convolution has groups = c = f; with a multiplier
// f = groups * multiplier, and Keras' depthwise kernel (kh, kw, c, multiplier) is already in this layout.
struct Conv2D {
  std::int64_t n = 0, h = 0, w = 0, c = 0;  // input
  std::int64_t kh = 1, kw = 1;
  std::int64_t oh = 0, ow = 0, f = 0;  // output
  std::int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0, pad_left = 0;
  std::int64_t groups = 1;
};

constexpr bool is_depthwise(const Conv2D& s) { return s.groups > 1 && s.groups == s.c && s.groups == s.f; }

// One pixel each: a product of matrices as they lie.
constexpr bool is_pointwise(const Conv2D& s) {
  return s.kh == 1 && s.kw == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pad_top == 0 && s.pad_left == 0 &&
         s.oh == s.h && s.ow == s.w;
}

// y = activation(conv(x, kernel) + bias + residual)
struct ConvForward {
  Conv2D shape;
  const float* x = nullptr;
  const float* kernel = nullptr;         // may be null when packed_kernel is given
  const float* packed_kernel = nullptr;  // by pack_conv_kernel, or null; depthwise ignores it and reads `kernel`
  float* y = nullptr;
  GemmEpilogue epilogue = {};  // bias has f elements, residual y's layout
};

// dx = the gradient of x for a given dy
struct ConvInputGrad {
  Conv2D shape;
  const float* dy = nullptr;
  const float* kernel = nullptr;         // read by depthwise
  const float* packed_kernel = nullptr;  // by pack_conv_input_grad; needed unless depthwise
  float* dx = nullptr;
};

// dkernel [+]= the gradient of the kernel
struct ConvKernelGrad {
  Conv2D shape;
  const float* x = nullptr;
  const float* dy = nullptr;
  float* dkernel = nullptr;
  bool accumulate = false;
};

// Floats written by the packing functions; 0 for depthwise. The layout depends on the CPU target.
std::size_t conv_packed_size(const Conv2D& shape);
void pack_conv_kernel(const Conv2D& shape, const float* kernel, float* packed);
std::size_t conv_input_grad_packed_size(const Conv2D& shape);
void pack_conv_input_grad(const Conv2D& shape, const float* kernel, float* packed);

// Bytes of scratch for one part, number of parts worth making, and the work of one part.
std::size_t conv_scratch(const ConvForward& conv);
int conv_parts(const ConvForward& conv, int threads);
void conv_part(const ConvForward& conv, int part, int parts, void* scratch);

std::size_t conv_scratch(const ConvInputGrad& conv);
int conv_parts(const ConvInputGrad& conv, int threads);
void conv_part(const ConvInputGrad& conv, int part, int parts, void* scratch);

std::size_t conv_scratch(const ConvKernelGrad& conv);
int conv_parts(const ConvKernelGrad& conv, int threads);
void conv_part(const ConvKernelGrad& conv, int part, int parts, void* scratch);

}  // namespace ramet::cpu
