// The table of kernels that each instruction set exports. Plain data and function pointers only: this header is
// read by code compiled for AVX-512, so nothing in it may be a standard-library template.
#pragma once
#include <cstddef>
#include <cstdint>

#include "ramet/backend/cpu/conv.h"
#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/pointwise_ops.h"
#include "ramet/backend/cpu/pool.h"
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/backend/cpu/transpose.h"

namespace ramet::cpu {

using UnaryF32 = void (*)(const float* x, float* y, std::size_t n);
// `a` or `b` points to one element in the scalar-left and scalar-right forms.
using BinaryF32 = void (*)(const float* a, const float* b, float* y, std::size_t n);
using CompareF32 = void (*)(const float* a, const float* b, std::uint8_t* y, std::size_t n);
using SelectF32 = void (*)(const std::uint8_t* mask, const float* a, const float* b, float* y, std::size_t n);
// Several functions in one loop, whose values in between stay in registers; an operand holds n elements or one.
struct LoopOperand {
  const float* p;
  bool scalar;
};
using LoopF32 = void (*)(const LoopOperand* operands, float* const* y, std::size_t n);
using ReduceF32 = float (*)(const float* x, std::size_t n);

// Rows and columns of C that one part computes; column_begin is a multiple of SimdKernels::panel.
struct GemmRegion {
  std::int64_t row_begin, row_end, column_begin, column_end;
};

struct SimdKernels {
  int lanes;  // floats in one vector

  // Indexed by Unary; then by Operands and Binary or Compare.
  UnaryF32 unary[kUnaryCount];
  BinaryF32 binary[kOperandsCount][kBinaryCount];
  CompareF32 compare[kOperandsCount][kCompareCount];
  // y = mask ? a : b, by Operands of a and b.
  SelectF32 select[kOperandsCount];

  // Chains by their number of links less two and the links as digits, first link first; choices by Compare; rounding;
  // descents.
  LoopF32 chain[kMostLinks - 1][kLinkCount * kLinkCount * kLinkCount * kLinkCount];
  LoopF32 choose[kCompareCount];
  LoopF32 round, descend, adam, adam_of_rounded;

  // Brain floats, as their bits: rounded from floats to the nearest, ties to even, and back.
  void (*narrow)(const float* x, std::uint16_t* y, std::size_t n);
  void (*widen)(const std::uint16_t* x, float* y, std::size_t n);

  // Indexed by Reduce.
  ReduceF32 reduce[kReduceCount];
  // y += alpha x
  void (*axpy)(float alpha, const float* x, float* y, std::size_t n);
  void (*row_softmax)(const float* x, float* y, std::size_t rows, std::size_t n);
  void (*row_log_softmax)(const float* x, float* y, std::size_t rows, std::size_t n);
  // x = exp(x - max); returns their sum.
  float (*exponents)(float* x, std::size_t n, float* max);
  float (*sum_of_exponents)(const float* x, std::size_t n, float* max);  // the same without keeping them
  void (*scaled_exponents)(const float* x, float* y, std::size_t n, float top,
                           float factor);  // y = exp(x - top) factor
  // x becomes y = exp(x - top) factor, which is softmax(x); dy becomes y (dy - Σ y dy).
  void (*softmax_gradient)(float* x, float* dy, std::size_t n, float top, float factor);
  // Mean and variance of each row.
  void (*row_moments)(const float* x, std::size_t rows, std::size_t n, float* mean, float* variance);
  // Takes `rows` more rows into the mean and the summed squared distances from it of each of n columns, which are those
  // of `before` rows; with none before, what is there is ignored.
  void (*column_moments)(const float* x, std::int64_t rows, std::int64_t stride, std::int64_t n, std::int64_t before,
                         float* mean, float* squares);

  // Products (gemm.h); a tile of C has tile_rows rows and panel columns.
  int tile_rows, panel;
  std::size_t (*packed_b_size)(std::int64_t k, std::int64_t n);
  void (*pack_b)(const float* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n, float* packed);
  void (*pack_b_brain)(const std::uint16_t* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n,
                       std::uint16_t* packed);
  std::size_t (*gemm_scratch)(const Gemm& gemm);
  void (*gemm_region)(const Gemm& gemm, const GemmRegion& region, void* scratch);
  void (*gemm_f64_rows)(const GemmF64& gemm, std::int64_t row_begin, std::int64_t row_end);

  // Convolutions (conv.h). Regions of the kernel gradient count rows (tap, channel) and columns filter.
  std::size_t (*conv_packed_size)(const Conv2D& shape);
  void (*pack_conv_kernel)(const Conv2D& shape, const float* kernel, float* packed);
  std::size_t (*conv_forward_scratch)(const ConvForward& conv);
  void (*conv_forward_region)(const ConvForward& conv, const GemmRegion& region, void* scratch);
  std::size_t (*conv_input_grad_packed_size)(const Conv2D& shape);
  void (*pack_conv_input_grad)(const Conv2D& shape, const float* kernel, float* packed);
  std::size_t (*conv_input_grad_scratch)(const ConvInputGrad& conv);
  void (*conv_input_grad_part)(const ConvInputGrad& conv, int part, int parts, void* scratch);
  std::size_t (*conv_kernel_grad_scratch)(const ConvKernelGrad& conv);
  void (*conv_kernel_grad_region)(const ConvKernelGrad& conv, const GemmRegion& region, void* scratch);

  // Depthwise convolution by lines of y or dx, and by vectors of channels of dkernel (scratch: a vector per tap).
  void (*depthwise_forward)(const ConvForward& conv, std::int64_t begin, std::int64_t end);
  void (*depthwise_input_grad)(const ConvInputGrad& conv, std::int64_t begin, std::int64_t end);
  void (*depthwise_kernel_grad)(const ConvKernelGrad& conv, std::int64_t begin, std::int64_t end, void* scratch);

  // Pooling (pool.h) by lines of y or dx or by images.
  void (*max_pool)(const MaxPool& pool, std::int64_t begin, std::int64_t end);
  void (*max_pool_grad)(const MaxPoolGrad& pool, std::int64_t begin, std::int64_t end);
  void (*average_pool)(const AveragePool& pool, std::int64_t begin, std::int64_t end);
  void (*average_pool_grad)(const AveragePoolGrad& pool, std::int64_t begin, std::int64_t end);

  // Recurrent layers (recurrent.h) by rows of the batch; `scratch` holds recurrent_scratch_row floats per row.
  std::size_t (*recurrent_packed_size)(std::int64_t depth, std::int64_t units, int gates);
  void (*pack_recurrent)(const float* kernel, std::int64_t depth, std::int64_t units, int gates, float* packed);
  std::int64_t (*recurrent_scratch_row)(const RecurrentShape& shape);
  void (*recurrent_forward)(const RecurrentForward& forward, std::int64_t begin, std::int64_t end, float* scratch);
  void (*recurrent_grad_step)(const RecurrentGradStep& step, std::int64_t begin, std::int64_t end);
  // to[j] = [to[j] +] the sum of rows[i * stride + j] over i < count, for j < columns.
  void (*sum_rows)(const float* rows, std::int64_t count, std::int64_t stride, std::int64_t columns, bool accumulate,
                   float* to);

  // Transposition by rows of x.
  void (*transpose)(const Transpose& transpose, std::int64_t begin, std::int64_t end);
};

}  // namespace ramet::cpu
