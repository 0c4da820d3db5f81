#include "ramet/backend/cpu/gemm_tile.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Every loop over the sums must be unrolled: g++ otherwise keeps them in memory, at a third of the speed.
template <int kRows, int kVecs, ReadA kRead>
void run_tile(const Tile& t) {
  Vec sum[kRows][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sum[i][v] = load(t.init + i * t.init_stride + v * kLanes);
  }

  // Row-major A is read through one pointer per three rows: x86 addresses reach stride and 2 * stride from it for free.
  constexpr int kBases = kRead == ReadA::kRowMajor ? (kRows + 2) / 3 : 1;
  const float* a[kBases];
#pragma GCC unroll 8
  for (int r = 0; r < kBases; ++r) a[r] = t.a + 3 * r * t.a_stride;

  const float* b = t.b;
  for (std::int64_t k = t.k; k > 0; --k) {
    Vec bv[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) bv[v] = load(b + v / 2 * t.panel_stride + v % 2 * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Vec av = splat(kRead == ReadA::kRowMajor ? a[i / 3][i % 3 * t.a_stride] : a[0][i]);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) sum[i][v] = mul_add(av, bv[v], sum[i][v]);
    }
    b += t.b_stride;
    if constexpr (kRead == ReadA::kPacked) {
      a[0] += t.a_stride;
    } else {
#pragma GCC unroll 8
      for (int r = 0; r < kBases; ++r) ++a[r];
    }
  }

  const Vec floor = splat(t.floor);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) store(t.c + i * t.c_stride + v * kLanes, max_or_second(floor, sum[i][v]));
  }
}

struct TileTable {
  TileKernel narrow[2][kTileRows + 1], full[2][kTileRows + 1], wide[2][kTileRows + 1];
};

template <int kRows>
constexpr void fill(TileTable& table) {
  constexpr int row = static_cast<int>(ReadA::kRowMajor), packed = static_cast<int>(ReadA::kPacked);
  table.narrow[row][kRows] = run_tile<kRows, 1, ReadA::kRowMajor>;
  table.narrow[packed][kRows] = run_tile<kRows, 1, ReadA::kPacked>;
  table.full[row][kRows] = run_tile<kRows, 2, ReadA::kRowMajor>;
  table.full[packed][kRows] = run_tile<kRows, 2, ReadA::kPacked>;
  table.wide[row][kRows] = run_tile<kRows, wide_vecs(kRows), ReadA::kRowMajor>;
  table.wide[packed][kRows] = run_tile<kRows, wide_vecs(kRows), ReadA::kPacked>;
  if constexpr (kRows > 1) fill<kRows - 1>(table);
}

constexpr TileTable make_table() {
  TileTable table{};
  fill<kTileRows>(table);
  return table;
}

constexpr TileTable kTable = make_table();

}  // namespace

TileKernel tile_kernel(int rows, int vecs, ReadA read) {
  const int r = static_cast<int>(read);
  return vecs == 1 ? kTable.narrow[r][rows] : vecs == 2 ? kTable.full[r][rows] : kTable.wide[r][rows];
}

}  // namespace ramet::cpu::RAMET_SIMD
