// From running results, one for each lane of some vectors, to one. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

// Element j is joined with element j + half, in halves, until one is left: the order is the same whatever the length of
// a vector.
template <class Join>
float fold_lanes(Vec v, Join join) {
#if defined(RAMET_SIMD_avx512)
  v = join(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15));
  v = join(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7));
  v = join(v, __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3));
  v = join(v, __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
#elif defined(RAMET_SIMD_avx2)
  v = join(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7));
  v = join(v, __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3));
  v = join(v, __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1));
#else
  v = join(v, __builtin_shufflevector(v, v, 2, 3, 2, 3));
  v = join(v, __builtin_shufflevector(v, v, 1, 1, 1, 1));
#endif
  return v[0];
}

// The same of several vectors, which hold their elements one after another.
template <int kVecs, class Join>
float fold(const Vec (&running)[kVecs], Join join) {
  Vec all[kVecs];
  for (int v = 0; v < kVecs; ++v) all[v] = running[v];
#pragma GCC unroll 4
  for (int half = kVecs / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
    for (int v = 0; v < half; ++v) all[v] = join(all[v], all[v + half]);
  }
  return fold_lanes(all[0], join);
}

inline Vec add(Vec a, Vec b) { return a + b; }

}  // namespace ramet::cpu::RAMET_SIMD
