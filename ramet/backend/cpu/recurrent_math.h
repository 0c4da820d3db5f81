// The gates' sigmoid, for *_simd.cpp files only: no second path for denormals, which a step of a recurrent layer
// feels. Off by at most 2 units in the last place (ops/recurrent/recurrent_test.cpp); below -87 it stays at its
// last normal value.
#pragma once
#include "ramet/backend/cpu/simd_math.h"

namespace ramet::cpu::RAMET_SIMD {

// As sigmoid, with e = exp(-|x|) a little less exact.
inline Vec gate_sigmoid(Vec x) {
  const Vec e = exp_within(-at_most(abs(x), 87.0f));
  const Vec y = (x < 0.0f ? e : splat(1.0f)) / (1.0f + e);
  return x < -1.0f ? mul_add(-e, y, e) : y;
}

}  // namespace ramet::cpu::RAMET_SIMD
