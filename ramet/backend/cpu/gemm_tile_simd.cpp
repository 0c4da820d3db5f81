#include "ramet/backend/cpu/gemm_tile.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Adds rows [kFrom, kTo) of one run. Every loop over the sums must be unrolled: g++ otherwise keeps them in memory, at
// a third of the speed.
template <int kFrom, int kTo, ReadA kRead, int kRows, int kVecs>
[[gnu::always_inline]] inline void add_run(const Tile& t, const Run& run, const float*& ahead,
                                           Vec (&sum)[kRows][kVecs]) {
  // Row-major A is read through one pointer per three rows: x86 addresses reach stride and 2 * stride from it for free.
  constexpr int kBases = kRead == ReadA::kRowMajor ? (kRows + 2) / 3 : 1;
  const float* a[kBases];
#pragma GCC unroll 8
  for (int r = 0; r < kBases; ++r) a[r] = t.a + run.a + 3 * r * t.a_stride;

  constexpr int kRegisters = kLanes == 16 ? 32 : 16;
  constexpr bool kFits = kRows > 1 && kRows * kVecs + kVecs + 1 <= kRegisters;
  const float* b = t.b + run.b;
  const float* const also = t.residual != nullptr ? t.residual : t.c;
  for (std::int64_t k = run.length; k > 0; --k) {
    Vec bv[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      bv[v] = load(b + v / 2 * t.panel_stride + v % 2 * kLanes);
      if constexpr (kFits) keep_in_register(bv[v]);
    }
#pragma GCC unroll 16
    for (int i = kFrom; i < kTo; ++i) {
      const Vec av = splat(kRead == ReadA::kRowMajor ? a[i / 3][i % 3 * t.a_stride] : a[0][i]);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) sum[i][v] = mul_add(av, bv[v], sum[i][v]);
    }
    if constexpr (kRows >= 4 &&
                  kVecs > 1) {  // fetched meanwhile: what the end reads and writes at once, and the next tiles' A or B
      const float* const c = (k & 16 ? also : t.c) + (k & 15) * t.c_stride;
      __builtin_prefetch(c, 1);
      __builtin_prefetch(c + kLanes, 1);
      if constexpr (kRead == ReadA::kPacked) {
        __builtin_prefetch(ahead, 0, 2);
        ahead += t.ahead_stride;
      } else {
        __builtin_prefetch(a[0] + (kRows + (k & 15)) * t.a_stride, 0, 2);
      }
    }
    b += t.b_stride;
    if constexpr (kRead == ReadA::kPacked) {
      a[0] += t.a_stride;
    } else {
#pragma GCC unroll 8
      for (int r = 0; r < kBases; ++r) ++a[r];
    }
  }
}

template <int kRows, int kVecs, ReadA kRead>
void run_tile(const Tile& given) {
  const Tile& t = given;
  Vec sum[kRows][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sum[i][v] = Vec{};
  }

  const float* ahead = t.ahead;
  for (const Run *run = t.run, *end = t.run + t.runs; run < end; ++run) {
    if constexpr (can_skip(kRows)) {
      static_assert(kMostSkipped == 2);
      switch (run->skip) {
        case 0: break;
        case 1: add_run<1, kRows, kRead>(t, *run, ahead, sum); continue;
        case 2: add_run<2, kRows, kRead>(t, *run, ahead, sum); continue;
        case -1: add_run<0, kRows - 1, kRead>(t, *run, ahead, sum); continue;
        default: add_run<0, kRows - 2, kRead>(t, *run, ahead, sum); continue;
      }
    }
    add_run<0, kRows, kRead>(t, *run, ahead, sum);
  }

  const Tile after = read_again(given);
  const Vec floor = splat(after.floor), ceiling = splat(after.ceiling);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      Vec whole = load(after.init + i * after.init_stride + v * kLanes) + sum[i][v];
      if (after.residual != nullptr) whole += load(after.residual + i * after.c_stride + v * kLanes);
      store(after.c + i * after.c_stride + v * kLanes, min_or_second(ceiling, max_or_second(floor, whole)));
    }
  }
}

struct TileTable {
  TileKernel of[2][4][kTileRows + 1];  // by ReadA, log2 of vecs, rows
};

template <int kRows, ReadA kRead>
constexpr void fill(TileTable& table) {
  auto& of = table.of[static_cast<int>(kRead)];
  of[0][kRows] = run_tile<kRows, 1, kRead>;
  of[1][kRows] = run_tile<kRows, 2, kRead>;
  if constexpr (widest(kRows) >= 4) of[2][kRows] = run_tile<kRows, 4, kRead>;
  if constexpr (widest(kRows) >= 8) of[3][kRows] = run_tile<kRows, 8, kRead>;
  if constexpr (kRows > 1) fill<kRows - 1, kRead>(table);
}

constexpr TileTable make_table() {
  TileTable table{};
  fill<kTileRows, ReadA::kRowMajor>(table);
  fill<kTileRows, ReadA::kPacked>(table);
  return table;
}

constexpr TileTable kTable = make_table();

}  // namespace

TileKernel tile_kernel(int rows, int vecs, ReadA read) {
  const int log2 = vecs == 8 ? 3 : vecs == 4 ? 2 : vecs - 1;
  return kTable.of[static_cast<int>(read)][log2][rows];
}

}  // namespace ramet::cpu::RAMET_SIMD
