#include "ramet/backend/cpu/gemm_pack.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

typedef float Four __attribute__((vector_size(16)));

Four load_four(const float* p) {
  Four v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

void store_four(float* p, Four v) { __builtin_memcpy(p, &v, sizeof v); }

// Four steps of k for four rows.
void transpose_four(const float* r0, const float* r1, const float* r2, const float* r3, float* out, int stride) {
  const Four a = load_four(r0), b = load_four(r1), c = load_four(r2), d = load_four(r3);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_four(out, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_four(out + stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_four(out + 2 * stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_four(out + 3 * stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

}  // namespace

void pack_transposed(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride) {
  static const float kZeros[4] = {};
  for (int i = 0; i < stride; i += 4) {
    // Missing rows read zeros over and over.
    const float* row[4];
    std::int64_t step[4];
    for (int r = 0; r < 4; ++r) {
      const bool there = i + r < count;
      row[r] = there ? from + (i + r) * ld : kZeros;
      step[r] = there ? 1 : 0;
    }
    std::int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
      transpose_four(row[0] + p * step[0], row[1] + p * step[1], row[2] + p * step[2], row[3] + p * step[3],
                     out + p * stride + i, stride);
    }
    for (; p < k; ++p) {
      for (int r = 0; r < 4; ++r) out[p * stride + i + r] = row[r][p * step[r]];
    }
  }
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
    int i = 0;
    for (; i + 4 <= count; i += 4) store_four(out + i, load_four(from + i));
    for (; i < count; ++i) out[i] = from[i];
    for (; i < stride; ++i) out[i] = 0.0f;
  }
}

}  // namespace ramet::cpu::RAMET_SIMD
