// Accuracy of the f32 functions against double, over sweeps through every exponent, on every target.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ramet/backend/cpu/every_target.h"

namespace ramet::cpu {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  const char* name;
  Unary op;
  std::function<double(double)> exact;
  double bound;  // ulps: the largest error found over every 37th float on all targets, rounded up
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"exp", Unary::kExp, [](double x) { return std::exp(x); }, 0.95},
      {"expm1", Unary::kExpm1, [](double x) { return std::expm1(x); }, 1.45},
      {"log", Unary::kLog, [](double x) { return std::log(x); }, 0.85},
      {"log1p", Unary::kLog1p, [](double x) { return std::log1p(x); }, 0.9},
      {"tanh", Unary::kTanh, [](double x) { return std::tanh(x); }, 1.3},
      {"sigmoid", Unary::kSigmoid,
       [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }, 1.8},
      {"erf", Unary::kErf, [](double x) { return std::erf(x); }, 1.15},
      {"softplus", Unary::kSoftplus, [](double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); },
       1.6},
      {"sqrt", Unary::kSqrt, [](double x) { return std::sqrt(x); }, 0.5},
  };
  return all;
}

// Distance in units of the last place of the exact value (of the smallest denormal near zero).
double ulps(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  const float nearest = static_cast<float>(exact);
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : kInf;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(exact == 0 ? 1e-300 : exact), -126) - 23);
  return std::fabs(got - exact) / unit;
}

// The largest error over every `stride`-th float of one sign, if above `worst`.
double worst_in_sweep(const Case& c, std::uint32_t sign, std::uint32_t stride, double worst, float* where) {
  std::vector<float> x(4096), y(4096);
  for (std::uint64_t bits = 0; bits < 0x7f800000u;) {
    for (float& v : x) {
      v = std::bit_cast<float>(static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, 0x7f800000u)) | sign);
      bits += stride;
    }
    simd().unary[static_cast<int>(c.op)](x.data(), y.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double u = ulps(y[i], c.exact(x[i]));
      if (!(u <= worst)) worst = u, *where = x[i];
    }
  }
  return worst;
}

float one(Unary op, float x) {
  float y = 7;
  simd().unary[static_cast<int>(op)](&x, &y, 1);
  return y;
}

}  // namespace

TEST_CASE("vector math: errors stay below two units of the last place over all exponents") {
  const bool print = std::getenv("RAMET_PRINT_ULPS") != nullptr;
  on_every_target([&] {
    for (const Case& c : cases()) {
      CAPTURE(std::string(c.name));
      float where = 0;
      double worst = worst_in_sweep(c, 0, 1021, 0, &where);
      worst = worst_in_sweep(c, 0x80000000u, 1021, worst, &where);
      CAPTURE(where);
      CHECK(worst <= c.bound);
      if (print) MESSAGE(to_string(cpu_target()), " ", std::string(c.name), ": ", worst, " ulp at ", where);
    }
  });
}

// Φ(-t) is exp(-t²/2) times a factor near 0.4 / t. Roundings, in halves of the last place: t² and the power give t²/2 +
// 2, the factor, which is 1/2 less something near 1/2, 6 + 3 t.
TEST_CASE("vector math: gelu keeps its digits where it is small, its slope those of one") {
  constexpr double kHalf = 0x1p-24;
  on_every_target([&] {
    for (double at = -13; at <= 13; at += 1.0 / 997) {
      const float x = static_cast<float>(at);
      const double t = std::fabs(x), below = 0.5 * std::erfc(t / std::sqrt(2.0)), roundings = 8 + 3 * t + t * t / 2;
      const double density = std::exp(-t * t / 2) * 0.39894228040143268, phi = x < 0 ? below : 1 - below;
      CAPTURE(x);
      CHECK(std::fabs(one(Unary::kGelu, x) - x * phi) <= kHalf * (std::fabs(x * phi) + roundings * t * below));
      CHECK(std::fabs(one(Unary::kGeluSlope, x) - (phi + x * density)) <=
            kHalf * (x < 0 ? 0 : 1) + kHalf * roundings * (below + t * density));
    }
    for (const float large : {20.0f, 1e30f, kInf}) {
      CHECK(one(Unary::kGelu, large) == large);
      CHECK(one(Unary::kGeluSlope, large) == 1);
      CHECK(one(Unary::kGeluSlope, -large) == 0);
    }
    for (const float large : {20.0f, 1e30f}) CHECK(one(Unary::kGelu, -large) == 0);
    CHECK(std::isnan(one(Unary::kGelu, -kInf)));  // as in Keras
    CHECK(std::isnan(one(Unary::kGelu, kNan)));
    CHECK(std::isnan(one(Unary::kGeluSlope, kNan)));
    CHECK(std::signbit(one(Unary::kGelu, -0.0f)));
    CHECK(!std::signbit(one(Unary::kGelu, 0.0f)));
  });
}

TEST_CASE("vector math: infinities, NaN and signed zeros give libm's answers") {
  on_every_target([&] {
    for (const Case& c : cases()) {
      CAPTURE(std::string(c.name));
      for (const float x : {kInf, -kInf, kNan, 0.0f, -0.0f, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f, 1.0f, -1.0f}) {
        CAPTURE(x);
        const float want = static_cast<float>(c.exact(x)), got = one(c.op, x);
        CHECK(ulps(got, c.exact(x)) <= c.bound);
        if (want == 0) CHECK(std::signbit(got) == std::signbit(want));
      }
    }
  });
}

}  // namespace ramet::cpu
