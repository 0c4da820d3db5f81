// What a random program is made of so far: inputs, the values there are, and what is known of them. The programs
// themselves are grown in tests/support/random_program.h.
//
// Two ways of computing one program differ by roundings, and an op that jumps (a comparison, floor, argmax) would make
// a rounding into another result. So it is known of every value whether it is exact: a multiple of 2^-grid below
// 2^24 · 2^-grid, which float32 holds and every order of summation gives. Ops that jump are given exact values only.
#pragma once
#include <cmath>

#include "tests/support/op_samples.h"

namespace ramet::testing {

struct RandomProgramOptions {
  bool smooth = false;   // for gradients: ops with a kink, too, are given exact values only
  bool devices = false;  // instructions on cpu:0 and cpu:1
  bool states = false;   // some inputs are state, some of it leaves changed
  bool large = false;    // sizes up to 90, so that kernels split and block their work
};

class RandomValues {
 public:
  std::unique_ptr<Program> program = std::make_unique<Program>();
  Arrays inputs;

 protected:
  RandomValues(unsigned seed, RandomProgramOptions options) : r_(seed), options_(options) {}

  struct Fact {
    double magnitude = 0;
    int grid = 0;  // 99: not exact
  };
  static constexpr int kInexact = 99;

  Fact& fact(Value v) {
    facts_.resize(std::max(facts_.size(), static_cast<std::size_t>(v.id) + 1));
    return facts_[static_cast<std::size_t>(v.id)];
  }
  bool exact(Value v) { return fact(v).grid != kInexact; }
  bool real(Value v) { return is_floating(v.dtype()); }
  std::int64_t extent(bool zero = true) {
    return options_.large && r_.chance(0.7) ? r_.integer(15, 90) : r_.size(zero);
  }
  Shape shape(std::size_t rank, bool zero = true) {
    Shape out;
    for (std::size_t i = 0; i < rank; ++i) out.push_back(i < 2 ? extent(zero) : r_.size(zero));
    return out;
  }

  // Registers a result. Large ones are scaled down, so that nothing overflows however long the program is.
  Value done(Value v, double magnitude, int grid) {
    if (grid != kInexact && magnitude * std::ldexp(1.0, grid) > 16'777'216) grid = kInexact;
    fact(v) = {magnitude, grid};
    if (magnitude > 100 && real(v)) {
      const int shift = std::ilogb(magnitude) - 2;
      v = v * std::ldexp(1.0, -shift);
      fact(v) = {std::ldexp(magnitude, -shift), grid == kInexact ? kInexact : grid + shift};
    }
    if (!real(v) && v.dtype() != DType::boolean && magnitude > 1e6) return v;  // not used again: it might overflow
    pool_.push_back(v);
    return v;
  }
  Value same(Value v, Value like) { return done(v, fact(like).magnitude, fact(like).grid); }
  static int most(int a, int b) { return std::max(a, b); }
  static int sum(int a, int b) { return a == kInexact || b == kInexact ? kInexact : a + b; }

  Value fresh(const Spec& spec) {
    Array values(spec.shape, spec.dtype);
    visit_dtype(spec.dtype, [&](auto zero) {
      using T = decltype(zero);
      for (auto& x : values.data<T>()) {
        if constexpr (std::is_same_v<T, bool>)
          x = r_.chance(0.5);
        else if constexpr (std::is_integral_v<T>)
          x = static_cast<T>(r_.integer(-5, 5));
        else
          x = static_cast<T>(static_cast<double>(r_.integer(-8, 8)) / 4);  // ties and zeros are common
      }
    });
    return enter(values,
                 is_floating(spec.dtype)        ? 2
                 : spec.dtype == DType::boolean ? 1
                                                : 5,
                 is_floating(spec.dtype) ? 2 : 0);
  }
  Value enter(Array values, double magnitude, int grid) {
    const Spec spec{values.shape(), values.dtype()};
    const bool constant = r_.chance(0.15);
    Value v;
    if (constant)
      v = ops::constant(*program, values);
    else {
      const bool state = options_.states && is_floating(spec.dtype) && r_.chance(0.4);
      v = program->input(cat("x", inputs.size()), spec, state ? InputKind::state : InputKind::data);
      if (state) states_.push_back({static_cast<int>(program->inputs().size()) - 1, v});
      inputs.push_back(values);
    }
    fact(v) = {magnitude, grid};
    return v;
  }
  Value index(Shape shape, std::int64_t below) {
    Array values(std::move(shape), r_.chance(0.8) ? DType::i32 : DType::i64);
    visit_dtype(values.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        for (auto& x : values.data<T>()) x = static_cast<T>(r_.integer(0, below - 1));
    });
    return enter(values, static_cast<double>(below), 0);
  }

  // A value for which `fits` holds: one there is, or a new input of `otherwise`.
  template <class Fits>
  Value pick(const Fits& fits, const Spec& otherwise) {
    if (r_.chance(0.9))
      for (int attempt = 0; attempt < 6; ++attempt) {
        const auto back = static_cast<std::size_t>(r_.chance(0.5) ? r_.integer(0, 2) : r_.integer(0, 40));
        const Value v = pool_[pool_.size() - 1 - std::min(back, pool_.size() - 1)];
        if (fits(v)) return v;
      }
    const Value v = fresh(otherwise);
    pool_.push_back(v);
    return v;
  }
  Value number() {
    return pick([&](Value v) { return real(v); }, {theme_, real_});
  }
  Value exact_number() {
    return pick([&](Value v) { return real(v) && exact(v); }, {theme_, real_});
  }
  Value kinked() { return options_.smooth ? exact_number() : number(); }
  Value any() {
    return pick([](Value) { return true; }, {theme_, real_});
  }
  Value of_rank(std::int64_t low, std::int64_t high, bool zero = true) {
    const auto fits = [&](Value v) {
      const auto rank = static_cast<std::int64_t>(v.rank());
      return real(v) && rank >= low && rank <= high && (zero || element_count(v.shape()) > 0);
    };
    return pick(fits, {shape(static_cast<std::size_t>(r_.integer(low, high)), zero), real_});
  }
  // One that broadcasts with a.
  Value partner(Value a, bool must_be_exact) {
    const auto fits = [&](Value v) {
      if (v.dtype() != a.dtype() || (must_be_exact && !exact(v))) return false;
      try {
        return element_count(broadcast_shapes(a.shape(), v.shape())) < (options_.large ? 100'000 : 3000);
      } catch (const Error&) { return false; }
    };
    return pick(fits, {broadcast_partner(r_, a.shape()), a.dtype()});
  }
  Value positive(Value x) { return ops::abs(x) + 0.5; }  // the kink only matters to gradients at an exact 0
  double size(Value x) { return fact(x).magnitude; }

  Random r_;
  RandomProgramOptions options_;
  DType real_ = DType::f32;
  Shape theme_;
  std::vector<Value> pool_;
  std::vector<Fact> facts_;
  std::vector<std::pair<int, Value>> states_;
};

}  // namespace ramet::testing
