// The loop over time that the cells share: per step a product of few rows by the packed kernels, whose sums the cell
// turns into states while they are in L1. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/recurrent_sums.h"

namespace ramet::cpu::RAMET_SIMD {

// Where one cell works: `count` units of a row, and what it needs of them.
struct CellPlace {
  std::size_t count;
  const float* base;            // what is added to the sums of the gates: the bias, or x·W + b of this row and step
  const float* recurrent_bias;  // GRU
  const float* h;
  float* next_h;
  float* c;
  float* gates;             // to be kept, or null
  std::int64_t gates_next;  // from `gates` to the next step's, or 0 after the last
};

// The rows [begin, end) of one forward pass. Cell has kSums, a type of sums of kLanes units per row, and
// gates(units, place, sums) and states(units, place, sums), which turn the sums into the gates, in place, and these
// into the next states. Two halves, because several rows go through each together: their long chains of instructions
// overlap.
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
        x_(c_ + rows_ * padded_),
        active_(reinterpret_cast<std::int32_t*>(x_ + rows_ * padded_features_)) {
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
        keep_units(h_ + r * padded_, units_, f_.sequence + position(r) * units_, ahead_ * units_);
    }
    for (std::int64_t r = 0; r < rows_; ++r) {
      if (f_.h != nullptr) copy_units(h_ + r * padded_, units_, f_.h + (begin_ + r) * units_);
      if (f_.c != nullptr) copy_units(c_ + r * padded_, units_, f_.c + (begin_ + r) * units_);
    }
  }

 private:
  using Sums = typename Cell::Sums;
  static constexpr int kRowFloats = Sums::kSums * kLanes, kMostRows = Sums::kMostRows;
  static constexpr std::int64_t kGroup = 4;  // blocks that one row alone finishes together

  // Keeps what entered, takes masked rows over, fetches the inputs of the others and lists them; returns how many those
  // are.
  std::int64_t enter_step() {
    std::int64_t count = f_.mask == nullptr ? rows_ : 0;
    for (std::int64_t r = 0; r < rows_; ++r) {
      const std::int64_t at = position(r), kept_at = kept_position(r), next = ahead_ * f_.shape.batch * units_;
      if (f_.h_entered != nullptr) keep_units(h_ + r * padded_, units_, f_.h_entered + kept_at * units_, next);
      if (f_.c_entered != nullptr) keep_units(c_ + r * padded_, units_, f_.c_entered + kept_at * units_, next);
      if (f_.mask != nullptr && !f_.mask[at]) {
        copy_units(h_ + r * padded_, padded_, next_h_ + r * padded_);
        const std::int64_t width = f_.shape.kept * units_;
        if (f_.gates != nullptr)
          __builtin_memset(f_.gates + kept_at * width, 0, static_cast<std::size_t>(width) * sizeof(float));
        continue;
      }
      if (f_.mask != nullptr) active_[count++] = static_cast<std::int32_t>(r);
      if (features_ > 0) fetch_units(f_.x + at * features_, features_, x_ + r * padded_features_, ahead_ * features_);
    }
    return count;
  }

  // Two blocks at once, to have enough independent sums; a narrow one is alone.
  void run_row(std::int64_t r) {
    const GateRows rows{{x_ + r * padded_features_}, {h_ + r * padded_}};
    for (std::int64_t first = 0; first < blocks_; first += kGroup) {
      const std::int64_t last = first + kGroup < blocks_ ? first + kGroup : blocks_;
      const auto of = [&](std::int64_t block) { return sums_ + (block - first) * kRowFloats; };
      for (std::int64_t block = first; block < last;) {
        const bool two = block + 1 < last && width(block + 1) == kLanes;
        (two ? gate_sums<Sums, 1, 2> : gate_sums<Sums, 1, 1>)(rows, kernels(block), of(block));
        block += two ? 2 : 1;
      }
      for (std::int64_t block = first; block < last; ++block) Cell::gates(units_, place(r, block), of(block));
      for (std::int64_t block = first; block < last; ++block) Cell::states(units_, place(r, block), of(block));
    }
  }

  // The listed rows, in tiles of nearly the same height.
  void run_tiles(std::int64_t count) {
    static constexpr GateSumsTable<Sums> table;
    const std::int64_t tiles = (count + kMostRows - 1) / kMostRows;
    for (std::int64_t block = 0; block < blocks_; ++block) {
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const std::int64_t first = count * tile / tiles, last = count * (tile + 1) / tiles;
        const auto of = [&](std::int64_t i) { return sums_ + (i - first) * kRowFloats; };
        GateRows rows;
        for (std::int64_t i = first; i < last; ++i) {
          rows.x[i - first] = x_ + active_[i] * padded_features_;
          rows.h[i - first] = h_ + active_[i] * padded_;
        }
        table.of[last - first](rows, kernels(block), sums_);
        for (std::int64_t i = first; i < last; ++i) Cell::gates(units_, place(active_[i], block), of(i));
        for (std::int64_t i = first; i < last; ++i) Cell::states(units_, place(active_[i], block), of(i));
      }
    }
  }

  std::int64_t position(std::int64_t r) const { return (begin_ + r) * f_.shape.steps + t_; }
  std::int64_t kept_position(std::int64_t r) const { return t_ * f_.shape.batch + begin_ + r; }
  std::int64_t width(std::int64_t block) const {
    const std::int64_t left = units_ - block * kLanes;
    return left < kLanes ? left : kLanes;
  }
  GateKernels kernels(std::int64_t block) const {
    const std::int64_t row = Sums::kGates * kLanes;
    return {f_.kernel + block * features_ * row, f_.recurrent_kernel + block * units_ * row, features_, units_,
            width(block)};
  }
  CellPlace place(std::int64_t r, std::int64_t block) const {
    const std::int64_t unit = block * kLanes, at = r * padded_ + unit, kept = f_.shape.kept * units_;
    const float* const base = f_.projected != nullptr ? f_.projected + position(r) * Sums::kGates * units_ : f_.bias;
    return {static_cast<std::size_t>(width(block)),
            base + unit,
            f_.bias + Sums::kGates * units_ + unit,
            h_ + at,
            next_h_ + at,
            c_ + at,
            f_.gates != nullptr ? f_.gates + kept_position(r) * kept + unit : nullptr,
            ahead_ * f_.shape.batch * kept};
  }

  const RecurrentForward& f_;
  const std::int64_t begin_, rows_, units_ = f_.shape.units, padded_ = padded_units(units_), blocks_ = padded_ / kLanes;
  const std::int64_t features_ = loop_features(f_), padded_features_ = padded_units(features_);
  float *h_, *next_h_, *const c_, *const x_;
  std::int32_t* const active_;      // rows that are not masked in this step
  std::int64_t t_ = 0, ahead_ = 0;  // the step, and from it to the next
  alignas(64) float sums_[(kMostRows > kGroup ? kMostRows : kGroup) * kRowFloats];
};

template <class Cell>
void run_loop(const RecurrentForward& f, std::int64_t begin, std::int64_t end, float* scratch) {
  RecurrentLoop<Cell>(f, begin, end, scratch).run();
}

}  // namespace ramet::cpu::RAMET_SIMD
