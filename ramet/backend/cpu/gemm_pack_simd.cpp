#include "ramet/backend/cpu/gemm_pack.h"

namespace ramet::cpu::RAMET_SIMD {

alignas(64) const float kZeroLine[kMostSteps] = {};

namespace {

typedef float Four __attribute__((vector_size(16)));

Four load_four(const float* p) {
  Four v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

void store_four(float* p, Four v) { __builtin_memcpy(p, &v, sizeof v); }

// Four steps of k for four lines.
void transpose_four(const float* const* line, std::int64_t k, float* out, std::int64_t stride) {
  const Four a = load_four(line[0] + k), b = load_four(line[1] + k), c = load_four(line[2] + k),
             d = load_four(line[3] + k);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_four(out, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_four(out + stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_four(out + 2 * stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_four(out + 3 * stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

// kStepsAtOnce steps of k for kLanes lines.
#if defined(RAMET_SIMD_avx512)
constexpr std::int64_t kStepsAtOnce = 16;

// A whole cache line of every line at once: where the lines are a power of two apart they share a few sets of the first
// cache, and a line that is read by pieces would be gone before its second piece.
void transpose_lanes(const float* const* line, std::int64_t k, float* out, std::int64_t stride) {
  __m512 pair[16], four[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    const __m512 a = _mm512_loadu_ps(line[i] + k), b = _mm512_loadu_ps(line[i + 1] + k);
    pair[i] = _mm512_maskz_unpacklo_ps(kAllLanes, a, b);
    pair[i + 1] = _mm512_maskz_unpackhi_ps(kAllLanes, a, b);
  }
  // four[i + s]: lines i to i + 3; its quarter q is step 4 q + s.
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    four[i] = _mm512_maskz_shuffle_ps(kAllLanes, pair[i], pair[i + 2], 0x44);
    four[i + 1] = _mm512_maskz_shuffle_ps(kAllLanes, pair[i], pair[i + 2], 0xee);
    four[i + 2] = _mm512_maskz_shuffle_ps(kAllLanes, pair[i + 1], pair[i + 3], 0x44);
    four[i + 3] = _mm512_maskz_shuffle_ps(kAllLanes, pair[i + 1], pair[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int s = 0; s < 4; ++s) {
    const __m512 low = _mm512_maskz_shuffle_f32x4(kAllLanes, four[s], four[s + 4], 0x44),
                 high = _mm512_maskz_shuffle_f32x4(kAllLanes, four[s], four[s + 4], 0xee),
                 low2 = _mm512_maskz_shuffle_f32x4(kAllLanes, four[s + 8], four[s + 12], 0x44),
                 high2 = _mm512_maskz_shuffle_f32x4(kAllLanes, four[s + 8], four[s + 12], 0xee);
    _mm512_storeu_ps(out + s * stride, _mm512_maskz_shuffle_f32x4(kAllLanes, low, low2, 0x88));
    _mm512_storeu_ps(out + (s + 4) * stride, _mm512_maskz_shuffle_f32x4(kAllLanes, low, low2, 0xdd));
    _mm512_storeu_ps(out + (s + 8) * stride, _mm512_maskz_shuffle_f32x4(kAllLanes, high, high2, 0x88));
    _mm512_storeu_ps(out + (s + 12) * stride, _mm512_maskz_shuffle_f32x4(kAllLanes, high, high2, 0xdd));
  }
}
#elif defined(RAMET_SIMD_avx2)
constexpr std::int64_t kStepsAtOnce = 4;

// Each half of a register transposes four lines. A register gathers four steps of every fourth line, so that the halves
// come out in order.
__m256 every_fourth(const float* const* line, std::int64_t k) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(line[0] + k)), _mm_loadu_ps(line[4] + k), 1);
}

void transpose_lanes(const float* const* line, std::int64_t k, float* out, std::int64_t stride) {
  const __m256 a = every_fourth(line, k), b = every_fourth(line + 1, k), c = every_fourth(line + 2, k),
               d = every_fourth(line + 3, k);
  const __m256 ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b);
  const __m256 cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
  _mm256_storeu_ps(out, _mm256_shuffle_ps(ab_low, cd_low, 0x44));
  _mm256_storeu_ps(out + stride, _mm256_shuffle_ps(ab_low, cd_low, 0xee));
  _mm256_storeu_ps(out + 2 * stride, _mm256_shuffle_ps(ab_high, cd_high, 0x44));
  _mm256_storeu_ps(out + 3 * stride, _mm256_shuffle_ps(ab_high, cd_high, 0xee));
}
#else
constexpr std::int64_t kStepsAtOnce = 4;

void transpose_lanes(const float* const* line, std::int64_t k, float* out, std::int64_t stride) {
  transpose_four(line, k, out, stride);
}
#endif

}  // namespace

void pack_lines(const float* const* line, int count, std::int64_t k, float* out, std::int64_t stride,
                std::int64_t ahead) {
  for (int i = 0; i < count;) {
    const bool whole = i + kLanes <= count;
    const int lines = whole ? kLanes : 4;
    std::int64_t p = 0;
    if (whole) {
      for (; p + kStepsAtOnce <= k; p += kStepsAtOnce) {
        if (ahead != 0 && p % 16 == 0)
          for (int r = 0; r < kLanes; ++r) __builtin_prefetch(line[i + r] + p + ahead, 0, 2);
        transpose_lanes(line + i, p, out + p * stride + i, stride);
      }
    }
    for (; p + 4 <= k; p += 4) {
      for (int r = 0; r < lines; r += 4) transpose_four(line + i + r, p, out + p * stride + i + r, stride);
    }
    for (; p < k; ++p) {
      for (int r = 0; r < lines; ++r) out[p * stride + i + r] = line[i + r][p];
    }
    i += lines;
  }
}

void pack_transposed(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride) {
  constexpr int kMostLines = kPanel > kPackedRows ? kPanel : kPackedRows;
  const float* line[kMostLines];
  for (int i = 0; i < stride; ++i) line[i] = i < count ? from + i * ld : kZeroLine;
  pack_lines(line, stride, k, out, stride, count * ld);
}

void pack_straight(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride) {
  if (count == kPanel && stride == kPanel) {
    for (std::int64_t p = 0; p < k; ++p, from += ld, out += kPanel) {
      store(out, load(from));
      store(out + kLanes, load(from + kLanes));
    }
    return;
  }
  for (std::int64_t p = 0; p < k; ++p, from += ld, out += stride) {
    copy_row(from, count, out);
    for (int i = count; i < stride; ++i) out[i] = 0.0f;
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
