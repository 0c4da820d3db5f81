// The loop over time that LSTM and GRU share: per step a product of few rows by the packed recurrent kernel, whose
// sums the cell turns into states while they are in L1. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

constexpr std::int64_t padded_units(std::int64_t units) { return (units + kLanes - 1) / kLanes * kLanes; }

// Scratch of one row: h before and after the step, c, and a place in the list of rows.
constexpr std::int64_t loop_scratch_row(std::int64_t units) { return 3 * padded_units(units) + kLanes; }

// sums[row][block][gate] = h[row] · kernel, for kBlocks neighbouring blocks of kLanes units. The kernel is packed as
// [block][k][gate][width]; width is kLanes but in a last block of fewer units, whose other lanes hold nothing of worth.
// A sum runs in the order of k from zero, so that its bits do not depend on the tile. Every loop over the sums must be
// unrolled: g++ otherwise keeps them in memory.
template <int kGates, int kRows, int kBlocks>
void gate_sums(const float* const* rows, std::int64_t units, const float* kernel, std::int64_t width, float* sums) {
  constexpr int kVecs = kGates * kBlocks;
  const std::int64_t block = units * kGates * kLanes;
  const float* h[kRows];
  Vec sum[kRows][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    h[i] = rows[i];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sum[i][v] = Vec{};
  }
  for (std::int64_t k = 0; k < units; ++k) {
    Vec w[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      w[v] = load(kernel + v / kGates * block + v % kGates * width);
      if constexpr (kRows > 1) keep_in_register(w[v]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Vec a = splat(h[i][k]);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) sum[i][v] = mul_add(a, w[v], sum[i][v]);
    }
    kernel += kGates * width;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) store(sums + (i * kVecs + v) * kLanes, sum[i][v]);
  }
}

using GateSums = void (*)(const float* const* rows, std::int64_t units, const float* kernel, std::int64_t width,
                          float* sums);

