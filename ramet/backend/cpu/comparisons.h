// The comparisons of vectors, listed once. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/pointwise_ops.h"
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

// Calls set(name, function) for each.
template <class Set>
void each_comparison(Set&& set) {
  set(Compare::kEqual, [](Vec a, Vec b) { return a == b; });
  set(Compare::kNotEqual, [](Vec a, Vec b) { return a != b; });
  set(Compare::kLess, [](Vec a, Vec b) { return a < b; });
  set(Compare::kLessEqual, [](Vec a, Vec b) { return a <= b; });
  set(Compare::kGreater, [](Vec a, Vec b) { return a > b; });
  set(Compare::kGreaterEqual, [](Vec a, Vec b) { return a >= b; });
}

}  // namespace ramet::cpu::RAMET_SIMD
