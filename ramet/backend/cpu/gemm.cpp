#include "ramet/backend/cpu/gemm.h"

#include <algorithm>

#include "ramet/backend/cpu/cpu_target.h"

namespace ramet::cpu {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Below this a part costs more to start than to compute.
constexpr double kLeastWork = 100e3;

// C in units of a tile.
struct Grid {
  std::int64_t rows, columns;
};

Grid grid_of(const Gemm& g) { return {ceil_div(g.m, simd().tile_rows), ceil_div(g.n, simd().panel)}; }

// The cut of the grid into `parts` whose largest part is smallest; of equal ones the squarest, which packs least.
Grid cut_of(const Grid& grid, int parts) {
  Grid best{1, parts};
  std::int64_t best_tiles = -1, best_edge = 0;
  for (int r = 1; r <= parts; ++r) {
    if (parts % r != 0) continue;
    const std::int64_t rows = ceil_div(grid.rows, r), columns = ceil_div(grid.columns, parts / r);
    const std::int64_t tiles = rows * columns, edge = rows + columns;
    if (best_tiles >= 0 && (tiles > best_tiles || (tiles == best_tiles && edge >= best_edge))) continue;
    best = {r, parts / r};
    best_tiles = tiles;
    best_edge = edge;
  }
  return best;
}

}  // namespace

std::size_t packed_b_size(std::int64_t k, std::int64_t n) { return simd().packed_b_size(k, n); }

void pack_b(const float* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n, float* packed) {
  simd().pack_b(b, ldb, trans_b, k, n, packed);
}

std::size_t gemm_scratch(const Gemm& gemm) { return simd().gemm_scratch(gemm); }

int gemm_parts(const Gemm& gemm, int threads) {
  const Grid grid = grid_of(gemm);
  const double work = static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(std::max<std::int64_t>(gemm.k, 1));
  const auto worth = static_cast<std::int64_t>(std::min(work / kLeastWork, 1e6));
  return static_cast<int>(std::clamp<std::int64_t>(std::min(worth, grid.rows * grid.columns), 1, std::max(threads, 1)));
}

void gemm_part(const Gemm& gemm, int part, int parts, void* scratch) {
  if (parts == 1) return simd().gemm_region(gemm, {0, gemm.m, 0, gemm.n}, scratch);
  const Grid grid = grid_of(gemm), cut = cut_of(grid, parts);
  const std::int64_t r = part / cut.columns, c = part % cut.columns;
  // Rows may be cut anywhere; columns only between panels.
  const std::int64_t panel = simd().panel;
  simd().gemm_region(gemm,
                     {gemm.m * r / cut.rows, gemm.m * (r + 1) / cut.rows, std::min(gemm.n, grid.columns * c / cut.columns * panel),
                      std::min(gemm.n, grid.columns * (c + 1) / cut.columns * panel)},
                     scratch);
}

int gemm_parts(const GemmF64& gemm, int threads) {
  const double work = static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
  const auto worth = static_cast<std::int64_t>(std::min(2 * work / kLeastWork, 1e6));
  return static_cast<int>(std::clamp<std::int64_t>(std::min(worth, gemm.m), 1, std::max(threads, 1)));
}

void gemm_part(const GemmF64& gemm, int part, int parts) {
  simd().gemm_f64_rows(gemm, gemm.m * part / parts, gemm.m * (part + 1) / parts);
}

}  // namespace ramet::cpu
