// Vectors of brain floats: the upper halves of floats. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

// A vector of twice as many brain floats as floats, seen as integers: the floats of its even elements, and of its odd.
inline VecU load_pairs(const std::uint16_t* p) {
  VecU v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline Vec even(VecU pairs) { return (Vec)(pairs << 16); }
inline Vec odd(VecU pairs) { return (Vec)(pairs & 0xffff0000u); }

// The bits of the nearest brain floats, ties to even, each in the lower half of its lane. A NaN keeps its upper half
// and is made quiet, for its lower half may be all that tells it from an infinity.
inline VecU rounded(Vec x) {
  const VecU whole = (VecU)x, quiet = whole >> 16 | 0x40u;
  const VecU nearest = (whole + 0x7fffu + (whole >> 16 & 1u)) >> 16;
  return x != x ? quiet : nearest;
}
// The same brain floats as floats.
inline Vec rounded_float(Vec x) { return (Vec)(rounded(x) << 16); }

}  // namespace ramet::cpu::RAMET_SIMD
