// The gates' activations, for *_simd.cpp files only: no branches and no second path, which a step of a recurrent layer
// feels. Off by at most 2 units in the last place (ops/recurrent/recurrent_test.cpp); below -87 sigmoid stays
// at its last normal value.
#pragma once
#include "ramet/backend/cpu/simd_math.h"

namespace ramet::cpu::RAMET_SIMD {

struct GateExp {
  Vec q, scale;  // exp(x) = scale (1 + q)
};

// REQUIRES: |x| <= 87, or NaN
inline GateExp gate_exp(Vec x) {
  const float magic = 12582912.0f;  // as in reduce_exp
  const Vec shifted = mul_add(x, 1.44269504088896341f, magic), n = shifted - magic;
  const Vec r = mul_add(n, -kLn2Low, mul_add(n, -kLn2High, x));
  const Vec p = horner(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                       5.0000001201e-1f);
  return {mul_add(p, r * r, r), power_of_two(wrap_sub(bits(shifted), bits(splat(magic))))};
}

// NaN stays NaN.
inline Vec at_most(Vec x, float limit) { return -max_or_second(splat(-limit), -x); }

// As sigmoid, with e = exp(-|x|) a little less exact.
inline Vec gate_sigmoid(Vec x) {
  const GateExp g = gate_exp(-at_most(abs(x), 87.0f));
  const Vec e = mul_add(g.scale, g.q, g.scale);
  const Vec y = (x < 0.0f ? e : splat(1.0f)) / (1.0f + e);
  return x < -1.0f ? mul_add(-e, y, e) : y;
}

inline Vec gate_tanh(Vec x) {
  const Vec t = at_most(abs(x), 10.0f), z = x * x;
  const Vec near = mul_add(
      horner(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f) * z,
      x, x);
  const GateExp g = gate_exp(t + t);
  const Vec far = 1.0f - 2.0f / (mul_add(g.scale, g.q, g.scale) + 1.0f);
  return t < 0.625f ? near : with_sign_of(far, x);
}

}  // namespace ramet::cpu::RAMET_SIMD
