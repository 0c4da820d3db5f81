// What a step of a recurrent layer multiplies: rows of x and h by the packed kernels. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

constexpr std::int64_t padded_units(std::int64_t units) { return (units + kLanes - 1) / kLanes * kLanes; }

// Features that the steps multiply themselves.
inline std::int64_t loop_features(const RecurrentForward& f) { return f.projected != nullptr ? 0 : f.shape.features; }

inline constexpr int kMostTileRows = 14;

// A cell's sums per row and block of kLanes units. The last gate's products with h may have a sum of their own. With
// few registers two gates of more rows go together, which takes fewer loads than all gates of few rows.
template <int gates, int sums>
struct GateSumsOf {
  static constexpr int kGates = gates, kSums = sums;
  static constexpr int kTogether = kLanes == 16 || gates < 2 ? gates : 2;
  // Registers: the sums, the kernel's gates, one of x or h, and without FMA a product.
  static constexpr int kRegisters = kLanes == 16 ? 32 : 16, kOthers = kTogether + (kLanes == 4 ? 2 : 1);
  static constexpr int kWidest = kTogether == gates ? sums : 2;
  static constexpr int kMostRows = gates == 1 ? kMostTileRows : (kRegisters - kOthers) / kWidest;
};

struct GateRows {
  const float* x[kMostTileRows];
  const float* h[kMostTileRows];
};

// Kernels are packed as [block][k][gate][width]; width is kLanes but in a last block of fewer units, whose other lanes
// hold nothing of worth.
struct GateKernels {
  const float *kernel, *recurrent_kernel;
  std::int64_t features, units, width;
};

// The gates [kFirst, kFirst + kCount) of kBlocks neighbouring blocks for kRows rows.
template <class Sums, int kFirst, int kCount, int kRows, int kBlocks>
struct GatePass {
  static constexpr bool kOwn = kFirst + kCount == Sums::kGates && Sums::kSums > Sums::kGates;
  static constexpr int kVecs = kCount + kOwn;  // of a block

  // sum[row][block][gate] += row · kernel; the last gate's goes to sum kLast. Every loop over the sums must be
  // unrolled: g++ otherwise keeps them in memory.
  template <int kLast>
  [[gnu::always_inline]] static void add_products(const float* const* rows, std::int64_t depth, const float* kernel,
                                                  std::int64_t width, Vec (&sum)[kRows][kVecs * kBlocks]) {
    const std::int64_t block = depth * Sums::kGates * kLanes;
    const float* row[kRows];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) row[i] = rows[i];
    kernel += kFirst * width;
    for (std::int64_t k = 0; k < depth; ++k) {
      Vec w[kCount * kBlocks];
#pragma GCC unroll 8
      for (int v = 0; v < kCount * kBlocks; ++v) {
        w[v] = load(kernel + v / kCount * block + v % kCount * width);
        if constexpr (kRows > 1) keep_in_register(w[v]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vec a = splat(row[i][k]);
#pragma GCC unroll 8
        for (int v = 0; v < kCount * kBlocks; ++v) {
          Vec& to = sum[i][v / kCount * kVecs + (v % kCount == kCount - 1 ? kLast : v % kCount)];
          to = mul_add(a, w[v], to);
        }
      }
      kernel += Sums::kGates * width;
    }
  }

  static void run(const GateRows& rows, const GateKernels& k, float* sums) {
    Vec sum[kRows][kVecs * kBlocks];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs * kBlocks; ++v) sum[i][v] = Vec{};
    }
    add_products<kCount - 1>(rows.x, k.features, k.kernel, k.width, sum);
    add_products<kVecs - 1>(rows.h, k.units, k.recurrent_kernel, k.width, sum);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs * kBlocks; ++v)
        store(sums + ((i * kBlocks + v / kVecs) * Sums::kSums + kFirst + v % kVecs) * kLanes, sum[i][v]);
    }
  }
};

// sums[row][block][sum]. A sum runs from zero over x and then h, so that its bits do not depend on the tile.
template <class Sums, int kRows, int kBlocks, int kFirst = 0>
void gate_sums(const GateRows& rows, const GateKernels& k, float* sums) {
  constexpr int kLeft = Sums::kGates - kFirst, kMost = kRows == 1 ? Sums::kGates : Sums::kTogether;
  constexpr int kCount = kLeft < kMost ? kLeft : kMost;
  GatePass<Sums, kFirst, kCount, kRows, kBlocks>::run(rows, k, sums);
  if constexpr (kCount < kLeft) gate_sums<Sums, kRows, kBlocks, kFirst + kCount>(rows, k, sums);
}

using GateSums = void (*)(const GateRows& rows, const GateKernels& kernels, float* sums);

// By rows.
template <class Sums>
struct GateSumsTable {
  GateSums of[Sums::kMostRows + 1] = {};
  constexpr GateSumsTable() { fill<Sums::kMostRows>(); }
  template <int kRows>
  constexpr void fill() {
    of[kRows] = gate_sums<Sums, kRows, 1>;
    if constexpr (kRows > 1) fill<kRows - 1>();
  }
};

inline void copy_units(const float* from, std::int64_t units, float* to) {
  std::int64_t i = 0;
  for (; i + kLanes <= units; i += kLanes) store(to + i, load(from + i));
  if (i < units) {
    const auto left = static_cast<std::size_t>(units - i);
    store_part(to + i, load_part(from + i, left), left);
  }
}

// The same into scratch, whose rows end in zeros.
inline void copy_padded(const float* from, std::int64_t units, float* to) {
  std::int64_t i = 0;
  for (; i + kLanes <= units; i += kLanes) store(to + i, load(from + i));
  if (i < units) store(to + i, load_part(from + i, static_cast<std::size_t>(units - i)));
}

// The same, asking for the units of the next step, `next` floats away: too far for the hardware to guess.
inline void fetch_units(const float* from, std::int64_t units, float* to, std::int64_t next) {
  copy_padded(from, units, to);
  for (std::int64_t i = 0; i < units && next != 0; i += 16) __builtin_prefetch(from + next + i, 0, 2);
}

// Into what is kept; asks at the same time for where the next step's will be written.
inline void keep_units(const float* from, std::int64_t units, float* to, std::int64_t next) {
  copy_units(from, units, to);
  for (std::int64_t i = 0; i < units && next != 0; i += 16) __builtin_prefetch(to + next + i, 1, 2);
}

}  // namespace ramet::cpu::RAMET_SIMD
