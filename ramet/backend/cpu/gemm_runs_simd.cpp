#include "ramet/backend/cpu/gemm_runs.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// As gemm_tile_simd.cpp: every loop over the sums is unrolled, and B stays in registers.
template <int kRows, int kVecs, ReadA kRead>
void sum_runs(const RunTile& given) {
  const RunTile& t = given;
  Vec sum[kRows][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVecs; ++v) sum[i][v] = Vec{};
  }
  constexpr int kBases = kRead == ReadA::kRowMajor ? (kRows + 2) / 3 : 1;
  for (const Run *run = t.run, *end = t.run + t.runs; run < end; ++run) {
    const float* a[kBases];
#pragma GCC unroll 8
    for (int r = 0; r < kBases; ++r) a[r] = t.a + run->a + 3 * r * t.a_stride;
    const float* b = t.b + run->b;
    for (std::int64_t k = run->length; k > 0; --k) {
      Vec bv[kVecs];
#pragma GCC unroll 2
      for (int v = 0; v < kVecs; ++v) {
        bv[v] = load(b + v * kLanes);
        if constexpr (kRows > 1) keep_in_register(bv[v]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vec av = splat(kRead == ReadA::kRowMajor ? a[i / 3][i % 3 * t.a_stride] : a[0][i]);
#pragma GCC unroll 2
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
  }
  const RunTile after = read_again(given);
  const Vec floor = splat(after.floor), ceiling = splat(after.ceiling);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVecs; ++v) {
      Vec whole = load(after.init + i * after.init_stride + v * kLanes) + sum[i][v];
      if (after.residual != nullptr) whole += load(after.residual + i * after.c_stride + v * kLanes);
      store(after.c + i * after.c_stride + v * kLanes, min_or_second(ceiling, max_or_second(floor, whole)));
    }
  }
}

struct RunTable {
  RunKernel of[2][2][kTileRows + 1];  // by ReadA, vecs - 1, rows
};

template <int kRows, ReadA kRead>
constexpr void fill(RunTable& table) {
  auto& of = table.of[static_cast<int>(kRead)];
  of[0][kRows] = sum_runs<kRows, 1, kRead>;
  of[1][kRows] = sum_runs<kRows, 2, kRead>;
  if constexpr (kRows > 1) fill<kRows - 1, kRead>(table);
}

constexpr RunTable make_table() {
  RunTable table{};
  fill<kTileRows, ReadA::kRowMajor>(table);
  fill<kTileRows, ReadA::kPacked>(table);
  return table;
}

constexpr RunTable kTable = make_table();

}  // namespace

RunKernel run_kernel(int rows, int vecs, ReadA read) { return kTable.of[static_cast<int>(read)][vecs - 1][rows]; }

}  // namespace ramet::cpu::RAMET_SIMD
