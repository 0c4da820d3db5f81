// Copies of a matrix in the order a tile reads it. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/gemm_tile.h"

namespace ramet::cpu::RAMET_SIMD {

inline constexpr std::int64_t kMostSteps = 512;  // of k in one block
extern const float kZeroLine[kMostSteps];

// The stride between steps of k in a packed tile of so many rows.
constexpr int packed_stride(int rows) { return rows <= 4 ? 4 : kPackedRows; }

// out[k * stride + i] = line[i][k] for i < count, a multiple of 4. Lines that hold nothing are kZeroLine. What lies
// `ahead` of the lines is read next: the caches may fetch it.
void pack_lines(const float* const* line, int count, std::int64_t k, float* out, std::int64_t stride,
                std::int64_t ahead = 0);
// out[k * stride + i] = from[i * ld + k] for i < count; zero for count <= i < stride.
void pack_transposed(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride);
// out[k * stride + i] = from[k * ld + i] for i < count; zero for count <= i < stride.
void pack_straight(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride);

// to[0, n) = from[0, n)
inline void copy_row(const float* from, std::int64_t n, float* to) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load(from + i));
#if defined(RAMET_SIMD_avx512)
  if (i < n) store_part(to + i, load_part(from + i, static_cast<std::size_t>(n - i)), static_cast<std::size_t>(n - i));
#else
  for (; i + 4 <= n; i += 4) __builtin_memcpy(to + i, from + i, 16);
  for (; i < n; ++i) to[i] = from[i];
#endif
}

}  // namespace ramet::cpu::RAMET_SIMD
