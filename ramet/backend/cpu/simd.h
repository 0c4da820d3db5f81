// One native vector of floats, for *_simd.cpp files only. Everything lives in the target's own namespace, so that the
// linker never takes one instruction set's copy of an inline function for another's.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ramet::cpu::RAMET_SIMD {

#if defined(RAMET_SIMD_avx512)
inline constexpr int kLanes = 16;
// g++ 12 warns of an undefined value inside its own unmasked intrinsics; a full mask compiles to the same code.
inline constexpr __mmask16 kAllLanes = 0xffff;
#elif defined(RAMET_SIMD_avx2)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;
#endif

typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t VecI __attribute__((vector_size(4 * kLanes)));
typedef std::uint32_t VecU __attribute__((vector_size(4 * kLanes)));

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof v); }

inline Vec splat(float x) { return x - Vec{}; }  // x - 0 keeps -0 and is one broadcast
inline VecI splat(std::int32_t x) { return x - VecI{}; }

// g++ would load a vector again for every FMA that takes it; the load units are then the limit.
inline void keep_in_register(Vec& v) {
#if defined(RAMET_SIMD_avx512)
  asm("" : "+v"(v));
#else
  asm("" : "+x"(v));
#endif
}

inline VecI bits(Vec v) { return (VecI)v; }
inline Vec from_bits(VecI v) { return (Vec)v; }

inline Vec abs(Vec x) { return from_bits(bits(x) & 0x7fffffff); }
inline VecI sign_bit(Vec x) { return bits(x) & splat(std::int32_t(0x80000000)); }

// a b + c, rounded once where the target has FMA. Written out instead of left to the compiler's contraction, so that
// every compiler gives the same bits.
inline Vec mul_add(Vec a, Vec b, Vec c) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(RAMET_SIMD_avx2)
  return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}
inline Vec mul_add(Vec a, float b, Vec c) { return mul_add(a, splat(b), c); }
inline Vec mul_add(Vec a, Vec b, float c) { return mul_add(a, b, splat(c)); }
inline Vec mul_add(Vec a, float b, float c) { return mul_add(a, splat(b), splat(c)); }

// NumPy's maximum and minimum: NaN if either is NaN.
inline Vec maximum(Vec a, Vec b) { return ((a > b) | (a != a)) ? a : b; }
inline Vec minimum(Vec a, Vec b) { return ((a < b) | (a != a)) ? a : b; }

// The hardware's maximum and minimum: b when either is NaN.
inline Vec max_or_second(Vec a, Vec b) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_max_ps(kAllLanes, (__m512)a, (__m512)b);
#elif defined(RAMET_SIMD_avx2)
  return (Vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
  return (Vec)_mm_max_ps((__m128)a, (__m128)b);
#endif
}
inline Vec min_or_second(Vec a, Vec b) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_min_ps(kAllLanes, (__m512)a, (__m512)b);
#elif defined(RAMET_SIMD_avx2)
  return (Vec)_mm256_min_ps((__m256)a, (__m256)b);
#else
  return (Vec)_mm_min_ps((__m128)a, (__m128)b);
#endif
}

inline Vec sqrt(Vec x) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_sqrt_ps(kAllLanes, (__m512)x);
#elif defined(RAMET_SIMD_avx2)
  return (Vec)_mm256_sqrt_ps((__m256)x);
#else
  return (Vec)_mm_sqrt_ps((__m128)x);
#endif
}

// Rounds by mode (_MM_FROUND_TO_NEAREST_INT, _TO_NEG_INF, _TO_POS_INF).
template <int kMode>
Vec round_to(Vec x) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_roundscale_ps(kAllLanes, (__m512)x, kMode | _MM_FROUND_NO_EXC);
#elif defined(RAMET_SIMD_avx2)
  return (Vec)_mm256_round_ps((__m256)x, kMode | _MM_FROUND_NO_EXC);
#else
  return (Vec)_mm_round_ps((__m128)x, kMode | _MM_FROUND_NO_EXC);
#endif
}

// The first n < kLanes elements; the other lanes are zero.
inline Vec load_part(const float* p, std::size_t n) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
#else
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) lanes[i] = p[i];
  return load(lanes);
#endif
}

// The first n < kLanes elements of v; the other lanes are `rest`.
inline Vec first_lanes(Vec v, std::size_t n, float rest) {
#if defined(RAMET_SIMD_avx512)
  return (Vec)_mm512_mask_mov_ps((__m512)splat(rest), static_cast<__mmask16>((1u << n) - 1), (__m512)v);
#else
  for (std::size_t i = n; i < kLanes; ++i) v[i] = rest;
  return v;
#endif
}

inline void store_part(float* p, Vec v, std::size_t n) {
#if defined(RAMET_SIMD_avx512)
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
#else
  for (std::size_t i = 0; i < n; ++i) p[i] = v[i];
#endif
}

// kLanes bytes as integers, and integers of 0..255 as bytes.
inline VecI load_bytes(const std::uint8_t* p) {
#if defined(RAMET_SIMD_avx512)
  return (VecI)_mm512_maskz_cvtepu8_epi32(kAllLanes, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#elif defined(RAMET_SIMD_avx2)
  return (VecI)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
#else
  std::int32_t four;
  __builtin_memcpy(&four, p, 4);
  return (VecI)_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
#endif
}

inline void store_bytes(std::uint8_t* p, VecI v) {
#if defined(RAMET_SIMD_avx512)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_maskz_cvtepi32_epi8(kAllLanes, (__m512i)v));
#elif defined(RAMET_SIMD_avx2)
  const __m128i low = _mm256_castsi256_si128((__m256i)v), high = _mm256_extracti128_si256((__m256i)v, 1);
  const __m128i words = _mm_packs_epi32(low, high);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
#else
  const __m128i words = _mm_packs_epi32((__m128i)v, (__m128i)v);
  const std::int32_t four = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
  __builtin_memcpy(p, &four, 4);
#endif
}

// The first n <= kLanes elements.
inline Vec load_some(const float* p, std::size_t n) { return n == kLanes ? load(p) : load_part(p, n); }
inline void store_some(float* p, Vec v, std::size_t n) { n == kLanes ? store(p, v) : store_part(p, v, n); }

}  // namespace ramet::cpu::RAMET_SIMD
