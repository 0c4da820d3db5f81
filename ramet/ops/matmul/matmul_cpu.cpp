#include "ramet/ops/matmul/matmul.h"

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/reference.h"

namespace ramet::cpu {
namespace {

struct Args {
  Shape batch, a_batch, b_batch;  // shape of the batch axes, and the operands' steps along them
  std::int64_t m, n, k, a_row, a_col, b_row, b_col;
};

Shape lead(const Shape& s) { return Shape(s.begin(), s.end() - 2); }

// Steps along the batch axes, in elements of the whole operand.
Shape batch_strides(const Shape& shape, const Shape& batch) {
  Shape steps = broadcast_strides(lead(shape), batch);
  for (auto& step : steps) step *= shape.end()[-1] * shape.end()[-2];
  return steps;
}

Args make_args(const Site& site) {
  const auto& at = site.attrs<ops::MatmulAttrs>();
  const Shape &a = site.in(0).shape, &b = site.in(1).shape, &y = site.out().shape;
  const Shape batch = lead(y);
  return {batch, batch_strides(a, batch), batch_strides(b, batch), y.end()[-2], y.end()[-1], at.transpose_a ? a.end()[-2] : a.end()[-1],
          at.transpose_a ? 1 : a.end()[-1], at.transpose_a ? a.end()[-1] : 1, at.transpose_b ? 1 : b.end()[-1], at.transpose_b ? b.end()[-1] : 1};
}

// Sums in double, so that comparing with it measures the other kernel's rounding.
template <class T>
void ref_run(const Args& args, const Buffers& buffers) {
  const T *a = buffers.input<T>(0), *b = buffers.input<T>(1);
  T* y = buffers.output<T>(0);
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  walk<2>(args.batch, {args.a_batch, args.b_batch}, [&](std::int64_t batch, const auto& at) {
    for (std::int64_t i = 0; i < args.m; ++i)
      for (std::int64_t j = 0; j < args.n; ++j) {
        Sum sum = 0;
        for (std::int64_t k = 0; k < args.k; ++k)
          sum = static_cast<Sum>(sum + static_cast<Sum>(a[at[0] + i * args.a_row + k * args.a_col]) * static_cast<Sum>(b[at[1] + k * args.b_row + j * args.b_col]));
        y[(batch * args.m + i) * args.n + j] = static_cast<T>(sum);
      }
  });
}

Step make_ref(const Site& site) {
  return visit_dtype(site.out().dtype, [&](auto zero) -> Step {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) throw UsageError("matmul is not defined for bool");
    else return make_step(make_args(site), [](const Args& a, const Buffers& b) { ref_run<T>(a, b); });
  });
}

}  // namespace

void add_matmul_kernels(KernelList& list) { list.push_back({&ops::matmul_op, "ref_matmul", always, make_ref}); }

}  // namespace ramet::cpu
