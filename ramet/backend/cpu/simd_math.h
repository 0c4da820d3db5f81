// Elementary functions on one vector of floats, for *_simd.cpp files only. Polynomials are Cephes' except erf
// (N. Juffa's fit). Measured errors against double stand in vector_math_test.cpp.
#pragma once
#include "ramet/backend/cpu/simd.h"

namespace ramet::cpu::RAMET_SIMD {

// Integer arithmetic that may wrap: NaN and garbage lanes go through it too.
inline VecI wrap_add(VecI a, VecI b) { return (VecI)((VecU)a + (VecU)b); }
inline VecI wrap_sub(VecI a, VecI b) { return (VecI)((VecU)a - (VecU)b); }

inline constexpr float kInf = __builtin_inff();
inline constexpr float kNan = __builtin_nanf("");

// c0 x^n + c1 x^(n-1) + ... + cn
template <class... C>
inline Vec horner(Vec x, float c0, C... rest) {
  Vec sum = splat(c0);
  ((sum = mul_add(sum, x, rest)), ...);
  return sum;
}

// x = n ln2 + r + tail with n an integer, |r| <= ln2 / 2 and `tail` what r lost by rounding. ln2 is split in two so
// that n * kLn2High is exact, with or without FMA.
struct ExpReduced {
  Vec n, r, tail;
};

inline constexpr float kLn2High = 0.693359375f;
inline constexpr float kLn2Low = -2.12194440e-4f;

inline Vec nearest_power(Vec x) {
  const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  return mul_add(x, 1.44269504088896341f, magic) - magic;
}

inline ExpReduced reduce_exp(Vec x) {
  const Vec n = nearest_power(x);
  const Vec high = mul_add(n, -kLn2High, x), r = mul_add(n, -kLn2Low, high);
  return {n, r, mul_add(n, -kLn2Low, high - r)};
}

// (exp(r) - 1 - r) / r²
inline Vec exp_poly(Vec r) {
  return horner(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                5.0000001201e-1f);
}
// exp(r + tail) - 1
inline Vec expm1_poly(Vec r, Vec tail) { return mul_add(exp_poly(r), r * r, tail) + r; }

// 2^n for integers n from -126 to 127.
inline Vec power_of_two(Vec n) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_scalef_ps(kAllLanes, (__m512)splat(1.0f), (__m512)n);
#else
  return from_bits((VecI)((VecU)wrap_add(__builtin_convertvector(n, VecI), splat(127)) << 23));
#endif
}

// y 2^n for any n of exp; without the instruction for it by two factors, because 2^n is out of range where the result
// is denormal.
inline Vec times_power_of_two(Vec y, Vec n) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_scalef_ps(kAllLanes, (__m512)y, (__m512)n);
#else
  const VecI all = __builtin_convertvector(n, VecI), half = all >> 1;
  const auto power = [](VecI i) { return from_bits((VecI)((VecU)wrap_add(i, splat(127)) << 23)); };
  return y * power(half) * power(wrap_sub(all, half));
#endif
}

// x stays as it is where it is NaN.
inline Vec at_most(Vec x, float high) { return min_or_second(splat(high), x); }
inline Vec clamp(Vec x, float low, float high) { return at_most(max_or_second(splat(low), x), high); }

inline Vec exp(Vec x) {
  const ExpReduced e = reduce_exp(clamp(x, -104.0f, 89.0f));
  return times_power_of_two(1.0f + expm1_poly(e.r, e.tail), e.n);
}

// As exp. REQUIRES: |x| <= 87, or NaN
inline Vec exp_within(Vec x) {
  const ExpReduced e = reduce_exp(x);
  const Vec scale = power_of_two(e.n);
  return mul_add(scale, expm1_poly(e.r, e.tail), scale);
}

inline Vec expm1(Vec x) {
  const ExpReduced e = reduce_exp(clamp(x, -87.0f, 89.0f));
  const Vec q = expm1_poly(e.r, e.tail);
  const Vec scale = power_of_two(e.n - 1.0f);  // half of 2^n, which may overflow
  const Vec scaled = 2.0f * mul_add(scale, q, scale - 0.5f);
  const Vec y = e.n == 0.0f ? q : scaled;
  return x == 0.0f ? x : y;
}

