// Reductions over contiguous floats. Every instruction set adds in the same order: 32 running sums, folded in halves,
// in chunks that are joined pairwise. So a sum's bits depend on n alone, and its error grows with log n.
#include "ramet/backend/cpu/simd_fold.h"
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
  static Vec join(Vec a, Vec b) { return a + b; }
};
struct SumOfSquares {
  static constexpr float kEmpty = 0.0f;
  static Vec step(Vec sum, Vec x) { return sum + x * x; }
  static Vec join(Vec a, Vec b) { return a + b; }
};
struct Max {
  static constexpr float kEmpty = -kInf;
  static Vec step(Vec most, Vec x) { return maximum(most, x); }
  static Vec join(Vec a, Vec b) { return maximum(a, b); }
};
struct Min {
  static constexpr float kEmpty = kInf;
  static Vec step(Vec least, Vec x) { return minimum(least, x); }
  static Vec join(Vec a, Vec b) { return minimum(a, b); }
};

// Of elements [begin, begin + n); read(i, count) gives `count` of them from i on, and anything in the lanes beyond.
template <class Op, class Read>
float reduce_chunk(std::size_t begin, std::size_t n, Read read) {
  Vec running[kVecs];
#pragma GCC unroll 8
  for (int v = 0; v < kVecs; ++v) running[v] = splat(Op::kEmpty);
  std::size_t i = 0;
  for (; i + kRunning <= n; i += kRunning) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) running[v] = Op::step(running[v], read(begin + i + v * kLanes, kLanes));
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVecs; ++v, i += kLanes) {
    if (i >= n) break;
    const std::size_t count = n - i < kLanes ? n - i : kLanes;
    const Vec x = read(begin + i, count);
    running[v] = Op::step(running[v], count < kLanes ? first_lanes(x, count, Op::kEmpty) : x);
  }
  return fold(running, Op::join);
}

template <class Op, class Read>
float reduce(std::size_t begin, std::size_t n, Read read) {
  if (n <= kChunk) return reduce_chunk<Op>(begin, n, read);
  const std::size_t chunks = (n + kChunk - 1) / kChunk, left = (chunks + 1) / 2 * kChunk;
  return Op::join(splat(reduce<Op>(begin, left, read)), splat(reduce<Op>(begin + left, n - left, read)))[0];
}

template <class Op>
float reduce(const float* x, std::size_t n) {
  return reduce<Op>(0, n, [x](std::size_t i, std::size_t count) { return load_some(x + i, count); });
}

// y = exp(x - top); gives their sum.
float exponents_below(const float* x, float* y, std::size_t n, Vec top) {
  return reduce<Sum>(0, n, [=](std::size_t i, std::size_t count) {
    const Vec e = exp(load_some(x + i, count) - top);
    store_some(y + i, e, count);
    return e;
  });
}

// The sum alone.
float sum_below(const float* x, std::size_t n, Vec top) {
  return reduce<Sum>(0, n, [=](std::size_t i, std::size_t count) { return exp(load_some(x + i, count) - top); });
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
    const Vec scale = splat(1.0f / exponents_below(x, y, n, splat(reduce<Max>(x, n))));
    each_vector(y, y, n, [&](Vec v) { return v * scale; });
  }
}

// y = x - max - log(sum of exp(x - max)), row by row.
void row_log_softmax(const float* x, float* y, std::size_t rows, std::size_t n) {
  for (std::size_t r = 0; r < rows; ++r, x += n, y += n) {
    const Vec most = splat(reduce<Max>(x, n));
    const Vec size = log(splat(sum_below(x, n, most)));
    each_vector(x, y, n, [&](Vec v) { return v - most - size; });
  }
}

// x = exp(x - max); gives their sum and the max.
float exponents(float* x, std::size_t n, float* top) {
  *top = reduce<Max>(x, n);
  return exponents_below(x, x, n, splat(*top));
}

float sum_of_exponents(const float* x, std::size_t n, float* top) {
  *top = reduce<Max>(x, n);
  return sum_below(x, n, splat(*top));
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
  const Vec mean = splat(fold_lanes(sum, add));
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
