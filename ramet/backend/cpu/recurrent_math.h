// The gates' sigmoid, for *_simd.cpp files only: no second path for denormals, which a step of a recurrent layer
// feels. Off by at most 2 units in the last place (ops/recurrent/recurrent_test.cpp); below -87 it stays at its
// last normal value.
#pragma once
#include "ramet/backend/cpu/simd_math.h"

namespace ramet::cpu::RAMET_SIMD {

// 1 / (1 + exp(-x)) with exp(-x) = scale (1 + q), which is a little less exact than exp.
inline Vec gate_sigmoid(Vec x) {
  const Vec z = -max_or_second(splat(-87.0f), x), n = nearest_power(z), scale = power_of_two(n);
  const Vec r = mul_add(n, -kLn2Low, mul_add(n, -kLn2High, z));
  const Vec q = mul_add(exp_poly(r), r * r, r);
  return 1.0f / (scale + mul_add(scale, q, 1.0f));
}

}  // namespace ramet::cpu::RAMET_SIMD
