#include "ramet/backend/cpu/gemm_dot.h"

#include "ramet/backend/cpu/gemm_blocks.h"
#include "ramet/backend/cpu/simd_fold.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Dot products of kSmall rows with kLarge rows, one running vector each.
template <int kSmall, int kLarge>
void dots(const float* small, std::int64_t ld_small, const float* large, std::int64_t ld_large, std::int64_t k,
          float* out) {
  Vec sum[kSmall][kLarge];
#pragma GCC unroll 4
  for (int s = 0; s < kSmall; ++s) {
#pragma GCC unroll 4
    for (int l = 0; l < kLarge; ++l) sum[s][l] = Vec{};
  }
  std::int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) {
    Vec x[kSmall];
#pragma GCC unroll 4
    for (int s = 0; s < kSmall; ++s) x[s] = load(small + s * ld_small + p);
#pragma GCC unroll 4
    for (int l = 0; l < kLarge; ++l) {
      const Vec y = load(large + l * ld_large + p);
#pragma GCC unroll 4
      for (int s = 0; s < kSmall; ++s) sum[s][l] = mul_add(x[s], y, sum[s][l]);
    }
  }
  if (p < k) {
    const std::size_t rest = static_cast<std::size_t>(k - p);
#pragma GCC unroll 4
    for (int l = 0; l < kLarge; ++l) {
      const Vec y = load_part(large + l * ld_large + p, rest);
#pragma GCC unroll 4
      for (int s = 0; s < kSmall; ++s) sum[s][l] = mul_add(load_part(small + s * ld_small + p, rest), y, sum[s][l]);
    }
  }
#pragma GCC unroll 4
  for (int s = 0; s < kSmall; ++s) {
#pragma GCC unroll 4
    for (int l = 0; l < kLarge; ++l) out[s * 4 + l] = fold_lanes(sum[s][l], add);
  }
}

template <int kSmall>
void strip(const float* small, std::int64_t ld_small, const float* large, std::int64_t ld_large, std::int64_t k,
           std::int64_t count, float* out) {
  if (count == 4 && kSmall <= 2) return dots<kSmall, 4>(small, ld_small, large, ld_large, k, out);
  for (std::int64_t l = 0; l < count; ++l) dots<kSmall, 1>(small, ld_small, large + l * ld_large, ld_large, k, out + l);
}

// out[s * 4 + l] for up to four rows on each side.
void few_dots(std::int64_t small_rows, const float* small, std::int64_t ld_small, const float* large,
              std::int64_t ld_large, std::int64_t k, std::int64_t count, float* out) {
  switch (small_rows) {
    case 1: return strip<1>(small, ld_small, large, ld_large, k, count, out);
    case 2: return strip<2>(small, ld_small, large, ld_large, k, count, out);
    case 3: return strip<3>(small, ld_small, large, ld_large, k, count, out);
    default: return strip<4>(small, ld_small, large, ld_large, k, count, out);
  }
}

bool small_is_a(const Gemm& g) { return g.trans_b && g.m <= kFewRows; }

}  // namespace

float dot(const float* a, const float* b, std::int64_t k) {
  float out;
  dots<1, 1>(a, k, b, k, k, &out);
  return out;
}

std::size_t dots_scratch(const Gemm& g) {
  const bool copy = small_is_a(g) ? g.trans_a : !g.trans_b;
  return copy ? static_cast<std::size_t>((small_is_a(g) ? g.m : g.n) * g.k) : 0;
}

void run_dots(const Gemm& g, const GemmRegion& r, float* scratch) {
  const bool a_small = small_is_a(g);
  const float* small = a_small ? g.a : g.b;
  std::int64_t ld_small = a_small ? g.lda : g.ldb;
  const std::int64_t small_begin = a_small ? r.row_begin : r.column_begin,
                     small_end = a_small ? r.row_end : r.column_end;
  const std::int64_t large_begin = a_small ? r.column_begin : r.row_begin,
                     large_end = a_small ? r.column_end : r.row_end;
  if (small_begin >= small_end) return;
  if (a_small ? g.trans_a : !g.trans_b) {
    for (std::int64_t s = small_begin; s < small_end; ++s) {
      for (std::int64_t p = 0; p < g.k; ++p) scratch[s * g.k + p] = small[p * ld_small + s];
    }
    small = scratch;
    ld_small = g.k;
  }
  const float* large = a_small ? g.b : g.a;
  const std::int64_t ld_large = a_small ? g.ldb : g.lda;

  for (std::int64_t l = large_begin; l < large_end; l += 4) {
    const std::int64_t count = large_end - l < 4 ? large_end - l : 4;
    float out[16];
    few_dots(small_end - small_begin, small + small_begin * ld_small, ld_small, large + l * ld_large, ld_large, g.k,
             count, out);
    for (std::int64_t s = small_begin; s < small_end; ++s) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = a_small ? s : l + i, column = a_small ? l + i : s;
        float* c = g.c + row * g.ldc + column;
        *c = (g.accumulate ? *c : 0.0f) + out[(s - small_begin) * 4 + i];
      }
    }
  }
  const GemmEpilogue& e = g.epilogue;
  if (e.bias == nullptr && e.residual == nullptr && e.activation == 0 && !(e.ceiling < __builtin_inff())) return;
  for (std::int64_t i = r.row_begin; i < r.row_end; ++i) {
    const std::int64_t at = i * g.ldc + r.column_begin;
    finish_row(g.c + at, r.column_end - r.column_begin, e.bias ? e.bias + r.column_begin : nullptr,
               e.residual ? e.residual + at : nullptr, e);
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
