// Products in which one side has few rows and k is contiguous on both: each element is a dot product along k, and the
// large side streams past once, unpacked. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_kernels.h"

namespace ramet::cpu::RAMET_SIMD {

inline constexpr std::int64_t kFewRows = kFewColumns;

// Depends on the whole product, never on a region: dot products add in another order than tiles.
inline bool takes_dots(const Gemm& g) {
  if (g.packed_b != nullptr || g.packed_brain != nullptr) return false;
  return (g.trans_b && g.m <= kFewRows) || (!g.trans_a && g.n <= kFewRows);
}

std::size_t dots_scratch(const Gemm& g);
// One dot product, in the order of all the others.
float dot(const float* a, const float* b, std::int64_t k);
void run_dots(const Gemm& g, const GemmRegion& region, float* scratch);

}  // namespace ramet::cpu::RAMET_SIMD
