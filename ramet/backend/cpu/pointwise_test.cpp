#include "ramet/backend/cpu/pointwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ramet/backend/cpu/every_target.h"

namespace ramet::cpu {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

std::vector<float> random_values(std::size_t n, float low, float high, unsigned seed = 1) {
  std::mt19937 gen(seed);
  std::uniform_real_distribution<float> dist(low, high);
  std::vector<float> x(n);
  for (float& v : x) v = dist(gen);
  return x;
}

// Equal as far as a few roundings allow; NaN equals NaN.
bool close(double got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  return got == want || std::fabs(got - want) <= 1e-6 * std::fabs(want) + 1e-7;
}

}  // namespace

TEST_CASE("pointwise: every unary function agrees with its double form at every length") {
  on_every_target([] {
    for (std::size_t op = 0; op < kUnaryCount; ++op) {
      CAPTURE(op);
      const Unary name = static_cast<Unary>(op);
      const bool positive =
          name == Unary::kLog || name == Unary::kLog1p || name == Unary::kSqrt || name == Unary::kRsqrt;
      for (std::size_t n = 0; n <= 40; ++n) {
        const auto x = random_values(n + 1, positive ? 0.01f : -7.0f, 7.0f);
        const std::vector<double> xd(x.begin(), x.end());
        std::vector<float> y(n + 1, 99.0f);
        std::vector<double> want(n + 1);
        unary_f32(name)(x.data(), y.data(), n);
        unary_f64(name)(xd.data(), want.data(), n);
        for (std::size_t i = 0; i < n; ++i) CHECK(close(y[i], want[i]));
        CHECK(y[n] == 99.0f);
      }
    }
  });
}

TEST_CASE("pointwise: several functions in one loop give the bits of one loop each, with a scalar anywhere") {
  on_every_target([] {
    const auto apply = [](Binary op, const std::vector<float>& a, const std::vector<float>& b) {
      std::vector<float> y(a.size());
      binary_f32(op)(a.data(), b.data(), y.data(), y.size());
      return y;
    };
    for (const std::size_t n : {0, 1, 15, 16, 37, 64}) {
      CAPTURE(n);
      std::vector<std::vector<float>> in;
      for (unsigned k = 0; k <= kMostLinks; ++k) in.push_back(random_values(n, 0.1f, 2.0f, k + 1));
      for (int scalar = -1; scalar <= kMostLinks; ++scalar) {
        auto full = in;  // what a scalar operand stands for
        if (scalar >= 0 && n > 0) full[scalar].assign(n, in[scalar][0]);
        LoopOperand operands[kMostLinks + 1];
        for (int k = 0; k <= kMostLinks; ++k) operands[k] = {in[k].data(), k == scalar};
        std::vector<float> y(n + 1, 99.0f);
        float* const result = y.data();
        const auto expect = [&](const std::vector<float>& want) {
          CHECK(std::equal(want.begin(), want.end(), y.begin()));
          CHECK(y[n] == 99.0f);
        };
        for (int count = 2, codes = 9; count <= kMostLinks; ++count, codes *= kLinkCount)
          for (int code = 0; code < codes; ++code) {
            CAPTURE(code);
            Link links[kMostLinks];
            for (int k = count, rest = code; k-- > 0; rest /= kLinkCount)
              links[k] = static_cast<Link>(rest % kLinkCount);
            auto want = full[0];
            for (int k = 0; k < count; ++k)
              want = apply(links[k] == Link::kAdd   ? Binary::kAdd
                           : links[k] == Link::kSub ? Binary::kSub
                                                    : Binary::kMul,
                           want, full[k + 1]);
            chain_f32(links, static_cast<std::size_t>(count))(operands, &result, n);
            expect(want);
          }
        for (std::size_t op = 0; op < kCompareCount; ++op) {
          std::vector<std::uint8_t> mask(n);
          std::vector<float> want(n);
          compare_f32(static_cast<Compare>(op))(full[0].data(), full[1].data(), mask.data(), n);
          for (std::size_t i = 0; i < n; ++i) want[i] = mask[i] ? full[2][i] : full[3][i];
          choose_f32(static_cast<Compare>(op))(operands, &result, n);
          expect(want);
        }
        std::vector<float> root(n);
        unary_f32(Unary::kSqrt)(full[3].data(), root.data(), n);
        descend_f32()(operands, &result, n);
        expect(apply(Binary::kSub, full[0],
                     apply(Binary::kDiv, apply(Binary::kMul, full[1], full[2]), apply(Binary::kAdd, root, full[4]))));
      }
    }
  });
}

