// Means and variances in two passes over what is in the cache: the second takes distances from the mean, which keeps
// the digits of a variance that is small beside the mean.
#include "ramet/backend/cpu/simd_fold.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// kVecs vectors of columns from `x`; of the last, `count` lanes.
template <int kVecs>
void take_rows(const float* x, std::int64_t rows, std::int64_t stride, std::int64_t before, float* mean, float* squares,
               std::size_t count) {
  const auto read = [&](const float* p, int v) {
    return v + 1 < kVecs ? load(p + v * kLanes) : load_some(p + v * kLanes, count);
  };
  Vec sum[kVecs];
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) sum[v] = Vec{};
  for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      sum[v] += read(x + r * stride, v);
      __builtin_prefetch(x + (r + rows) * stride + v * kLanes, 0, 2);  // what the next call reads
    }
  }
  Vec here[kVecs], square[kVecs];
  const Vec share = splat(1.0f / static_cast<float>(rows));
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) here[v] = sum[v] * share, square[v] = Vec{};
  for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const Vec distance = read(x + r * stride, v) - here[v];
      square[v] = mul_add(distance, distance, square[v]);
    }
  }
  // Joined with the rows before.
  const float part = static_cast<float>(rows) / static_cast<float>(before + rows);
  const Vec moved = splat(part), weight = splat(part * static_cast<float>(before));
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) {
    const std::size_t lanes = v + 1 < kVecs ? kLanes : count;
    float *m = mean + v * kLanes, *s = squares + v * kLanes;
    if (before > 0) {
      const Vec old = load_some(m, lanes), distance = here[v] - old;
      here[v] = mul_add(distance, moved, old);
      square[v] += mul_add(distance * distance, weight, load_some(s, lanes));
    }
    store_some(m, here[v], lanes);
    store_some(s, square[v], lanes);
  }
}

void column_moments(const float* x, std::int64_t rows, std::int64_t stride, std::int64_t n, std::int64_t before,
                    float* mean, float* squares) {
  std::int64_t j = 0;
  for (; j + 4 * kLanes <= n; j += 4 * kLanes) take_rows<4>(x + j, rows, stride, before, mean + j, squares + j, kLanes);
  for (; j < n; j += kLanes)
    take_rows<1>(x + j, rows, stride, before, mean + j, squares + j,
                 static_cast<std::size_t>(n - j < kLanes ? n - j : kLanes));
}

// Sixteen running sums whatever the vector's length, so that every target gives the same bits.
constexpr int kRunning = 16, kVecs = kRunning / kLanes;

void row_moments(const float* x, std::size_t rows, std::size_t n, float* mean, float* variance) {
  const float share = 1.0f / static_cast<float>(n);
  for (std::size_t r = 0; r < rows; ++r, x += n) {
    mean[r] = kernels().reduce[static_cast<int>(Reduce::kSum)](x, n) * share;
    const Vec centre = splat(mean[r]);
    float total = 0;
    // In pieces of 1,024 that are added up, so that the rounding of long rows stays small.
    for (std::size_t begin = 0; begin < n; begin += 1024) {
      const std::size_t end = begin + 1024 < n ? begin + 1024 : n;
      Vec sum[kVecs] = {};
      std::size_t i = begin;
      for (; i + kRunning <= end; i += kRunning) {
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v) {
          const Vec distance = load(x + i + v * kLanes) - centre;
          sum[v] = mul_add(distance, distance, sum[v]);
        }
      }
      float rest = 0;
      for (; i < end; ++i) rest += (x[i] - mean[r]) * (x[i] - mean[r]);
      total += fold(sum, add) + rest;
    }
    variance[r] = total * share;
  }
}

}  // namespace

void fill_moments(SimdKernels& t) {
  t.row_moments = row_moments;
  t.column_moments = column_moments;
}

}  // namespace ramet::cpu::RAMET_SIMD
