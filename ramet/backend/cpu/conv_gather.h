// Rows of a convolution's left factor, taken from the image while they are packed: no im2row buffer ever exists.
// For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/conv.h"
#include "ramet/backend/cpu/gemm_blocks.h"

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

// Rows at the head and at the end of `rows` whose x, growing by `step` from x, lies outside [0, width).
struct Overhang {
  std::int64_t head, end;
  Overhang(std::int64_t x, std::int64_t step, int rows, std::int64_t width) {
    const std::int64_t past = x + (rows - 1) * step - width + 1;
    head = x < 0 ? (-x + step - 1) / step : 0;
    end = past > 0 ? (past + step - 1) / step : 0;
  }
};

// Run::skip for it: what is left of it is zeros.
inline std::int64_t skipped(const Overhang& over, int rows) {
  if (!can_skip(rows) || (over.head > 0) == (over.end > 0)) return 0;
  const auto most = [](std::int64_t n) { return n < kMostSkipped ? n : kMostSkipped; };
  return over.head > 0 ? most(over.head) : -most(over.end);
}

// Taps of fewer channels are too short to be runs of their own, and along longer lines padding is too little.
inline constexpr std::int64_t kLeastChannels = 32, kMostPaddedLine = 3 * 14;

// The left factor with the rows as rows (forward, input gradient): packed, and without the steps that meet only
// padding where that is worth it.
LeftFactor gathered_rows(const Gather& gather);
// The length of its lines, or 0.
std::int64_t gathered_line(const Gather& gather);
// LeftFactor::pack with the rows as steps of k (kernel gradient).
void pack_gathered_transposed(const void* gather, std::int64_t row, int rows, std::int64_t k0, std::int64_t k,
                              float* out, int stride);

}  // namespace ramet::cpu::RAMET_SIMD