TEST_CASE("pointwise: a step of Adam in place gives the bits of one loop each, also of a gradient to be rounded") {
  on_every_target([] {
    const auto check = [](std::size_t n, bool rounded) {
      CAPTURE(n);
      CAPTURE(rounded);
      const auto x = random_values(n, -1.0f, 1.0f, 1);
      auto g = x;
      const LoopOperand exact{x.data(), false};
      float* const brain = g.data();
      if (rounded) round_f32()(&exact, &brain, n);
      auto m = random_values(n, -1.0f, 1.0f, 2), v = random_values(n, 0.1f, 2.0f, 3), w = random_values(n, -1, 1, 4);
      const float a = 0.1f, b = 0.001f, c = 0.01f, e = 1e-7f;
      const auto apply = [&](Binary op, const std::vector<float>& x, const std::vector<float>& y, bool scalar = false) {
        std::vector<float> z(n);
        binary_f32(op, scalar ? Operands::kScalarRight : Operands::kFull)(x.data(), y.data(), z.data(), n);
        return z;
      };
      const auto mean = [&](const std::vector<float>& x, const std::vector<float>& before, float rate) {
        return apply(Binary::kAdd, before, apply(Binary::kMul, apply(Binary::kSub, x, before), {rate}, true));
      };
      const auto first = mean(g, m, a), second = mean(apply(Binary::kMul, g, g), v, b);
      std::vector<float> root(n);
      unary_f32(Unary::kSqrt)(second.data(), root.data(), n);
      const auto step =
          apply(Binary::kDiv, apply(Binary::kMul, first, {c}, true), apply(Binary::kAdd, root, {e}, true));
      const auto moved = apply(Binary::kSub, w, step);
      const LoopOperand operands[] = {exact,      {m.data(), false}, {&a, true}, {v.data(), false},
                                      {&b, true}, {w.data(), false}, {&c, true}, {&e, true}};
      float* const results[] = {m.data(), v.data(), w.data()};
      (rounded ? adam_of_rounded_f32() : adam_f32())(operands, results, n);
      CHECK(m == first);
      CHECK(v == second);
      CHECK(w == moved);
    };
    for (const std::size_t n : {0, 1, 15, 16, 37, 64}) check(n, false), check(n, true);
  });
}

TEST_CASE("pointwise: every binary function agrees with its double form, with a scalar on either side") {
  on_every_target([] {
    for (std::size_t op = 0; op < kBinaryCount; ++op) {
      for (std::size_t form = 0; form < kOperandsCount; ++form) {
        for (const std::size_t n : {0, 1, 5, 16, 31, 70}) {
          CAPTURE(op);
          CAPTURE(form);
          CAPTURE(n);
          const auto a = random_values(n + 1, 0.1f, 3.0f, 2), b = random_values(n + 1, -3.0f, 3.0f, 3);
          const std::vector<double> ad(a.begin(), a.end()), bd(b.begin(), b.end());
          std::vector<float> y(n + 1, 99.0f);
          std::vector<double> want(n + 1);
          binary_f32(static_cast<Binary>(op), static_cast<Operands>(form))(a.data(), b.data(), y.data(), n);
          binary_f64(static_cast<Binary>(op), static_cast<Operands>(form))(ad.data(), bd.data(), want.data(), n);
          for (std::size_t i = 0; i < n; ++i) CHECK(close(y[i], want[i]));
          CHECK(y[n] == 99.0f);
        }
      }
    }
  });
}

TEST_CASE("pointwise: maximum, minimum and relu keep NaN, as NumPy does") {
  on_every_target([] {
    const std::vector<float> a{kNan, 1, kNan, -kInf, 2}, b{1, kNan, kNan, 3, -2};
    std::vector<float> y(5);
    binary_f32(Binary::kMaximum)(a.data(), b.data(), y.data(), 5);
    CHECK((std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2]) && y[3] == 3 && y[4] == 2));
    binary_f32(Binary::kMinimum)(a.data(), b.data(), y.data(), 5);
    CHECK((std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2]) && y[3] == -kInf && y[4] == -2));
    unary_f32(Unary::kRelu)(a.data(), y.data(), 5);
    CHECK((std::isnan(y[0]) && y[1] == 1 && y[3] == 0 && y[4] == 2));
  });
}

