// The micro-kernel over operands that are read where they lie: k is a list of runs, each with its own place in A and B.
// For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/gemm_tile.h"

namespace ramet::cpu::RAMET_SIMD {

struct Run {
  std::int64_t a, b;  // offsets from RunTile::a and RunTile::b
  std::int64_t length;
};

// As Tile, the sum being over the runs and their steps. A is read row-major (a_stride between rows, steps of k touch)
// or packed (a_stride between steps, rows touch).
struct RunTile {
  const Run* run;
  std::int64_t runs;
  const float* a;
  std::int64_t a_stride;
  const float* b;
  std::int64_t b_stride;  // between steps
  const float* init;
  std::int64_t init_stride;
  float* c;
  std::int64_t c_stride;
  const float* residual;
  float floor, ceiling;
};

using RunKernel = void (*)(const RunTile& tile);

// rows <= kTileRows; vecs is 1 or 2.
RunKernel run_kernel(int rows, int vecs, ReadA read);

}  // namespace ramet::cpu::RAMET_SIMD
