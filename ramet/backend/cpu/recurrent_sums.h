// What a step of a recurrent layer multiplies: rows of x and h by the packed kernels. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

constexpr std::int64_t padded_units(std::int64_t units) { return (units + kLanes - 1) / kLanes * kLanes; }

// Features that the steps multiply themselves.
inline std::int64_t loop_features(const RecurrentForward& f) { return f.projected != nullptr ? 0 : f.shape.features; }

// A cell's sums per row and block of kLanes units. The last gate's products with h may have a sum of their own.
template <int gates, int sums, int most_rows>
struct GateSumsOf {
  static constexpr int kGates = gates, kSums = sums, kMostRows = most_rows;
};

inline constexpr int kMostTileRows = 14;

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

// sum[row][block][gate] += row · kernel, for kBlocks neighbouring blocks; the last gate's goes to sum kLast. Every loop
// over the sums must be unrolled: g++ otherwise keeps them in memory.
template <class Sums, int kLast, int kRows, int kBlocks>
[[gnu::always_inline]] inline void add_products(const float* const* rows, std::int64_t depth, const float* kernel,
                                                std::int64_t width, Vec (&sum)[kRows][Sums::kSums * kBlocks]) {
  constexpr int kGates = Sums::kGates, kVecs = kGates * kBlocks;
  const std::int64_t block = depth * kGates * kLanes;
  const float* row[kRows];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) row[i] = rows[i];
  for (std::int64_t k = 0; k < depth; ++k) {
    Vec w[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      w[v] = load(kernel + v / kGates * block + v % kGates * width);
      if constexpr (kRows > 1) keep_in_register(w[v]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Vec a = splat(row[i][k]);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        Vec& to = sum[i][v / kGates * Sums::kSums + (v % kGates == kGates - 1 ? kLast : v % kGates)];
        to = mul_add(a, w[v], to);
      }
    }
    kernel += kGates * width;
  }
}

// sums[row][block][sum]. A sum runs from zero over x and then h, so that its bits do not depend on the tile.
template <class Sums, int kRows, int kBlocks>
void gate_sums(const GateRows& rows, const GateKernels& k, float* sums) {
  constexpr int kVecs = Sums::kSums * kBlocks;
  Vec sum[kRows][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sum[i][v] = Vec{};
  }
  add_products<Sums, Sums::kGates - 1, kRows, kBlocks>(rows.x, k.features, k.kernel, k.width, sum);
  add_products<Sums, Sums::kSums - 1, kRows, kBlocks>(rows.h, k.units, k.recurrent_kernel, k.width, sum);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) store(sums + (i * kVecs + v) * kLanes, sum[i][v]);
  }
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
