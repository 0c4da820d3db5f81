#include "ramet/backend/cpu/gemm.h"

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {

std::size_t packed_b_size(std::int64_t k, std::int64_t n) { return simd().packed_b_size(k, n); }

void pack_b(const float* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n, float* packed) {
  simd().pack_b(b, ldb, trans_b, k, n, packed);
}

void pack_b_brain(const std::uint16_t* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n,
                  std::uint16_t* packed) {
  simd().pack_b_brain(b, ldb, trans_b, k, n, packed);
}

std::size_t gemm_scratch(const Gemm& gemm) { return simd().gemm_scratch(gemm); }

int gemm_parts(const Gemm& g, int threads) {
  const double work =
      static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(std::max<std::int64_t>(g.k, 1));
  return parts_for(work, tile_count(g.m, g.n), threads);
}

void gemm_part(const Gemm& gemm, int part, int parts, void* scratch) {
  simd().gemm_region(gemm, region_of(gemm.m, gemm.n, part, parts), scratch);
}

int gemm_parts(const GemmF64& g, int threads) {
  return parts_for(2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k), g.m, threads);
}

void gemm_part(const GemmF64& gemm, int part, int parts) {
  simd().gemm_f64_rows(gemm, gemm.m * part / parts, gemm.m * (part + 1) / parts);
}

}  // namespace ramet::cpu
