#include <algorithm>
#include <cstring>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/simd_kernels.h"
#include "ramet/backend/reference.h"
#include "ramet/ops/reduce/moments.h"

namespace ramet::cpu {
namespace {

// The input seen as [outer, reduced, inner].
struct Args {
  std::int64_t outer = 1, reduced = 1, inner = 1;
  // With an inner part: `fold` rows side by side are one, so that short rows fill vectors; rows are cut into chunks.
  // All by the shape alone, so that bits do not depend on the threads.
  std::int64_t fold = 1, rows = 1, width = 1, chunks = 1;
};

constexpr std::int64_t kLeastWidth = 64, kMostChunks = 32;
constexpr std::int64_t kBlock = 64;         // rows whose two passes hit the cache
constexpr std::int64_t kChunk = 64 * 1024;  // elements worth a part of their own

// So many numbers with this mean and this sum of squared distances from it.
struct Running {
  std::int64_t count;
  float *mean, *squares;
};

// Takes another set of numbers in, column by column.
void join(Running& a, std::int64_t count, const float* mean, const float* squares, std::int64_t columns) {
  const float share = static_cast<float>(count) / static_cast<float>(a.count + count),
              weight = share * static_cast<float>(a.count);
  for (std::int64_t i = 0; i < columns; ++i) {
    const float distance = mean[i] - a.mean[i];
    a.mean[i] += distance * share;
    a.squares[i] += squares[i] + distance * distance * weight;
  }
  a.count += count;
}

// Where result `which` is computed: a result that nobody reads has a place in the scratch only.
float* result_of(const Args& a, const Buffers& b, std::size_t which) {
  if (b.out[which]) return b.output<float>(which);
  return static_cast<float*>(b.scratch) + static_cast<std::int64_t>(which) * a.outer * a.inner;
}

void run_columns(const Args& a, const Buffers& b) {
  const auto place = [&](std::int64_t part) {
    return static_cast<float*>(b.scratch) + 2 * a.outer * a.inner + part * 2 * a.width;
  };
  for (std::int64_t o = 0; o < a.outer; ++o) {
    const float* x = b.input<float>(0) + o * a.reduced * a.inner;
    const auto first_row = [&](std::int64_t chunk) { return a.rows * chunk / a.chunks; };
    b.pool.parallel_for(static_cast<int>(a.chunks), [&](int chunk) {
      float *mean = place(chunk), *squares = mean + a.width;
      const std::int64_t begin = first_row(chunk), end = first_row(chunk + 1);
      for (auto r = begin; r < end; r += kBlock)
        simd().column_moments(x + r * a.width, std::min(kBlock, end - r), a.width, a.width, r - begin, mean, squares);
    });
    Running all{first_row(1), place(0), place(0) + a.width};
    for (std::int64_t chunk = 1; chunk < a.chunks; ++chunk)
      join(all, first_row(chunk + 1) - first_row(chunk), place(chunk), place(chunk) + a.width, a.width);
    Running result{a.rows, result_of(a, b, 0) + o * a.inner, result_of(a, b, 1) + o * a.inner};
    std::copy_n(all.mean, a.inner, result.mean);
    std::copy_n(all.squares, a.inner, result.squares);
    for (std::int64_t k = 1; k < a.fold; ++k)
      join(result, a.rows, all.mean + k * a.inner, all.squares + k * a.inner, a.inner);
    const std::int64_t done = a.rows * a.fold;
    if (done < a.reduced)
      simd().column_moments(x + done * a.inner, a.reduced - done, a.inner, a.inner, done, result.mean, result.squares);
    for (std::int64_t i = 0; i < a.inner; ++i) result.squares[i] /= static_cast<float>(a.reduced);
  }
}

void run_rows(const Args& a, const Buffers& b) {
  const std::int64_t per_part = std::max<std::int64_t>(1, 16384 / a.reduced);
  b.pool.parallel_for(static_cast<int>((a.outer + per_part - 1) / per_part), [&](int part) {
    const std::int64_t begin = part * per_part, end = std::min(a.outer, begin + per_part);
    simd().row_moments(b.input<float>(0) + begin * a.reduced, static_cast<std::size_t>(end - begin),
                       static_cast<std::size_t>(a.reduced), result_of(a, b, 0) + begin, result_of(a, b, 1) + begin);
  });
}

Step make_fast(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  Args a;
  for (std::size_t i = 0; i < site.in(0).rank(); ++i) {
    const auto axis = static_cast<std::int64_t>(i), size = site.in(0).shape[i];
    (axis < axes.front() ? a.outer : axis > axes.back() ? a.inner : a.reduced) *= size;
  }
  const std::int64_t results = 2 * a.outer * a.inner;
  const auto bytes = [](std::int64_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); };
  if (a.inner == 1)
    return make_step(
        a, [](const Args& args, const Buffers& b) { run_rows(args, b); }, bytes(results));
  a.fold = std::clamp<std::int64_t>(kLeastWidth / a.inner, 1, a.reduced);
  a.rows = a.reduced / a.fold, a.width = a.inner * a.fold;
  a.chunks = std::clamp<std::int64_t>(a.rows * a.width / kChunk, 1, std::min(a.rows, kMostChunks));
  return make_step(
      a, [](const Args& args, const Buffers& b) { run_columns(args, b); }, bytes(results + a.chunks * 2 * a.width));
}

bool supported(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  for (std::size_t i = 1; i < axes.size(); ++i)
    if (axes[i] != axes[i - 1] + 1) return false;
  return !axes.empty() && site.out().dtype == DType::f32 && element_count(site.in(0).shape) > 0;
}

// The plain way: two passes in double.
struct PlainArgs {
  Shape in, to;
  std::size_t results;
  double n;
};

Step make_plain(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  const Shape &in = site.in(0).shape, dense = row_major_strides(site.out().shape);
  PlainArgs args{in, {}, static_cast<std::size_t>(element_count(site.out().shape)), 1};
  std::size_t next = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    args.to.push_back(reduced ? 0 : dense[next++]);
    if (reduced) args.n *= static_cast<double>(in[i]);
  }
  const auto step = [&](auto zero) {
    return make_step(std::move(args), [](const PlainArgs& a, const Buffers& b) {
      using T = decltype(zero);
      std::vector<double> mean(a.results, 0.0), squares(a.results, 0.0);
      const T* x = b.input<T>(0);
      const auto each = [&](auto&& f) {
        walk<1>(a.in, {a.to},
                [&](std::int64_t i, const auto& at) { f(static_cast<std::size_t>(at[0]), static_cast<double>(x[i])); });
      };
      each([&](std::size_t r, double v) { mean[r] += v / a.n; });
      each([&](std::size_t r, double v) { squares[r] += (v - mean[r]) * (v - mean[r]); });
      for (std::size_t r = 0; r < a.results; ++r) {
        if (b.out[0]) b.output<T>(0)[r] = static_cast<T>(mean[r]);
        if (b.out[1]) b.output<T>(1)[r] = static_cast<T>(squares[r] / a.n);
      }
    });
  };
  return site.out().dtype == DType::f64 ? step(double{}) : step(float{});
}

}  // namespace

void add_moments_kernels(KernelList& list) {
  list.push_back({&ops::moments_op, "vector_moments", supported, make_fast, false});
  list.push_back({&ops::moments_op, "ref_moments", always, make_plain});
}

}  // namespace ramet::cpu
