// The row's exponentials are added up and made again for the gradient; nothing of the size of x is kept.
#include <cmath>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/simd_kernels.h"
#include "ramet/ops/index/checked_index.h"
#include "ramet/ops/softmax/log_softmax_at.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t rows, size, rows_per_part;
  std::string what;
};

// The largest element of a row and the sum of the exponentials below it.
template <class T>
struct Sum {
  T top, sum;
};

// The plain way: sums in double.
template <class T>
Sum<T> sum_of(const T* x, std::int64_t n) {
  double top = -INFINITY, sum = 0;
  for (std::int64_t i = 0; i < n; ++i) top = std::max(top, static_cast<double>(x[i]));
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[i]) - top);
  return {static_cast<T>(top), static_cast<T>(sum)};
}
template <class T>
void exponents(const T* x, T* y, std::int64_t n, T top, T factor) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = factor * std::exp(x[i] - top);
}

// By vectors.
Sum<float> fast_sum_of(const float* x, std::int64_t n) {
  Sum<float> s{};
  s.sum = simd().sum_of_exponents(x, static_cast<std::size_t>(n), &s.top);
  return s;
}
void fast_exponents(const float* x, float* y, std::int64_t n, float top, float factor) {
  simd().scaled_exponents(x, y, static_cast<std::size_t>(n), top, factor);
}

template <class Rows>
void over_rows(const Args& a, const Buffers& b, Rows rows) {
  const auto parts = static_cast<int>((a.rows + a.rows_per_part - 1) / a.rows_per_part);
  b.pool.parallel_for(parts, [&](int p) { rows(p * a.rows_per_part, std::min(a.rows, (p + 1) * a.rows_per_part)); });
}

// Indices are checked before anything runs on other threads, where nothing may throw.
template <class I>
void check(const Args& a, const I* index) {
  for (std::int64_t r = 0; r < a.rows; ++r) checked_index(index[r], a.size, a.what);
}

template <class T, class I, auto sum>
void forward(const Args& a, const Buffers& b) {
  const I* index = b.input<I>(1);
  check(a, index);
  over_rows(a, b, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const T* x = b.input<T>(0) + r * a.size;
      const Sum<T> s = sum(x, a.size);
      if (b.output<T>(0)) b.output<T>(0)[r] = x[index[r]] - s.top - std::log(s.sum);
      if (b.output<T>(1)) b.output<T>(1)[2 * r] = s.top, b.output<T>(1)[2 * r + 1] = s.sum;
    }
  });
}

template <class T, class I, auto scaled>
void gradient(const Args& a, const Buffers& b) {
  const I* index = b.input<I>(1);
  check(a, index);
  over_rows(a, b, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      T* dx = b.output<T>(0) + r * a.size;
      const T dy = b.input<T>(3)[r], *kept = b.input<T>(2) + 2 * r;
      scaled(b.input<T>(0) + r * a.size, dx, a.size, kept[0], -dy / kept[1]);
      dx[index[r]] += dy;
    }
  });
}

template <class T, class I, bool backward, bool fast>
Step step_for(const Args& args) {
  return make_step(args, [](const Args& a, const Buffers& b) {
    if constexpr (backward && fast)
      gradient<T, I, fast_exponents>(a, b);
    else if constexpr (backward)
      gradient<T, I, exponents<T>>(a, b);
    else if constexpr (fast)
      forward<T, I, fast_sum_of>(a, b);
    else
      forward<T, I, sum_of<T>>(a, b);
  });
}

template <bool backward, bool fast>
Step make(const Site& site) {
  const std::int64_t size = site.in(0).dim(-1), rows = element_count(site.in(1).shape);
  const Args args{rows, size, fast ? std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(size, 1)) : rows + 1,
                  site.attrs<ops::GatherAttrs>().what};
  const bool wide = site.in(1).dtype == DType::i64;
  const auto with = [&]<class T>(T) {
    constexpr bool vectors = fast && std::is_same_v<T, float>;
    return wide ? step_for<T, std::int64_t, backward, vectors>(args)
                : step_for<T, std::int32_t, backward, vectors>(args);
  };
  return site.in(0).dtype == DType::f64 ? with(double{}) : with(float{});
}

bool is_f32(const Site& site) { return site.in(0).dtype == DType::f32 && site.in(0).dim(-1) > 0; }

}  // namespace

void add_log_softmax_at_kernels(KernelList& list) {
  list.push_back({&ops::log_softmax_at_op, "vector_softmax", is_f32, make<false, true>, false});
  list.push_back({&ops::log_softmax_at_grad_op, "vector_softmax", is_f32, make<true, true>, false});
  list.push_back({&ops::log_softmax_at_op, "ref_softmax", always, make<false, false>});
  list.push_back({&ops::log_softmax_at_grad_op, "ref_softmax", always, make<true, false>});
}

}  // namespace ramet::cpu
