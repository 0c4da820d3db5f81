// The loops around the micro-kernel: blocks that fit the caches, A and B packed where that pays. Products and
// convolutions differ only in where the rows of A come from and where the rows of C go. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/gemm_pack.h"

namespace ramet::cpu::RAMET_SIMD {

// Steps of k in one block. All blocks of a product have the same length but the last.
inline std::int64_t block_k(std::int64_t k) {
  if (k <= kMostSteps) return k > 0 ? k : 1;  // most products: no division
  const std::int64_t blocks = (k + kMostSteps - 1) / kMostSteps;
  return (k + blocks - 1) / blocks;
}

inline std::int64_t panels_of(std::int64_t columns) { return (columns + kPanel - 1) / kPanel; }

// The left factor: stored by columns, or brought by `pack`, which writes out[k * stride + i] for rows [row, row + rows)
// and steps [k0, k0 + k), and may leave anything in rows <= i < stride.
struct LeftFactor {
  void (*pack)(const void* self, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, float* out, int stride);
  const void* self;
  const float* matrix;  // row-major and fit to be read in place, or null
  std::int64_t ld;
  const float* columns = nullptr;  // (k, row), with the same ld; then `pack` is null
  // Rows that come in lines of `line`, parts of which are zeros, as where a convolution reaches past its image. Tiles
  // then keep to one line, and `runs` writes what rows [row, row + rows) need of the steps [k0, k0 + k): at most
  // kMostRuns runs, with `a` and `b` counting steps from k0.
  std::int64_t line = 0;
  int (*runs)(const void* self, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, Run* out) = nullptr;
};
inline constexpr int kMostRuns = 18;

// The right factor: packed, or a matrix that is packed on the way (or read in place where few rows need it).
struct RightFactor {
  const float* packed;
  const std::uint16_t* brain;  // packed, in brain floats: a panel is widened when it is first used
  const float* matrix;
  std::int64_t ld;
  bool transposed;
};

// Row r of C is image r / (height * width), line and column of the rest. A plain matrix has one image and one line.
struct RowMap {
  std::int64_t height, width;
  std::int64_t image_stride, line_stride, column_stride;
  std::int64_t offset(std::int64_t row) const {
    if (width == 0) return row * column_stride;
    const std::int64_t line = row / width;
    return line / height * image_stride + line % height * line_stride + row % width * column_stride;
  }
};

struct Blocks {
  std::int64_t n, k;                                          // of the whole product; n gives the layout of a packed B
  std::int64_t row_begin, row_end, column_begin, column_end;  // what to compute; column_begin is a multiple of kPanel
  LeftFactor a;
  RightFactor b;
  float* c;
  RowMap c_rows;
  bool accumulate;
  GemmEpilogue epilogue;  // residual has C's layout
};

void run_blocks(const Blocks& blocks, float* scratch);
// Floats of scratch for `rows` x `columns` of C; `line` as in LeftFactor.
std::size_t blocks_scratch(std::int64_t rows, std::int64_t columns, std::int64_t k, bool pack_b, std::int64_t line = 0);

// Packs k x n of B; `packed` holds panels_of(n) * kPanel * k floats in the order [block of k][panel][k][kPanel].
void pack_panels(const float* b, std::int64_t ldb, bool transposed, std::int64_t k, std::int64_t n, float* packed);

// Applies activation and ceiling of `e` to one row of C, and before that what is missing of bias and residual.
void finish_row(float* c, std::int64_t n, const float* bias, const float* residual, const GemmEpilogue& e);

}  // namespace ramet::cpu::RAMET_SIMD
