// Floats to brain floats and back.
#include "ramet/backend/cpu/brain.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

void store_halves(std::uint16_t* p, VecU v) {
#if defined(RAMET_SIMD_avx512)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_maskz_cvtepi32_epi16(kAllLanes, (__m512i)v));
#elif defined(RAMET_SIMD_avx2)
  const __m128i low = _mm256_castsi256_si128((__m256i)v), high = _mm256_extracti128_si256((__m256i)v, 1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_packus_epi32(low, high));
#else
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi32((__m128i)v, (__m128i)v));
#endif
}

Vec load_halves(const std::uint16_t* p) {
#if defined(RAMET_SIMD_avx512)
  const VecU v = (VecU)_mm512_maskz_cvtepu16_epi32(kAllLanes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif defined(RAMET_SIMD_avx2)
  const VecU v = (VecU)_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
  const VecU v = (VecU)_mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
#endif
  return (Vec)(v << 16);
}

void narrow(const float* x, std::uint16_t* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store_halves(y + i, rounded(load(x + i)));
  if (i == n) return;
  const VecU last = rounded(load_part(x + i, n - i));
  for (std::size_t j = 0; i + j < n; ++j) y[i + j] = static_cast<std::uint16_t>(last[j]);
}

void widen(const std::uint16_t* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load_halves(x + i));
  if (i == n) return;
  std::uint16_t last[kLanes] = {};
  for (std::size_t j = 0; i + j < n; ++j) last[j] = x[i + j];
  store_part(y + i, load_halves(last), n - i);
}

}  // namespace

void fill_brain(SimdKernels& t) {
  t.narrow = narrow;
  t.widen = widen;
}

}  // namespace ramet::cpu::RAMET_SIMD
