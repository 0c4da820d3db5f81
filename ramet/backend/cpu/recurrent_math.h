// The gates' sigmoid, for *_simd.cpp files only: no second path for denormals, which a step of a recurrent layer
// feels. Off by at most 2 units in the last place (ops/recurrent/recurrent_test.cpp); below -87 it stays at its
// last normal value.
#pragma once
#include "ramet/backend/cpu/simd_math.h"

namespace ramet::cpu::RAMET_SIMD {

// 1 / (1 + exp(-x)) with exp(-x) = scale (1 + q)
inline Vec gate_sigmoid(Vec x) {
  const ExpWithin e = exp_within_parts(-max_or_second(splat(-87.0f), x));
  return 1.0f / (e.scale + mul_add(e.scale, e.q, 1.0f));
}

}  // namespace ramet::cpu::RAMET_SIMD
