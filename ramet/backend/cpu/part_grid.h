// How the tiles of a result are cut into parts.
#pragma once
#include <algorithm>
#include <cstdint>

#include "ramet/backend/cpu/cpu_target.h"

namespace ramet::cpu {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// How many parts are worth making of `work` multiplications in `tiles` pieces.
inline int parts_for(double work, std::int64_t tiles, int threads) {
  constexpr double kLeastWork = 100e3;  // below this a part costs more to start than to compute
  const auto worth = static_cast<std::int64_t>(std::min(work / kLeastWork, 1e6));
  return static_cast<int>(std::clamp<std::int64_t>(std::min(worth, tiles), 1, std::max(threads, 1)));
}

// Tiles of an m x n result.
inline std::int64_t tile_count(std::int64_t m, std::int64_t n) {
  return ceil_div(m, simd().tile_rows) * ceil_div(n, simd().panel);
}

// The region of part `part`: the cut whose largest part is smallest, and of equal ones the squarest, which packs least.
GemmRegion region_of(std::int64_t m, std::int64_t n, int part, int parts);

}  // namespace ramet::cpu
