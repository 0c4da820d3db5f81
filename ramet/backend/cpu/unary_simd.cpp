// Unary functions over contiguous floats: one line each.
#include "ramet/backend/cpu/simd_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

template <class Of>
void loop(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, Of{}(load(x + i)));
  if (i < n) store_part(y + i, Of{}(load_part(x + i, n - i)), n - i);
}

template <class Of>
void set(SimdKernels& table, Unary name, Of) {
  table.unary[static_cast<int>(name)] = loop<Of>;
}

// For t = |x|: exp(-t²/2), and Φ(-t) over it, which is 1/2 less v times a polynomial of v = 0.4 t / (1 + 0.4 t), with a
// relative error of 8e-8 before rounding. Beyond 13, where Φ(-t) is below 1e-38, t is 13 and the power 0.
struct NormalTail {
  Vec t, power, share;
};

NormalTail normal_tail(Vec x) {
  const Vec t = at_most(abs(x), 13.0f), scaled = 0.4f * t, v = scaled / (1.0f + scaled);
  const Vec slope = horner(v, 0.03975505382f, -0.1167737916f, 0.07916580886f, 0.003143233014f, 0.1141195297f,
                           -0.05175596848f, -0.5649931431f, 0.9973515868f);
  return {t, abs(x) > 13.0f ? Vec{} : exp_within(-0.5f * t * t), mul_add(-v, slope, 0.5f)};
}

// x Φ(x), from Φ(-t) on both sides: it keeps its digits also where Φ is small.
Vec gelu(Vec x) {
  const NormalTail n = normal_tail(x);
  const Vec below = n.power * n.share;
  return x < 0.0f ? x * below : mul_add(-n.t, below, x);
}

// Φ(x) + x φ(x)
Vec gelu_slope(Vec x) {
  const NormalTail n = normal_tail(x);
  const Vec below = n.power * mul_add(n.t, -0.39894228040143268f, n.share);
  return x < 0.0f ? below : 1.0f - below;
}

Vec gelu_tanh(Vec x) { return 0.5f * x * (1.0f + tanh(0.79788456080286536f * mul_add(0.044715f * x, x * x, x))); }

Vec selu(Vec x) { return 1.05070098735548049f * (x > 0.0f ? x : 1.67326324235437728f * expm1(x)); }

// NaN and zeros give themselves.
Vec sign(Vec x) { return x > 0.0f ? splat(1.0f) : (x < 0.0f ? splat(-1.0f) : x); }

}  // namespace

void fill_unary(SimdKernels& t) {
  set(t, Unary::kIdentity, [](Vec x) { return x; });
  set(t, Unary::kRelu, [](Vec x) { return max_or_second(Vec{}, x); });  // NaN stays NaN
  set(t, Unary::kSigmoid, [](Vec x) { return sigmoid(x); });
  set(t, Unary::kTanh, [](Vec x) { return tanh(x); });
  set(t, Unary::kAbs, [](Vec x) { return abs(x); });
  set(t, Unary::kNeg, [](Vec x) { return -x; });
  set(t, Unary::kSquare, [](Vec x) { return x * x; });
  set(t, Unary::kSqrt, [](Vec x) { return sqrt(x); });
  set(t, Unary::kRsqrt, [](Vec x) { return 1.0f / sqrt(x); });
  set(t, Unary::kReciprocal, [](Vec x) { return 1.0f / x; });
  set(t, Unary::kSign, [](Vec x) { return sign(x); });
  set(t, Unary::kFloor, [](Vec x) { return round_to<_MM_FROUND_TO_NEG_INF>(x); });
  set(t, Unary::kCeil, [](Vec x) { return round_to<_MM_FROUND_TO_POS_INF>(x); });
  set(t, Unary::kRound, [](Vec x) { return round_to<_MM_FROUND_TO_NEAREST_INT>(x); });  // ties to even
  set(t, Unary::kExp, [](Vec x) { return exp(x); });
  set(t, Unary::kExpm1, [](Vec x) { return expm1(x); });
  set(t, Unary::kLog, [](Vec x) { return log(x); });
  set(t, Unary::kLog1p, [](Vec x) { return log1p(x); });
  set(t, Unary::kErf, [](Vec x) { return erf(x); });
  set(t, Unary::kSin, [](Vec x) { return by_lane([](float v) { return __builtin_sinf(v); }, x); });
  set(t, Unary::kCos, [](Vec x) { return by_lane([](float v) { return __builtin_cosf(v); }, x); });
  set(t, Unary::kSoftplus, [](Vec x) { return softplus(x); });
  set(t, Unary::kSoftsign, [](Vec x) { return x / (1.0f + abs(x)); });
  set(t, Unary::kSilu, [](Vec x) { return x * sigmoid(x); });
  set(t, Unary::kGelu, [](Vec x) { return gelu(x); });
  set(t, Unary::kGeluSlope, [](Vec x) { return gelu_slope(x); });
  set(t, Unary::kGeluTanh, [](Vec x) { return gelu_tanh(x); });
  set(t, Unary::kElu, [](Vec x) { return x > 0.0f ? x : expm1(x); });
  set(t, Unary::kSelu, [](Vec x) { return selu(x); });
  set(t, Unary::kRelu6, [](Vec x) { return clamp(x, 0.0f, 6.0f); });
  set(t, Unary::kHardSigmoid, [](Vec x) { return clamp(mul_add(x, 1.0f / 6.0f, 0.5f), 0.0f, 1.0f); });
  set(t, Unary::kReluMask, [](Vec x) { return x > 0.0f ? splat(1.0f) : Vec{}; });
}

}  // namespace ramet::cpu::RAMET_SIMD
