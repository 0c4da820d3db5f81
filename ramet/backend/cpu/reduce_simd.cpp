// Reductions over contiguous floats. Every instruction set adds in the same order: 32 running sums, folded in halves,
// in chunks that are joined pairwise. So a sum's bits depend on n alone, and its error grows with log n.
#include "ramet/backend/cpu/simd_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr int kRunning = 32;  // running results, whatever the vector's length
constexpr int kVecs = kRunning / kLanes;
constexpr std::size_t kChunk = 4096;

struct Sum {
  static constexpr float kEmpty = 0.0f;
  static Vec step(Vec sum, Vec x) { return sum + x; }
  static float join(float a, float b) { return a + b; }
};
struct SumOfSquares {
  static constexpr float kEmpty = 0.0f;
  static Vec step(Vec sum, Vec x) { return sum + x * x; }
  static float join(float a, float b) { return a + b; }
};
struct Max {
  static constexpr float kEmpty = -kInf;
  static Vec step(Vec most, Vec x) { return maximum(most, x); }
  static float join(float a, float b) { return a > b || a != a ? a : b; }
};
struct Min {
  static constexpr float kEmpty = kInf;
  static Vec step(Vec least, Vec x) { return minimum(least, x); }
  static float join(float a, float b) { return a < b || a != a ? a : b; }
};

template <class Op>
float reduce_chunk(const float* x, std::size_t n) {
  Vec running[kVecs];
  for (int v = 0; v < kVecs; ++v) running[v] = splat(Op::kEmpty);
  std::size_t i = 0;
  for (; i + kRunning <= n; i += kRunning) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) running[v] = Op::step(running[v], load(x + i + v * kLanes));
  }
  if (i < n) {
    // Missing elements are replaced by what leaves a result unchanged (0 or -inf; 0 squared is 0).
    float last[kRunning];
    for (int j = 0; j < kRunning; ++j) last[j] = i + j < n ? x[i + j] : Op::kEmpty;
    for (int v = 0; v < kVecs; ++v) running[v] = Op::step(running[v], load(last + v * kLanes));
  }
  float all[kRunning];
  for (int v = 0; v < kVecs; ++v) store(all + v * kLanes, running[v]);
  for (int half = kRunning / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) all[j] = Op::join(all[j], all[j + half]);
  }
  return all[0];
}

template <class Op>
float reduce(const float* x, std::size_t n) {
  if (n <= kChunk) return reduce_chunk<Op>(x, n);
  const std::size_t chunks = (n + kChunk - 1) / kChunk, left = (chunks + 1) / 2 * kChunk;
  return Op::join(reduce<Op>(x, left), reduce<Op>(x + left, n - left));
}

void axpy(float alpha, const float* x, float* y, std::size_t n) {
  const Vec a = splat(alpha);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, mul_add(a, load(x + i), load(y + i)));
  if (i < n) store_part(y + i, mul_add(a, load_part(x + i, n - i), load_part(y + i, n - i)), n - i);
}

// y = f(x) for n elements.
template <class F>
void each_vector(const float* x, float* y, std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, f(load(x + i)));
  if (i < n) store_part(y + i, f(load_part(x + i, n - i)), n - i);
}

// y = exp(x - max) / sum, row by row. A row of only -inf gives NaN, as Keras' softmax does.
void row_softmax(const float* x, float* y, std::size_t rows, std::size_t n) {
  for (std::size_t r = 0; r < rows; ++r, x += n, y += n) {
    const Vec most = splat(reduce<Max>(x, n));
    each_vector(x, y, n, [&](Vec v) { return exp(v - most); });
    const Vec scale = splat(1.0f / reduce<Sum>(y, n));
    each_vector(y, y, n, [&](Vec v) { return v * scale; });
  }
}

// y = x - max - log(sum of exp(x - max)), row by row.
void row_log_softmax(const float* x, float* y, std::size_t rows, std::size_t n) {
  for (std::size_t r = 0; r < rows; ++r, x += n, y += n) {
    const Vec most = splat(reduce<Max>(x, n));
    each_vector(x, y, n, [&](Vec v) { return exp(v - most); });
    const Vec size = log(splat(reduce<Sum>(y, n)));
    each_vector(x, y, n, [&](Vec v) { return v - most - size; });
  }
}

// x = exp(x - max); gives their sum and the max.
float exponents(float* x, std::size_t n, float* top) {
  *top = reduce<Max>(x, n);
  const Vec most = splat(*top);
  each_vector(x, x, n, [&](Vec v) { return exp(v - most); });
  return reduce<Sum>(x, n);
}

float sum_of_exponents(const float* x, std::size_t n, float* top) {
  *top = reduce<Max>(x, n);
  const Vec most = splat(*top);
  float sum = 0, part[kChunk];
  for (std::size_t i = 0; i < n; i += kChunk) {
    const std::size_t count = n - i < kChunk ? n - i : kChunk;
    each_vector(x + i, part, count, [&](Vec v) { return exp(v - most); });
    sum += reduce<Sum>(part, count);
  }
  return sum;
}

void scaled_exponents(const float* x, float* y, std::size_t n, float top, float factor) {
  const Vec most = splat(top), f = splat(factor);
  each_vector(x, y, n, [&](Vec v) { return exp(v - most) * f; });
}

void softmax_gradient(float* x, float* dy, std::size_t n, float top, float factor) {
  const Vec most = splat(top), f = splat(factor);
  Vec sum{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec y = exp(load(x + i) - most) * f;
    store(x + i, y);
    sum = mul_add(y, load(dy + i), sum);
  }
  if (i < n) {
    const Vec y = exp(load_part(x + i, n - i) - most) * f;
    store_part(x + i, y, n - i);
    sum = mul_add(load_part(x + i, n - i), load_part(dy + i, n - i), sum);  // beyond n both are zero
  }
  float lanes[kLanes];
  store(lanes, sum);
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  }
  const Vec mean = splat(lanes[0]);
  for (i = 0; i + kLanes <= n; i += kLanes) store(dy + i, load(x + i) * (load(dy + i) - mean));
  if (i < n) store_part(dy + i, load_part(x + i, n - i) * (load_part(dy + i, n - i) - mean), n - i);
}

}  // namespace

void fill_reduce(SimdKernels& t) {
  t.reduce[static_cast<int>(Reduce::kSum)] = reduce<Sum>;
  t.reduce[static_cast<int>(Reduce::kMax)] = reduce<Max>;
  t.reduce[static_cast<int>(Reduce::kMin)] = reduce<Min>;
  t.reduce[static_cast<int>(Reduce::kSumOfSquares)] = reduce<SumOfSquares>;
  t.axpy = axpy;
  t.row_softmax = row_softmax;
  t.row_log_softmax = row_log_softmax;
  t.exponents = exponents;
  t.sum_of_exponents = sum_of_exponents;
  t.scaled_exponents = scaled_exponents;
  t.softmax_gradient = softmax_gradient;
}

}  // namespace ramet::cpu::RAMET_SIMD