TEST_CASE("pointwise: comparisons write zeros and ones, and select reads them") {
  on_every_target([] {
    for (const std::size_t n : {0, 1, 7, 16, 37}) {
      auto a = random_values(n, -1, 1, 4), b = random_values(n, -1, 1, 5);
      if (n > 3) a[1] = b[1], a[2] = kNan;
      std::vector<std::uint8_t> less(n), equal(n), greater_zero(n);
      const float zero = 0;
      compare_f32(Compare::kLess)(a.data(), b.data(), less.data(), n);
      compare_f32(Compare::kEqual)(a.data(), b.data(), equal.data(), n);
      compare_f32(Compare::kGreater, Operands::kScalarRight)(a.data(), &zero, greater_zero.data(), n);
      std::vector<float> chosen(n), kept(n);
      select_f32()(less.data(), a.data(), b.data(), chosen.data(), n);
      select_f32(Operands::kScalarRight)(greater_zero.data(), a.data(), &zero, kept.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(less[i] == (a[i] < b[i]));
        CHECK(equal[i] == (a[i] == b[i]));
        CHECK(chosen[i] == (a[i] < b[i] ? a[i] : b[i]));
        CHECK(kept[i] == (a[i] > 0 ? a[i] : 0));
      }
    }
  });
}

TEST_CASE("reduce: sum, max, min and sum of squares at every length") {
  on_every_target([] {
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 100, 4096, 4097, 20000, 100003}) {
      CAPTURE(n);
      const auto x = random_values(n, -1, 2);
      double sum = 0, squares = 0;
      float most = -kInf, least = kInf;
      for (const float v : x) sum += v, squares += double(v) * v, most = std::max(most, v), least = std::min(least, v);
      // Each of the 32 running sums takes at most 128 steps, the tree above them at most 12.
      const double bound = 140 * 6e-8 * (2.0 * n + 1);
      CHECK(std::fabs(reduce_f32(Reduce::kSum)(x.data(), n) - sum) <= bound);
      CHECK(std::fabs(reduce_f32(Reduce::kSumOfSquares)(x.data(), n) - squares) <= 2 * bound);
      CHECK(reduce_f32(Reduce::kMax)(x.data(), n) == most);
      CHECK(reduce_f32(Reduce::kMin)(x.data(), n) == least);
    }
  });
}

TEST_CASE("reduce: every target gives the same bits for a sum") {
  const auto x = random_values(12345, -1, 1);
  std::vector<float> sums;
  on_every_target([&] { sums.push_back(reduce_f32(Reduce::kSum)(x.data(), x.size())); });
  for (const float sum : sums) CHECK(sum == sums[0]);
}

TEST_CASE("reduce: one NaN makes the maximum NaN wherever it stands") {
  on_every_target([] {
    for (const std::size_t at : {0, 5, 40, 5000}) {
      std::vector<float> x(5001, 1.0f);
      x[at] = kNan;
      CHECK(std::isnan(reduce_f32(Reduce::kMax)(x.data(), x.size())));
    }
  });
}

TEST_CASE("axpy and row_softmax follow their definitions") {
  on_every_target([] {
    for (const std::size_t n : {1, 3, 16, 50, 1000}) {
      const auto x = random_values(3 * n, -30, 30), before = random_values(3 * n, -1, 1, 7);
      auto y = before;
      simd().axpy(0.5f, x.data(), y.data(), n);
      for (std::size_t i = 0; i < n; ++i) CHECK(close(y[i], before[i] + 0.5 * x[i]));

      simd().row_softmax(x.data(), y.data(), 3, n);
      for (std::size_t r = 0; r < 3; ++r) {
        const float* row = x.data() + r * n;
        const double most = *std::max_element(row, row + n);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += std::exp(row[i] - most);
        for (std::size_t i = 0; i < n; ++i) CHECK(close(y[r * n + i], std::exp(row[i] - most) / sum));
      }
    }
  });
}

}  // namespace ramet::cpu
