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

// The same for kLanes lines at once: each quarter of a register transposes four of them. A register gathers four steps
// of every fourth line, so that the quarters come out in order.
#if defined(RAMET_SIMD_avx512)
__m512 every_fourth(const float* const* line, std::int64_t k) {
  __m512 v = _mm512_zextps128_ps512(_mm_loadu_ps(line[0] + k));
  v = _mm512_mask_broadcast_f32x4(v, 0x00f0, _mm_loadu_ps(line[4] + k));
  v = _mm512_mask_broadcast_f32x4(v, 0x0f00, _mm_loadu_ps(line[8] + k));
  return _mm512_mask_broadcast_f32x4(v, 0xf000, _mm_loadu_ps(line[12] + k));
}

void transpose_lanes(const float* const* line, std::int64_t k, float* out, std::int64_t stride) {
  const __m512 a = every_fourth(line, k), b = every_fourth(line + 1, k), c = every_fourth(line + 2, k),
               d = every_fourth(line + 3, k);
  const __m512 ab_low = _mm512_maskz_unpacklo_ps(kAllLanes, a, b), ab_high = _mm512_maskz_unpackhi_ps(kAllLanes, a, b);
  const __m512 cd_low = _mm512_maskz_unpacklo_ps(kAllLanes, c, d), cd_high = _mm512_maskz_unpackhi_ps(kAllLanes, c, d);
  _mm512_storeu_ps(out, _mm512_maskz_shuffle_ps(kAllLanes, ab_low, cd_low, 0x44));
  _mm512_storeu_ps(out + stride, _mm512_maskz_shuffle_ps(kAllLanes, ab_low, cd_low, 0xee));
  _mm512_storeu_ps(out + 2 * stride, _mm512_maskz_shuffle_ps(kAllLanes, ab_high, cd_high, 0x44));
  _mm512_storeu_ps(out + 3 * stride, _mm512_maskz_shuffle_ps(kAllLanes, ab_high, cd_high, 0xee));
}
#elif defined(RAMET_SIMD_avx2)
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
void transpose_lanes(const float* const* line, std::int64_t k, float* out, std::int64_t stride) {
  transpose_four(line, k, out, stride);
}
#endif

}  // namespace

void pack_lines(const float* const* line, int count, std::int64_t k, float* out, std::int64_t stride) {
  for (int i = 0; i < count;) {
    const bool whole = i + kLanes <= count;
    const int lines = whole ? kLanes : 4;
    std::int64_t p = 0;
    if (whole) {
      for (; p + 4 <= k; p += 4) transpose_lanes(line + i, p, out + p * stride + i, stride);
    } else {
      for (; p + 4 <= k; p += 4) transpose_four(line + i, p, out + p * stride + i, stride);
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
  pack_lines(line, stride, k, out, stride);
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
