// Rows of a convolution's left factor, taken from the image while they are packed: no im2row buffer ever exists.
// For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/conv.h"
#include "ramet/backend/cpu/gemm_pack.h"

namespace ramet::cpu::RAMET_SIMD {

// Row (image, t, u) holds, tap after tap, `channels` elements of pixel
// (t step_h + first_h + i delta_h, u step_w + first_w + j delta_w), zeros where that lies outside.
struct Gather {
  const float* image;  // its first channel of the group
  std::int64_t height, width, pixel_stride, channels;
  std::int64_t taps_h, taps_w, first_h, first_w, delta_h, delta_w;
  std::int64_t step_h, step_w;
  std::int64_t rows_h, rows_w;  // t < rows_h, u < rows_w
};

// LeftFactor::pack with the rows as rows (forward, input gradient) ...
void pack_gathered(const void* gather, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, float* out,
                   int stride);
// ... and with the rows as steps of k (kernel gradient).
void pack_gathered_transposed(const void* gather, std::int64_t row, int rows, std::int64_t k0, std::int64_t k,
                              float* out, int stride);

}  // namespace ramet::cpu::RAMET_SIMD
