// Softmax by the vector kernel, float32.
#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/simd_kernels.h"
#include "ramet/ops/softmax/softmax.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t rows, size, rows_per_part;
};

using Rows = void (*)(const float* x, float* y, std::size_t rows, std::size_t n);

template <Rows SimdKernels::*kernel>
Step make_softmax(const Site& site) {
  const auto size = site.out().dim(-1), rows = element_count(site.out().shape) / size;
  return make_step(Args{rows, size, std::max<std::int64_t>(1, 8192 / size)}, [](const Args& a, const Buffers& b) {
    const auto parts = static_cast<int>((a.rows + a.rows_per_part - 1) / a.rows_per_part);
    b.pool.parallel_for(parts, [&](int p) {
      const auto begin = p * a.rows_per_part, end = std::min(a.rows, begin + a.rows_per_part);
      (simd().*kernel)(b.input<float>(0) + begin * a.size, b.output<float>(0) + begin * a.size,
                       static_cast<std::size_t>(end - begin), static_cast<std::size_t>(a.size));
    });
  });
}

bool supported(const Site& site) { return site.out().dtype == DType::f32 && element_count(site.out().shape) > 0; }

}  // namespace

void add_fast_softmax_kernels(KernelList& list) {
  list.push_back({&ops::softmax_op, "vector_softmax", supported, make_softmax<&SimdKernels::row_softmax>, false});
  list.push_back(
      {&ops::log_softmax_op, "vector_softmax", supported, make_softmax<&SimdKernels::row_log_softmax>, false});
}

}  // namespace ramet::cpu
