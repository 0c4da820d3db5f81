// f64 products: four rows by two vectors, B read in place. Double is for checking, so it is kept simple. The sums are
// not fused into FMAs where the compiler is told not to, on every path alike.
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr int kDoubles = kLanes / 2;
typedef double VecD __attribute__((vector_size(4 * kLanes)));

VecD load(const double* p) {
  VecD v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

void store(double* p, VecD v) { __builtin_memcpy(p, &v, sizeof v); }

double a_at(const GemmF64& g, std::int64_t i, std::int64_t k) {
  return g.trans_a ? g.a[k * g.lda + i] : g.a[i * g.lda + k];
}
double b_at(const GemmF64& g, std::int64_t k, std::int64_t j) {
  return g.trans_b ? g.b[j * g.ldb + k] : g.b[k * g.ldb + j];
}

// Each element adds over k in order, whichever function computes it.
void one(const GemmF64& g, std::int64_t i, std::int64_t j) {
  double sum = g.accumulate ? g.c[i * g.ldc + j] : 0.0;
  for (std::int64_t k = 0; k < g.k; ++k) sum = sum + a_at(g, i, k) * b_at(g, k, j);
  g.c[i * g.ldc + j] = sum;
}

template <int kRows>
void tile(const GemmF64& g, std::int64_t i0, std::int64_t j) {
  VecD sum[kRows][2];
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
    const double* c = g.c + (i0 + i) * g.ldc + j;
    sum[i][0] = g.accumulate ? load(c) : VecD{};
    sum[i][1] = g.accumulate ? load(c + kDoubles) : VecD{};
  }
  for (std::int64_t k = 0; k < g.k; ++k) {
    VecD b0 = {}, b1 = {};
    if (g.trans_b) {
      for (int v = 0; v < kDoubles; ++v) b0[v] = b_at(g, k, j + v), b1[v] = b_at(g, k, j + kDoubles + v);
    } else {
      b0 = load(g.b + k * g.ldb + j), b1 = load(g.b + k * g.ldb + j + kDoubles);
    }
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      const double a = a_at(g, i0 + i, k);
      sum[i][0] = sum[i][0] + a * b0;
      sum[i][1] = sum[i][1] + a * b1;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
    double* c = g.c + (i0 + i) * g.ldc + j;
    store(c, sum[i][0]);
    store(c + kDoubles, sum[i][1]);
  }
}

void rows(const GemmF64& g, std::int64_t row_begin, std::int64_t row_end) {
  for (std::int64_t j = 0; j < g.n; j += 2 * kDoubles) {
    const bool full = j + 2 * kDoubles <= g.n;
    for (std::int64_t i = row_begin; i < row_end;) {
      if (full && i + 4 <= row_end) {
        tile<4>(g, i, j);
        i += 4;
      } else if (full) {
        tile<1>(g, i++, j);
      } else {
        for (std::int64_t column = j; column < g.n; ++column) one(g, i, column);
        ++i;
      }
    }
  }
}

}  // namespace

void fill_gemm_f64(SimdKernels& t) { t.gemm_f64_rows = rows; }

}  // namespace ramet::cpu::RAMET_SIMD
