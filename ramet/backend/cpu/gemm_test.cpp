#include "ramet/backend/cpu/gemm.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ramet/backend/cpu/every_target.h"
#include "ramet/backend/cpu/pointwise.h"

namespace ramet::cpu {
namespace {

std::mt19937 gen(7);

std::vector<float> random_matrix(std::int64_t rows, std::int64_t ld) {
  std::uniform_real_distribution<float> dist(-1, 1);
  std::vector<float> x(static_cast<std::size_t>(rows * ld));
  for (float& v : x) v = dist(gen);
  return x;
}

// A product with everything it points to.
struct Problem {
  Gemm g;
  std::vector<float> a, b, c, bias, residual, packed;
};

// Leading dimensions exceed the row by `pad`; what lies between rows of C must survive.
Problem make(std::int64_t m, std::int64_t n, std::int64_t k, bool trans_a, bool trans_b, std::int64_t pad = 0) {
  Problem p;
  p.g = {.m = m,
         .n = n,
         .k = k,
         .lda = (trans_a ? m : k) + pad,
         .trans_a = trans_a,
         .ldb = (trans_b ? k : n) + pad,
         .trans_b = trans_b,
         .ldc = n + pad};
  p.a = random_matrix(trans_a ? k : m, p.g.lda);
  p.b = random_matrix(trans_b ? n : k, p.g.ldb);
  p.c = random_matrix(m, p.g.ldc);
  p.bias = random_matrix(1, n);
  p.residual = random_matrix(m, p.g.ldc);
  p.g.a = p.a.data();
  p.g.b = p.b.data();
  return p;
}

void pack(Problem& p) {
  p.packed.assign(packed_b_size(p.g.k, p.g.n), std::numeric_limits<float>::quiet_NaN());
  pack_b(p.g.b, p.g.ldb, p.g.trans_b, p.g.k, p.g.n, p.packed.data());
  p.g.packed_b = p.packed.data();
  p.g.b = nullptr;
}

std::vector<float> run(const Problem& p, int parts) {
  std::vector<float> c = p.c;
  Gemm g = p.g;
  g.c = c.data();
  for (int part = 0; part < parts; ++part) {
    std::vector<char> scratch(gemm_scratch(g));
    gemm_part(g, part, parts, scratch.data());
  }
  return c;
}

double element(const Problem& p, std::int64_t i, std::int64_t j) {
  const Gemm& g = p.g;
  double sum = 0;
  for (std::int64_t k = 0; k < g.k; ++k) {
    sum +=
        double(p.a[g.trans_a ? k * g.lda + i : i * g.lda + k]) * double(p.b[g.trans_b ? j * g.ldb + k : k * g.ldb + j]);
  }
  const std::int64_t at = i * g.ldc + j;
  if (g.accumulate) sum += double(p.c[at]);
  if (g.epilogue.bias != nullptr) sum += double(p.bias[j]);
  if (g.epilogue.residual != nullptr) sum += double(p.residual[at]);
  double y = sum;
  unary_f64(static_cast<Unary>(g.epilogue.activation))(&sum, &y, 1);
  return y;
}

// Every product is at most 1, so k of them summed in any order err by at most k * k * eps / 2; random signs stay far
// below k * eps * 8. The activations used here have slopes of at most about 1.
void check(const Problem& p) {
  const std::vector<float> c = run(p, 1);
  const double bound = (8.0 * static_cast<double>(p.g.k) + 16) * 6e-8;
  bool right = true, untouched = true;
  for (std::int64_t i = 0; i < p.g.m; ++i) {
    for (std::int64_t j = 0; j < p.g.ldc; ++j) {
      const std::int64_t at = i * p.g.ldc + j;
      if (j >= p.g.n)
        untouched = untouched && c[at] == p.c[at];
      else
        right = right && std::fabs(c[at] - element(p, i, j)) <= bound;
    }
  }
  CHECK(right);
  CHECK(untouched);
  CHECK(run(p, 2) == c);
  CHECK(run(p, 3) == c);
}

}  // namespace

TEST_CASE("gemm: random shapes, transposes, leading dimensions and accumulation match a double loop") {
  on_every_target([] {
    std::uniform_int_distribution<int> small(0, 40), few(0, 5), large(1, 330), coin(0, 1);
    for (int trial = 0; trial < 150; ++trial) {
      auto size = [&] { return trial % 3 == 0 ? few(gen) : trial % 3 == 1 ? small(gen) : large(gen) / 2; };
      Problem p = make(size(), size(), trial % 7 == 0 ? 2 * large(gen) : size(), coin(gen), coin(gen), coin(gen) * 3);
      p.g.accumulate = coin(gen);
      if (coin(gen)) pack(p);
      CAPTURE(p.g.m);
      CAPTURE(p.g.n);
      CAPTURE(p.g.k);
      CAPTURE(p.g.trans_a);
      CAPTURE(p.g.trans_b);
      CAPTURE(p.g.accumulate);
      CAPTURE(p.g.packed_b);
      check(p);
    }
  });
}

TEST_CASE("gemm: zero and one in each dimension") {
  on_every_target([] {
    for (const int m : {0, 1, 5}) {
      for (const int n : {0, 1, 37}) {
        for (const int k : {0, 1, 9}) {
          for (int bits = 0; bits < 16; ++bits) {
            Problem p = make(m, n, k, bits & 1, bits & 2, 1);
            p.g.accumulate = bits & 4;
            p.g.epilogue.bias = p.bias.data();
            if (bits & 8) pack(p);
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(k);
            CAPTURE(bits);
            check(p);
          }
        }
      }
    }
  });
}

TEST_CASE("gemm: the epilogue adds bias and residual before the activation") {
  on_every_target([] {
    for (const Unary activation : {Unary::kIdentity, Unary::kRelu, Unary::kSigmoid, Unary::kTanh, Unary::kGelu}) {
      for (const int m : {1, 3, 17, 40}) {
        for (const int n : {1, 10, 33, 96}) {
          for (int bits = 0; bits < 16; ++bits) {
            Problem p = make(m, n, 300, false, bits & 8, 2);
            p.g.accumulate = bits & 1;
            p.g.epilogue.activation = static_cast<int>(activation);
            if (bits & 2) p.g.epilogue.bias = p.bias.data();
            if (bits & 4) p.g.epilogue.residual = p.residual.data();
            if (m % 2 == 1 && (bits & 8)) pack(p);
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(bits);
            check(p);
          }
        }
      }
    }
  });
}

TEST_CASE("gemm: blocks of rows, columns and k beyond one cache block") {
  on_every_target([] {
    for (int bits = 0; bits < 8; ++bits) {
      Problem p = make(403, 1100, 290, bits & 1, bits & 2);
      if (bits & 4) pack(p);
      CAPTURE(bits);
      const std::vector<float> c = run(p, 1);
      for (const std::int64_t at : {0L, 1099L, 1100L * 200 + 513, 1100L * 402 + 1031, 1100L * 403 - 1}) {
        CHECK(std::fabs(c[at] - element(p, at / 1100, at % 1100)) <= 290 * 8 * 6e-8);
      }
      CHECK(run(p, 2) == c);
      CHECK(run(p, 5) == c);
    }
  });
}

TEST_CASE("gemm: NaN and infinity in A reach C, also through relu") {
  on_every_target([] {
    Problem p = make(9, 40, 20, false, false);
    p.g.epilogue.activation = 1;
    p.a[3 * 20 + 4] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> c = run(p, 1);
    for (int j = 0; j < 40; ++j) CHECK(std::isnan(c[3 * 40 + j]));
    for (int j = 0; j < 40; ++j) CHECK(!std::isnan(c[4 * 40 + j]));
  });
}

TEST_CASE("gemm: a long k is added in blocks, so that the error does not grow with all of k") {
  on_every_target([] {
    const std::int64_t k = 100000;
    Problem p = make(5, 40, k, true, false);
    for (float& v : p.a) v = 0.1f;
    for (float& v : p.b) v = 0.3f;
    const double want = double(0.1f) * double(0.3f) * double(k);
    // At most 512 steps in a block and 196 blocks, each with half a unit of error.
    for (const float c : run(p, 1)) CHECK(std::fabs(c - want) <= want * (512 + 196) * 6e-8);
  });
}

TEST_CASE("gemm_parts: small products stay whole and large ones fill the threads") {
  CHECK(gemm_parts(Gemm{.m = 4, .n = 4, .k = 4}, 8) == 1);
  CHECK(gemm_parts(Gemm{.m = 512, .n = 512, .k = 512}, 8) == 8);
  CHECK(gemm_parts(Gemm{.m = 0, .n = 512, .k = 512}, 8) == 1);
}

TEST_CASE("gemm f64: transposes, leading dimensions and accumulation match a plain loop") {
  on_every_target([] {
    std::uniform_int_distribution<int> size(0, 45), coin(0, 1);
    std::uniform_real_distribution<double> dist(-1, 1);
    for (int trial = 0; trial < 60; ++trial) {
      GemmF64 g{.m = size(gen), .n = size(gen), .k = size(gen)};
      g.trans_a = coin(gen), g.trans_b = coin(gen), g.accumulate = coin(gen);
      g.lda = (g.trans_a ? g.m : g.k) + 2, g.ldb = (g.trans_b ? g.k : g.n) + 1, g.ldc = g.n + 3;
      std::vector<double> a((g.trans_a ? g.k : g.m) * g.lda), b((g.trans_b ? g.n : g.k) * g.ldb), before(g.m * g.ldc);
      for (auto* x : {&a, &b, &before}) {
        for (double& v : *x) v = dist(gen);
      }
      g.a = a.data(), g.b = b.data();
      std::vector<double> c = before, cut = before;
      g.c = c.data();
      gemm_part(g, 0, 1);
      g.c = cut.data();
      for (int part = 0; part < 3; ++part) gemm_part(g, part, 3);
      CHECK(c == cut);
      for (std::int64_t i = 0; i < g.m; ++i) {
        for (std::int64_t j = 0; j < g.n; ++j) {
          double sum = g.accumulate ? before[i * g.ldc + j] : 0;
          for (std::int64_t k = 0; k < g.k; ++k) {
            sum += a[g.trans_a ? k * g.lda + i : i * g.lda + k] * b[g.trans_b ? j * g.ldb + k : k * g.ldb + j];
          }
          CHECK(std::fabs(c[i * g.ldc + j] - sum) <= 1e-13);
        }
      }
    }
  });
}

}  // namespace ramet::cpu
