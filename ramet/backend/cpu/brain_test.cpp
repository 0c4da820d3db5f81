// Brain floats in vectors: conversions against the scalar type, and products by packed ones against products by floats.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ramet/array/bfloat16.h"
#include "ramet/backend/cpu/every_target.h"
#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/pointwise.h"

namespace ramet::cpu {
namespace {

using Bits = std::vector<std::uint16_t>;

// Ends of ranges, both sides of ties, and anything.
std::vector<float> samples() {
  std::vector<float> out;
  for (const std::uint32_t upper :
       {0x0000u, 0x0001u, 0x007fu, 0x0080u, 0x3f80u, 0x3f81u, 0x7f7fu, 0x7f80u, 0x7fc0u, 0x7fffu})
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      for (const std::uint32_t sign : {0u, 0x8000u}) out.push_back(std::bit_cast<float>((upper | sign) << 16 | lower));
  std::mt19937 gen(3);
  for (int i = 0; i < 5000; ++i) out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(gen())));
  return out;
}

struct Product {
  std::vector<float> a, b, c, bias, residual;
  Bits brain;
  Gemm g;
};

Product make(std::int64_t m, std::int64_t n, std::int64_t k, bool trans_a, bool trans_b) {
  std::mt19937 gen(static_cast<unsigned>(m * 31 + n * 7 + k));
  std::uniform_real_distribution<float> dist(-1, 1);
  const auto matrix = [&](std::int64_t size) {
    std::vector<float> x(static_cast<std::size_t>(size));
    for (float& v : x) v = dist(gen);
    return x;
  };
  Product p{matrix(m * k), matrix(k * n), matrix(m * n), matrix(n), matrix(m * n), {}, {}};
  for (float& v : p.b) p.brain.push_back(BFloat16(v).bits), v = static_cast<float>(BFloat16(v));
  p.g = {.m = m,
         .n = n,
         .k = k,
         .lda = trans_a ? m : k,
         .trans_a = trans_a,
         .ldb = trans_b ? k : n,
         .trans_b = trans_b,
         .ldc = n};
  return p;
}

std::vector<float> run(const Product& p, Gemm g, int parts) {
  std::vector<float> c = p.c;
  g.a = p.a.data(), g.c = c.data();
  std::vector<char> scratch(gemm_scratch(g) + 64);
  for (int i = 0; i < parts; ++i) gemm_part(g, i, parts, scratch.data());
  return c;
}

TEST_CASE("brain floats: vectors round as the scalar does, for every special value and every length") {
  const std::vector<float> all = samples();
  on_every_target([&] {
    for (std::size_t begin = 0; begin < all.size(); begin += 37) {
      const std::size_t n = std::min<std::size_t>(37 - begin % 37, all.size() - begin);
      Bits got(n + 1, 0xabcd);
      narrow_f32()(all.data() + begin, got.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(std::bit_cast<std::uint32_t>(all[begin + i]));
        CHECK(got[i] == BFloat16(all[begin + i]).bits);
      }
      CHECK(got[n] == 0xabcd);
    }
    for (std::size_t n = 0; n < 40; ++n) {
      Bits got(n + 1, 0xabcd);
      narrow_f32()(all.data(), got.data(), n);
      for (std::size_t i = 0; i < n; ++i) CHECK(got[i] == BFloat16(all[i]).bits);
      CHECK(got[n] == 0xabcd);
    }
  });
}

TEST_CASE("brain floats: rounding in one loop is narrowing and widening") {
  const std::vector<float> all = samples();
  on_every_target([&] {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{37}, all.size()}) {
      std::vector<float> got(n + 1, -1);
      const LoopOperand operand{all.data(), false};
      float* const result = got.data();
      round_f32()(&operand, &result, n);
      for (std::size_t i = 0; i < n; ++i)
        CHECK(std::bit_cast<std::uint32_t>(got[i]) == std::uint32_t{BFloat16(all[i]).bits} << 16);
      CHECK(got[n] == -1);
    }
  });
}

TEST_CASE("brain floats: every one of them is widened to its float") {
  Bits all;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) all.push_back(static_cast<std::uint16_t>(bits));
  on_every_target([&] {
    std::vector<float> got(all.size());
    widen_f32()(all.data(), got.data(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      REQUIRE(std::bit_cast<std::uint32_t>(got[i]) == static_cast<std::uint32_t>(all[i]) << 16);
    for (std::size_t n = 0; n < 40; ++n) {
      std::vector<float> few(n + 1, -1);
      widen_f32()(all.data() + 0x3f80, few.data(), n);
      for (std::size_t i = 0; i < n; ++i) CHECK(few[i] == got[0x3f80 + i]);
      CHECK(few[n] == -1);
    }
  });
}

TEST_CASE("gemm: packed brain floats give the bits that their floats give") {
  on_every_target([&] {
    for (const std::int64_t m : {1, 2, 3, 17, 40})
      for (const std::int64_t n : {5, 16, 31, 64, 130, 300})
        for (const std::int64_t k : {0, 1, 7, 513, 1100}) {
          for (int form = 0; form < 8; ++form) {
            const bool trans_a = form & 1, trans_b = form & 2, accumulate = form & 4;
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(k);
            CAPTURE(form);
            const Product p = make(m, n, k, trans_a, trans_b);
            Gemm g = p.g;
            g.accumulate = accumulate;
            if (form % 3 != 0) g.epilogue.bias = p.bias.data();
            if (form % 3 == 1) g.epilogue.residual = p.residual.data();
            g.epilogue.activation = form % 4;
            std::vector<float> floats(packed_b_size(k, n));
            Bits brains(packed_b_size(k, n));
            pack_b(p.b.data(), g.ldb, trans_b, k, n, floats.data());
            pack_b_brain(p.brain.data(), g.ldb, trans_b, k, n, brains.data());
            Gemm by_floats = g, by_brains = g;
            by_floats.packed_b = floats.data();
            by_brains.packed_brain = brains.data();
            const auto expected = run(p, by_floats, 1);
            REQUIRE(run(p, by_brains, 1) == expected);
            REQUIRE(run(p, by_brains, 3) == expected);
          }
        }
  });
}

}  // namespace
}  // namespace ramet::cpu
