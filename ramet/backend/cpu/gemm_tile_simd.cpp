#include "ramet/backend/cpu/gemm_tile.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Steps of k in one turn of the loop: the counting between them takes slots that FMAs could have, the more so where a
// core runs two threads.
constexpr int kSteps = 2;

// Where the steps of k have come to. Row-major A is read through one pointer per three rows: x86 addresses reach stride
// and 2 * stride from it for free.
template <int kRows, ReadA kRead>
struct Walk {
  static constexpr int kBases = kRead == ReadA::kPacked ? 1 : (kRows + 2) / 3;
  const float* a[kBases];
  const float *b, *ahead;
  int fetched = 0;  // rows of C

  [[gnu::always_inline]] void start(const Tile& t, const Run& run) {
#pragma GCC unroll 8
    for (int r = 0; r < kBases; ++r) a[r] = t.a + run.a + 3 * r * t.a_stride;
    b = t.b + run.b;
  }
  [[gnu::always_inline]] float element(const Tile& t, int row, int step) const {
    return kRead == ReadA::kPacked ? a[0][step * t.a_stride + row] : a[row / 3][row % 3 * t.a_stride + step];
  }
  [[gnu::always_inline]] void go(const Tile& t, int steps) {
    b += steps * t.b_stride;
    if constexpr (kRead == ReadA::kPacked) {
      a[0] += steps * t.a_stride;
    } else {
#pragma GCC unroll 8
      for (int r = 0; r < kBases; ++r) a[r] += steps;
    }
  }
};

// Adds rows [kFrom, kTo) of the step of k that is `step` ahead. Every loop over the sums must be unrolled: g++
// otherwise keeps them in memory, at a third of the speed.
template <int kFrom, int kTo, ReadA kRead, int kRows, int kVecs>
[[gnu::always_inline]] inline void add_step(const Tile& t, Walk<kRows, kRead>& at, int step, std::int64_t left,
                                            Vec (&sum)[kRows][kVecs]) {
  constexpr int kRegisters = kLanes == 16 ? 32 : 16;
  constexpr bool kFits = kRows > 1 && kRows * kVecs + kVecs + 1 <= kRegisters;
  Vec bv[kVecs];
#pragma GCC unroll 8
  for (int v = 0; v < kVecs; ++v) {
    bv[v] = load(at.b + step * t.b_stride + v / 2 * t.panel_stride + v % 2 * kLanes);
    if constexpr (kFits) keep_in_register(bv[v]);
  }
#pragma GCC unroll 16
  for (int i = kFrom; i < kTo; ++i) {
    const Vec av = splat(at.element(t, i, step));
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sum[i][v] = mul_add(av, bv[v], sum[i][v]);
  }
  if constexpr (kRows >= 4 && kVecs > 1) {  // fetched meanwhile: what the next tiles read of A or B
    if constexpr (kRead == ReadA::kRowsThenNext) {
      __builtin_prefetch(at.a[0] + (kRows + (left & 15)) * t.a_stride, 0, 2);
    } else {
      __builtin_prefetch(at.ahead, 0, 2);
      at.ahead += t.ahead_stride;
    }
  }
}

template <int kFrom, int kTo, ReadA kRead, int kRows, int kVecs>
[[gnu::always_inline]] inline void add_run(const Tile& t, const Run& run, Walk<kRows, kRead>& at,
                                           Vec (&sum)[kRows][kVecs]) {
  at.start(t, run);
  std::int64_t left = run.length;
  if constexpr (kFrom == 0 && kTo == kRows && kRows >= 4 && kVecs > 1) {
    // The first steps fetch what the end of the tile reads and writes at once.
    for (; left > 0 && at.fetched < kRows; --left, ++at.fetched) {
      add_step<kFrom, kTo>(t, at, 0, left, sum);
      at.go(t, 1);
      const std::int64_t row = at.fetched * t.c_stride;
      __builtin_prefetch(t.c + row, 1);
      __builtin_prefetch(t.c + row + kLanes, 1);
      if (t.residual == nullptr) continue;
      __builtin_prefetch(t.residual + row);
      __builtin_prefetch(t.residual + row + kLanes);
    }
    for (; left >= kSteps; left -= kSteps) {
#pragma GCC unroll 2
      for (int step = 0; step < kSteps; ++step) add_step<kFrom, kTo>(t, at, step, left - step, sum);
      at.go(t, kSteps);
    }
  }
  for (; left > 0; --left) {
    add_step<kFrom, kTo>(t, at, 0, left, sum);
    at.go(t, 1);
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

  Walk<kRows, kRead> at;
  at.ahead = t.ahead;
  for (const Run *run = t.run, *end = t.run + t.runs; run < end; ++run) {
    if constexpr (can_skip(kRows)) {
      static_assert(kMostSkipped == 2);
      switch (run->skip) {
        case 0: break;
        case 1: add_run<1, kRows>(t, *run, at, sum); continue;
        case 2: add_run<2, kRows>(t, *run, at, sum); continue;
        case -1: add_run<0, kRows - 1>(t, *run, at, sum); continue;
        default: add_run<0, kRows - 2>(t, *run, at, sum); continue;
      }
    }
    add_run<0, kRows>(t, *run, at, sum);
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
  TileKernel of[3][4][kTileRows + 1];  // by ReadA, log2 of vecs, rows
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
  fill<kTileRows, ReadA::kPacked>(table);
  fill<kTileRows, ReadA::kRowMajor>(table);
  fill<kTileRows, ReadA::kRowsThenNext>(table);
  return table;
}

constexpr TileTable kTable = make_table();

}  // namespace

TileKernel tile_kernel(int rows, int vecs, ReadA read) {
  const int log2 = vecs == 8 ? 3 : vecs == 4 ? 2 : vecs - 1;
  return kTable.of[static_cast<int>(read)][log2][rows];
}

}  // namespace ramet::cpu::RAMET_SIMD
