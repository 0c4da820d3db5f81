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
  float start = 0;
  std::int64_t blocks = 1;  // of kBlock rows each
};

// Rows are summed in blocks and the blocks then added, which keeps the rounding of long sums small. Blocks depend on
// the shape alone, so bits do not depend on the threads.
constexpr std::int64_t kBlock = 128;
// Columns handled at once, so that the running sums stay in the first cache.
constexpr std::int64_t kColumns = 1024;

void columns(const Args& a, const float* x, float* y, float* partial, std::int64_t begin, std::int64_t end) {
  const auto n = static_cast<std::size_t>(end - begin);
  for (std::int64_t block = 0; block < a.blocks; ++block) {
    float* to = block == 0 ? y + begin : partial;
    const auto first = block * kBlock, last = std::min(a.reduced, first + kBlock);
    std::memcpy(to, x + first * a.inner + begin, n * sizeof(float));
    for (auto r = first + 1; r < last; ++r) a.combine(to, x + r * a.inner + begin, to, n);
    if (block) a.combine(y + begin, partial, y + begin, n);
  }
}

void run(const Args& a, const Buffers& b) {
  const float* x = b.input<float>(0);
  float* y = b.output<float>(0);
  if (a.inner == 1) {
    const std::int64_t per_part = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(a.reduced, 1));
    const auto parts = static_cast<int>((a.outer + per_part - 1) / per_part);
    b.pool.parallel_for(parts, [&](int p) {
      for (std::int64_t o = p * per_part, end = std::min(a.outer, o + per_part); o < end; ++o)
        y[o] = a.row(x + o * a.reduced, static_cast<std::size_t>(a.reduced));
    });
    return;
  }
  const std::int64_t strips = (a.inner + kColumns - 1) / kColumns;
  const auto parts = static_cast<int>(a.outer * strips);
  auto* scratch = static_cast<float*>(b.scratch);
  const auto strip = [&](int p, float* partial) {
    const std::int64_t o = p / strips, begin = p % strips * kColumns;
    columns(a, x + o * a.reduced * a.inner, y + o * a.inner, partial, begin, std::min(a.inner, begin + kColumns));
  };
  // Parts share nothing but the scratch, which is per strip.
  b.pool.parallel_for(parts, [&](int p) { strip(p, scratch + static_cast<std::size_t>(p) * kColumns); });
}

Args make_args(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  Args a;
  for (std::size_t i = 0; i < site.in(0).rank(); ++i) {
    const auto axis = static_cast<std::int64_t>(i), size = site.in(0).shape[i];
    (axis < axes.front() ? a.outer : axis > axes.back() ? a.inner : a.reduced) *= size;
  }
  a.blocks = (a.reduced + kBlock - 1) / kBlock;
  return a;
}

template <Reduce how, Binary with>
Step make(const Site& site) {
  Args a = make_args(site);
  a.row = reduce_f32(how);
  a.combine = binary_f32(with);
  const std::int64_t strips = (a.inner + kColumns - 1) / kColumns;
  const std::size_t scratch =
      a.inner == 1 || a.blocks == 1 ? 0 : static_cast<std::size_t>(a.outer * strips * kColumns) * sizeof(float);
  return make_step(
      a, [](const Args& args, const Buffers& b) { run(args, b); }, scratch);
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
