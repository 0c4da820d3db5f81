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

// The rows [begin, end) of one forward pass. Cell has kGates, kMostRows, gates(forward, place, sums) and
// states(forward, place, sums), which turn the kGates sums of kLanes units into the gates, in place, and these into the
// next states. Two halves, because several rows go through each together: their long chains of instructions overlap.
template <class Cell>
class RecurrentLoop {
 public:
  RecurrentLoop(const RecurrentForward& forward, std::int64_t begin, std::int64_t end, float* scratch)
      : f_(forward),
        begin_(begin),
        rows_(end - begin),
        h_(scratch),
        next_h_(h_ + rows_ * padded_),
        c_(next_h_ + rows_ * padded_),
        active_(reinterpret_cast<std::int32_t*>(c_ + rows_ * padded_)) {
    for (std::int64_t r = 0; r < rows_; ++r) {
      copy_padded(f_.h0 + (begin_ + r) * units_, units_, h_ + r * padded_);
      if (f_.c0 != nullptr) copy_padded(f_.c0 + (begin_ + r) * units_, units_, c_ + r * padded_);
      active_[r] = static_cast<std::int32_t>(r);
    }
  }

  void run() {
    const RecurrentShape& s = f_.shape;
    for (std::int64_t n = 0; n < s.steps; ++n) {
      t_ = s.reverse ? s.steps - 1 - n : n;
      ahead_ = n + 1 == s.steps ? 0 : s.reverse ? -1 : 1;
      const std::int64_t count = enter_step();
      if (count == 1)
        run_row(active_[0]);
      else
        run_tiles(count);
      float* const before = h_;
      h_ = next_h_, next_h_ = before;
      for (std::int64_t r = 0; r < rows_ && f_.sequence != nullptr; ++r)
        keep_units(h_ + r * padded_, units_, f_.sequence + position(r) * units_, ahead_);
    }
    for (std::int64_t r = 0; r < rows_; ++r) {
      if (f_.h != nullptr) copy_units(h_ + r * padded_, units_, f_.h + (begin_ + r) * units_);
      if (f_.c != nullptr) copy_units(c_ + r * padded_, units_, f_.c + (begin_ + r) * units_);
    }
  }

 private:
  static constexpr int kGates = Cell::kGates, kMostRows = Cell::kMostRows;
  static constexpr std::int64_t kGroup = 4;  // blocks that one row alone finishes together

  // Keeps what entered, takes masked rows over and lists the others; returns how many those are.
  std::int64_t enter_step() {
    std::int64_t count = f_.mask == nullptr ? rows_ : 0;
    for (std::int64_t r = 0; r < rows_; ++r) {
      const std::int64_t at = position(r);
      if (f_.h_entered != nullptr) keep_units(h_ + r * padded_, units_, f_.h_entered + at * units_, ahead_);
      if (f_.c_entered != nullptr) keep_units(c_ + r * padded_, units_, f_.c_entered + at * units_, ahead_);
      if (f_.mask == nullptr) continue;
      if (f_.mask[at]) {
        active_[count++] = static_cast<std::int32_t>(r);
        continue;
      }
      copy_units(h_ + r * padded_, padded_, next_h_ + r * padded_);
      if (f_.gates != nullptr)
        __builtin_memset(f_.gates + at * 4 * units_, 0, static_cast<std::size_t>(4 * units_) * sizeof(float));
    }
    return count;
  }

  // Two blocks at once, to have enough independent sums; a narrow one is alone.
  void run_row(std::int64_t r) {
    const float* const row = h_ + r * padded_;
    for (std::int64_t first = 0; first < blocks_; first += kGroup) {
      const std::int64_t last = first + kGroup < blocks_ ? first + kGroup : blocks_;
      const auto of = [&](std::int64_t block) { return sums_ + (block - first) * kGates * kLanes; };
      for (std::int64_t block = first; block < last;) {
        const bool two = block + 1 < last && width(block + 1) == kLanes;
        (two ? gate_sums<kGates, 1, 2> : gate_sums<kGates, 1, 1>)(&row, units_, kernel(block), width(block), of(block));
        block += two ? 2 : 1;
      }
      for (std::int64_t block = first; block < last; ++block) Cell::gates(f_, place(r, block), of(block));
      for (std::int64_t block = first; block < last; ++block) Cell::states(f_, place(r, block), of(block));
    }
  }

  // The listed rows, in tiles of nearly the same height.
  void run_tiles(std::int64_t count) {
    static constexpr GateSumsTable<kGates, kMostRows> table;
    const std::int64_t tiles = (count + kMostRows - 1) / kMostRows;
    for (std::int64_t block = 0; block < blocks_; ++block) {
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const std::int64_t first = count * tile / tiles, last = count * (tile + 1) / tiles;
        const auto of = [&](std::int64_t i) { return sums_ + (i - first) * kGates * kLanes; };
        const float* row[kMostRows];
        for (std::int64_t i = first; i < last; ++i) row[i - first] = h_ + active_[i] * padded_;
        table.of[last - first](row, units_, kernel(block), width(block), sums_);
        for (std::int64_t i = first; i < last; ++i) Cell::gates(f_, place(active_[i], block), of(i));
        for (std::int64_t i = first; i < last; ++i) Cell::states(f_, place(active_[i], block), of(i));
      }
    }
  }

  std::int64_t position(std::int64_t r) const { return (begin_ + r) * f_.shape.steps + t_; }
  const float* kernel(std::int64_t block) const { return f_.kernel + block * units_ * kGates * kLanes; }
  std::int64_t width(std::int64_t block) const {
    const std::int64_t left = units_ - block * kLanes;
    return left < kLanes ? left : kLanes;
  }
  CellPlace place(std::int64_t r, std::int64_t block) const {
    const std::int64_t unit = block * kLanes, at = r * padded_ + unit;
    const auto count = static_cast<std::size_t>(width(block));
    return {position(r), ahead_, unit, count, h_ + at, next_h_ + at, c_ + at};
  }

  const RecurrentForward& f_;
  const std::int64_t begin_, rows_, units_ = f_.shape.units, padded_ = padded_units(units_), blocks_ = padded_ / kLanes;
  float *h_, *next_h_, *const c_;
  std::int32_t* const active_;      // rows that are not masked in this step
  std::int64_t t_ = 0, ahead_ = 0;  // the step, and from it to the next
  alignas(64) float sums_[(kMostRows > kGroup ? kMostRows : kGroup) * kGates * kLanes];
};

template <class Cell>
void run_loop(const RecurrentForward& f, std::int64_t begin, std::int64_t end, float* scratch) {
  RecurrentLoop<Cell>(f, begin, end, scratch).run();
}

}  // namespace ramet::cpu::RAMET_SIMD
