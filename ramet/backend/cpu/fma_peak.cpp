#include "ramet/backend/cpu/fma_peak.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>

namespace ramet::cpu {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

volatile float sink = 0;

// Independent multiply-adds in registers, nothing else. They start above 1, the fixed point, where a compiler would see
// that nothing changes.
__attribute__((target("avx512f"), noinline)) double flops_avx512(long steps) {
  __m512 sum[16];
  const __m512 x = _mm512_set1_ps(0.999999f), y = _mm512_set1_ps(1e-6f);
  for (int i = 0; i < 16; ++i) sum[i] = _mm512_set1_ps(static_cast<float>(i + 2));
  for (long k = 0; k < steps; ++k) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sum[i] = _mm512_fmadd_ps(sum[i], x, y);
  }
  for (int i = 0; i < 16; ++i) sink = sink + sum[i][0];
  return static_cast<double>(steps) * 16 * 16 * 2;
}

__attribute__((target("avx2,fma"), noinline)) double flops_avx2(long steps) {
  __m256 sum[12];
  const __m256 x = _mm256_set1_ps(0.999999f), y = _mm256_set1_ps(1e-6f);
  for (int i = 0; i < 12; ++i) sum[i] = _mm256_set1_ps(static_cast<float>(i + 2));
  for (long k = 0; k < steps; ++k) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) sum[i] = _mm256_fmadd_ps(sum[i], x, y);
  }
  for (int i = 0; i < 12; ++i) sink = sink + _mm256_cvtss_f32(sum[i]);
  return static_cast<double>(steps) * 12 * 8 * 2;
}

// Without FMA: a multiplication and an addition each.
__attribute__((noinline)) double flops_sse4(long steps) {
  __m128 product[7], sum[7];
  const __m128 x = _mm_set1_ps(0.999999f), y = _mm_set1_ps(1e-6f);
  for (int i = 0; i < 7; ++i) product[i] = sum[i] = _mm_set1_ps(static_cast<float>(i + 2));
  for (long k = 0; k < steps; ++k) {
#pragma GCC unroll 7
    for (int i = 0; i < 7; ++i) product[i] = _mm_mul_ps(product[i], x), sum[i] = _mm_add_ps(sum[i], y);
  }
  for (int i = 0; i < 7; ++i) sink = sink + _mm_cvtss_f32(sum[i]) + _mm_cvtss_f32(product[i]);
  return static_cast<double>(steps) * 7 * 4 * 2;
}

}  // namespace

double measure_fma_peak(CpuTarget target, double seconds) {
  double best = 0;
  for (const double end = now() + seconds; now() < end;) {
    const double start = now();
    const double flops = target == CpuTarget::kAvx512 ? flops_avx512(100000)
                         : target == CpuTarget::kAvx2 ? flops_avx2(200000)
                                                      : flops_sse4(200000);
    best = std::max(best, flops / (now() - start));
  }
  return best;
}

}  // namespace ramet::cpu
