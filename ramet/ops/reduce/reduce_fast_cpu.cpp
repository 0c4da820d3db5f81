// Reductions over neighbouring axes, the input seen as [outer, reduced, inner]: float32, and rows of booleans.
#include <algorithm>
#include <cstring>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/pointwise.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t outer = 1, reduced = 1, inner = 1;
  ReduceF32 row = nullptr;  // of a contiguous row
  BinaryF32 combine = nullptr;
  // With an inner part: rows are `fold` rows of the input side by side, so that short ones are not a call each; they
  // are cut into strips of columns and chunks of rows, each with sums of its own. All depends on the shape alone, so
  // that bits do not depend on the threads.
  std::int64_t fold = 1, rows = 1, width = 1, strips = 1, chunks = 1, parts = 1;
};

// Rows are summed in blocks and the blocks then added, which keeps the rounding of long sums small.
constexpr std::int64_t kBlock = 128;
// Columns handled at once, so that the running sums stay in the first cache.
constexpr std::int64_t kColumns = 1024;
constexpr std::int64_t kChunk = 64 * 1024;  // elements worth a part of their own
constexpr std::int64_t kMostParts = 64;

// Sums rows [first, last) of `n` columns into `to`; `block` is as large.
void sum_rows(const Args& a, const float* x, float* to, float* block, std::int64_t first, std::int64_t last,
              std::size_t n) {
  for (auto begin = first; begin < last; begin += kBlock) {
    float* sum = begin == first ? to : block;
    std::memcpy(sum, x + begin * a.width, n * sizeof(float));
    for (auto r = begin + 1; r < std::min(last, begin + kBlock); ++r) a.combine(sum, x + r * a.width, sum, n);
    if (begin != first) a.combine(to, block, to, n);
  }
}

// One strip of columns of one outer part.
struct Job {
  const float* x;
  float* y;
  std::size_t columns;
};

Job job_of(const Args& a, const Buffers& b, std::int64_t index) {
  const std::int64_t o = index / a.strips, column = index % a.strips * kColumns;
  return {b.input<float>(0) + o * a.reduced * a.inner + column, b.output<float>(0) + o * a.inner + column,
          static_cast<std::size_t>(std::min(kColumns, a.width - column))};
}

// The folded rows of `sum` and those that were left over.
void unfold(const Args& a, const Job& job, const float* sum) {
  const auto inner = static_cast<std::size_t>(a.inner);
  std::memcpy(job.y, sum, (a.fold > 1 ? inner : job.columns) * sizeof(float));
  if (a.fold == 1) return;
  for (std::int64_t k = 1; k < a.fold; ++k) a.combine(job.y, sum + k * a.inner, job.y, inner);
  for (std::int64_t r = a.rows * a.fold; r < a.reduced; ++r) a.combine(job.y, job.x + r * a.inner, job.y, inner);
}

void run_columns(const Args& a, const Buffers& b) {
  const auto place = [&](std::int64_t part) { return static_cast<float*>(b.scratch) + part * 2 * kColumns; };
  const std::int64_t jobs = a.outer * a.strips;
  b.pool.parallel_for(static_cast<int>(a.parts), [&](int part) {
    const bool shared = a.chunks > 1;  // several parts work on one job
    const std::int64_t chunk = shared ? part % a.chunks : 0;
    const std::int64_t first = shared ? part / a.chunks : jobs * part / a.parts,
                       last = shared ? first + 1 : jobs * (part + 1) / a.parts;
    for (std::int64_t j = first; j < last; ++j) {
      const Job job = job_of(a, b, j);
      sum_rows(a, job.x, place(part), place(part) + kColumns, a.rows * chunk / a.chunks,
               a.rows * (chunk + 1) / a.chunks, job.columns);
      if (!shared) unfold(a, job, place(part));
    }
  });
  for (std::int64_t j = 0; a.chunks > 1 && j < jobs; ++j) {
    const Job job = job_of(a, b, j);
    float* sum = place(j * a.chunks);
    for (std::int64_t chunk = 1; chunk < a.chunks; ++chunk)
      a.combine(sum, place(j * a.chunks + chunk), sum, job.columns);
    unfold(a, job, sum);
  }
}