// log(u) + tail, where `tail` is tiny beside log(u) or u is 1.
// u = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
inline Vec log_with_tail(Vec u, Vec tail) {
  const VecI tiny = u < 1.17549435e-38f;
  const Vec normal = tiny ? u * 8388608.0f : u;
  const VecI from_half_root = wrap_sub(bits(normal), splat(0x3f3504f3));  // bits of sqrt(1/2)
  const VecI e = (from_half_root >> 23) - (tiny & 23);
  const Vec f = from_bits((from_half_root & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const Vec ef = __builtin_convertvector(e, Vec);
  const Vec z = f * f;
  const Vec p = horner(f, 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                       -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f);
  const Vec small = mul_add(z, -0.5f, mul_add(f * z, p, mul_add(ef, kLn2Low, tail)));
  Vec y = mul_add(ef, kLn2High, f + small);
  y = u == kInf ? u : y;
  y = u == 0.0f ? splat(-kInf) : y;
  return ((u < 0.0f) | (u != u)) ? splat(kNan) : y;
}

inline Vec log(Vec x) { return log_with_tail(x, Vec{}); }

// log(1 + x) = log(u) + (x - (u - 1)) / u with u the rounded 1 + x; the second term is what rounding lost.
inline Vec log1p(Vec x) {
  const Vec u = 1.0f + x;
  const Vec lost = (x - (u - 1.0f)) / u;
  const VecI plain = (x > -1.0f) & (x < 1e30f);
  const Vec y = log_with_tail(u, plain ? lost : Vec{});
  return x == 0.0f ? x : y;
}

inline Vec with_sign_of(Vec magnitude, Vec x) { return from_bits(bits(magnitude) | sign_bit(x)); }

inline Vec tanh(Vec x) {
  const Vec t = abs(x), z = x * x;
  const Vec p =
      horner(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f);
  const Vec near = mul_add(p * z, x, x);
  const Vec far = 1.0f - 2.0f / (exp_within(2.0f * at_most(t, 10.0f)) + 1.0f);
  return with_sign_of(t < 0.625f ? near : far, x);
}

// exp(-|x|) never overflows, and its denormals are sigmoid's own.
inline Vec sigmoid(Vec x) {
  const Vec e = exp(-abs(x));
  const Vec numerator = x < 0.0f ? e : splat(1.0f);
  const Vec y = numerator / (1.0f + e);
  // Far below zero the rounding of 1 + e would show; e - e y does not feel it.
  return x < -1.0f ? mul_add(-e, y, e) : y;
}

// The sign bit of the argument survives, also for -0.
inline Vec erf(Vec x) {
  const Vec t = abs(x), s = x * x;
  const Vec q =
      horner(s, -5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f, -3.76125336e-1f, 1.28379166e-1f);
  const Vec near = mul_add(q, x, x);
  const Vec c = at_most(t, 4.0f);
  const Vec high =
      mul_add(horner(c, -1.72853470e-5f, 3.83197126e-4f), c * c, horner(c, -3.88396438e-3f, 2.42546219e-2f));
  const Vec p = mul_add(mul_add(mul_add(high, c, -1.06777877e-1f), c, -6.34846687e-1f), c, -1.28717512e-1f);
  const Vec far = 1.0f - exp_within(mul_add(p, c, -c));
  return t > 0.927734375f ? with_sign_of(far, x) : near;
}

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))
inline Vec softplus(Vec x) { return max_or_second(Vec{}, x) + log1p(exp(-abs(x))); }

// One libm call per lane.
template <class Function>
inline Vec by_lane(Function function, Vec x) {
  Vec y = x;
  for (int i = 0; i < kLanes; ++i) y[i] = function(x[i]);
  return y;
}

}  // namespace ramet::cpu::RAMET_SIMD