// By rows.
template <int kGates, int kMostRows>
struct GateSumsTable {
  GateSums of[kMostRows + 1] = {};
  constexpr GateSumsTable() { fill<kMostRows>(); }
  template <int kRows>
  constexpr void fill() {
    of[kRows] = gate_sums<kGates, kRows, 1>;
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

// The same into a sequence; asks at the same time for where the next step's will be written.
inline void keep_units(const float* from, std::int64_t units, float* to, std::int64_t ahead) {
  copy_units(from, units, to);
  for (std::int64_t i = 0; i < units && ahead != 0; i += 16) __builtin_prefetch(to + ahead * units + i, 1, 2);
}

// Where one cell works: a row of the batch, `count` units from `unit`, and the row's states.
struct CellPlace {
  std::int64_t at;     // of the row and step in [batch, steps]
  std::int64_t ahead;  // from `at` to the next step, or 0 after the last
  std::int64_t unit;
  std::size_t count;
  const float* h;
  float* next_h;
  float* c;
};

// Runs rows [begin, end). Cell has kGates, kMostRows, gates(forward, place, sums) and states(forward, place, sums),
// which turn the kGates sums of kLanes units into the gates, in place, and these into the next states. Two halves,
// because several rows go through each together: their long chains of instructions overlap.
template <class Cell>
void run_loop(const RecurrentForward& f, std::int64_t begin, std::int64_t end, float* scratch) {
  constexpr int kGates = Cell::kGates, kMostRows = Cell::kMostRows;
  static constexpr GateSumsTable<kGates, kMostRows> table;
  const RecurrentShape& s = f.shape;
  const std::int64_t rows = end - begin, units = s.units, padded = padded_units(units), blocks = padded / kLanes;
  float *h = scratch, *next_h = h + rows * padded, *c = next_h + rows * padded;
  std::int32_t* const active = reinterpret_cast<std::int32_t*>(c + rows * padded);
  for (std::int64_t r = 0; r < rows; ++r) {
    copy_padded(f.h0 + (begin + r) * units, units, h + r * padded);
    if (f.c0 != nullptr) copy_padded(f.c0 + (begin + r) * units, units, c + r * padded);
    active[r] = static_cast<std::int32_t>(r);
  }
  // One row alone takes two blocks at once, to have enough independent sums, and finishes some blocks together.
  constexpr std::int64_t kGroup = 4;
  alignas(64) float sums[(kMostRows > kGroup ? kMostRows : kGroup) * kGates * kLanes];

  for (std::int64_t n = 0; n < s.steps; ++n) {
    const std::int64_t t = s.reverse ? s.steps - 1 - n : n;
    const std::int64_t ahead = n + 1 == s.steps ? 0 : s.reverse ? -1 : 1;
    std::int64_t count = f.mask == nullptr ? rows : 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t at = (begin + r) * s.steps + t;
      if (f.h_entered != nullptr) keep_units(h + r * padded, units, f.h_entered + at * units, ahead);
      if (f.c_entered != nullptr) keep_units(c + r * padded, units, f.c_entered + at * units, ahead);
      if (f.mask == nullptr) continue;
      if (f.mask[at]) {
        active[count++] = static_cast<std::int32_t>(r);
        continue;
      }
      copy_units(h + r * padded, padded, next_h + r * padded);
      if (f.gates != nullptr)
        __builtin_memset(f.gates + at * 4 * units, 0, static_cast<std::size_t>(4 * units) * sizeof(float));
    }

    const auto width_of = [&](std::int64_t block) {
      const std::int64_t left = units - block * kLanes;
      return left < kLanes ? left : kLanes;
    };
    const auto place = [&](std::int64_t r, std::int64_t block) -> CellPlace {
      const std::int64_t unit = block * kLanes, at = r * padded + unit;
      return {(begin + r) * s.steps + t,
              ahead,
              unit,
              static_cast<std::size_t>(width_of(block)),
              h + at,
              next_h + at,
              c + at};
    };
    const std::int64_t kernel_block = units * kGates * kLanes;
    if (count == 1) {
      const float* const row = h + active[0] * padded;
      for (std::int64_t first = 0; first < blocks; first += kGroup) {
        const std::int64_t last = first + kGroup < blocks ? first + kGroup : blocks;
        for (std::int64_t block = first; block < last;) {
          const bool two = block + 1 < last && width_of(block + 1) == kLanes;
          (two ? gate_sums<kGates, 1, 2> : gate_sums<kGates, 1, 1>)(&row, units, f.kernel + block * kernel_block,
                                                                    width_of(block),
                                                                    sums + (block - first) * kGates * kLanes);
          block += two ? 2 : 1;
        }
        for (std::int64_t block = first; block < last; ++block)
          Cell::gates(f, place(active[0], block), sums + (block - first) * kGates * kLanes);
        for (std::int64_t block = first; block < last; ++block)
          Cell::states(f, place(active[0], block), sums + (block - first) * kGates * kLanes);
      }
    } else {
      const std::int64_t tiles = (count + kMostRows - 1) / kMostRows;
      for (std::int64_t block = 0; block < blocks && count > 0; ++block) {
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
          const std::int64_t first = count * tile / tiles, last = count * (tile + 1) / tiles;
          const float* row[kMostRows];
          for (std::int64_t i = first; i < last; ++i) row[i - first] = h + active[i] * padded;
          table.of[last - first](row, units, f.kernel + block * kernel_block, width_of(block), sums);
          for (std::int64_t i = first; i < last; ++i)
            Cell::gates(f, place(active[i], block), sums + (i - first) * kGates * kLanes);
          for (std::int64_t i = first; i < last; ++i)
            Cell::states(f, place(active[i], block), sums + (i - first) * kGates * kLanes);
        }
      }
    }

    float* const before = h;
    h = next_h, next_h = before;
    if (f.sequence == nullptr) continue;
    for (std::int64_t r = 0; r < rows; ++r)
      keep_units(h + r * padded, units, f.sequence + ((begin + r) * s.steps + t) * units, ahead);
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    if (f.h != nullptr) copy_units(h + r * padded, units, f.h + (begin + r) * units);
    if (f.c != nullptr) copy_units(c + r * padded, units, f.c + (begin + r) * units);
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
