#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {

GemmRegion region_of(std::int64_t m, std::int64_t n, int part, int parts) {
  if (parts == 1) return {0, m, 0, n};
  const std::int64_t panel = simd().panel, tiles_m = ceil_div(m, simd().tile_rows), tiles_n = ceil_div(n, panel);
  std::int64_t cut_m = 1, best_tiles = -1, best_edge = 0;
  for (int r = 1; r <= parts; ++r) {
    if (parts % r != 0) continue;
    const std::int64_t rows = ceil_div(tiles_m, r), columns = ceil_div(tiles_n, parts / r);
    const std::int64_t tiles = rows * columns, edge = rows + columns;
    if (best_tiles >= 0 && (tiles > best_tiles || (tiles == best_tiles && edge >= best_edge))) continue;
    cut_m = r;
    best_tiles = tiles;
    best_edge = edge;
  }
  const std::int64_t cut_n = parts / cut_m, r = part / cut_n, c = part % cut_n;
  // Rows may be cut anywhere; columns only between panels.
  return {m * r / cut_m, m * (r + 1) / cut_m, std::min(n, tiles_n * c / cut_n * panel),
          std::min(n, tiles_n * (c + 1) / cut_n * panel)};
}

}  // namespace ramet::cpu