void run_rows(const Args& a, const Buffers& b) {
  const float* x = b.input<float>(0);
  float* y = b.output<float>(0);
  const std::int64_t per_part = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(a.reduced, 1));
  const auto parts = static_cast<int>((a.outer + per_part - 1) / per_part);
  b.pool.parallel_for(parts, [&](int p) {
    for (std::int64_t o = p * per_part, end = std::min(a.outer, o + per_part); o < end; ++o)
      y[o] = a.row(x + o * a.reduced, static_cast<std::size_t>(a.reduced));
  });
}

Args make_args(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  Args a;
  for (std::size_t i = 0; i < site.in(0).rank(); ++i) {
    const auto axis = static_cast<std::int64_t>(i), size = site.in(0).shape[i];
    (axis < axes.front() ? a.outer : axis > axes.back() ? a.inner : a.reduced) *= size;
  }
  a.fold = std::clamp<std::int64_t>(kColumns / a.inner, 1, a.reduced);
  a.rows = a.reduced / a.fold, a.width = a.inner * a.fold;
  a.strips = (a.width + kColumns - 1) / kColumns;
  const std::int64_t jobs = a.outer * a.strips, most = std::min(a.rows, kMostParts / jobs);
  a.chunks =
      std::clamp<std::int64_t>(a.rows * std::min(a.width, kColumns) / kChunk, 1, std::max<std::int64_t>(most, 1));
  a.parts = a.chunks > 1 ? jobs * a.chunks : std::min(jobs, kMostParts);
  return a;
}

template <Reduce how, Binary with>
Step make(const Site& site) {
  Args a = make_args(site);
  a.row = reduce_f32(how);
  a.combine = binary_f32(with);
  if (a.inner == 1) return make_step(a, [](const Args& args, const Buffers& b) { run_rows(args, b); });
  const auto scratch = static_cast<std::size_t>(a.parts * 2 * kColumns) * sizeof(float);
  return make_step(
      a, [](const Args& args, const Buffers& b) { run_columns(args, b); }, scratch);
}

bool neighbours(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  for (std::size_t i = 1; i < axes.size(); ++i)
    if (axes[i] != axes[i - 1] + 1) return false;
  return !axes.empty() && element_count(site.in(0).shape) > 0;
}

bool supported(const Site& site) { return site.out().dtype == DType::f32 && neighbours(site); }

// Of booleans the largest is any, the smallest all.
template <bool any>
Step make_boolean(const Site& site) {
  return make_step(make_args(site), [](const Args& a, const Buffers& b) {
    const auto n = static_cast<std::size_t>(a.reduced);
    for (std::int64_t o = 0; o < a.outer; ++o)
      b.output<bool>(0)[o] = (std::memchr(b.input<bool>(0) + o * a.reduced, any ? 1 : 0, n) != nullptr) == any;
  });
}

bool boolean_rows(const Site& site) {
  return site.out().dtype == DType::boolean && neighbours(site) && make_args(site).inner == 1;
}

}  // namespace

void add_fast_reduce_kernels(KernelList& list) {
  list.push_back({&ops::reduce_max_op, "boolean_rows", boolean_rows, make_boolean<true>, false});
  list.push_back({&ops::reduce_min_op, "boolean_rows", boolean_rows, make_boolean<false>, false});
  list.push_back({&ops::reduce_sum_op, "vector_reduce", supported, make<Reduce::kSum, Binary::kAdd>, false});
  list.push_back({&ops::reduce_max_op, "vector_reduce", supported, make<Reduce::kMax, Binary::kMaximum>, false});
  list.push_back({&ops::reduce_min_op, "vector_reduce", supported, make<Reduce::kMin, Binary::kMinimum>, false});
}

}  // namespace ramet::cpu
