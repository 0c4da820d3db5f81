#include <algorithm>
#include <cstring>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/reference.h"
#include "ramet/ops/elementwise/scalar.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet::cpu {
namespace {

struct Args {
  Shape in, to;  // shape of the input; step in the result along each of its axes (0 where reduced)
  std::int64_t count;
};

Args make_args(const Site& site) {
  const auto& axes = site.attrs<ops::ReduceAttrs>().axes;
  const Shape &in = site.in(0).shape, dense = row_major_strides(site.out().shape);
  Shape to;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    to.push_back(std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) == axes.end() ? dense[kept++] : 0);
  return {in, to, element_count(site.out().shape)};
}

// Accumulates in double where the elements are floating.
template <class F, class T>
void run(const Args& args, const Buffers& buffers, T start) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  std::vector<Sum> sums(static_cast<std::size_t>(args.count), static_cast<Sum>(start));
  const T* x = buffers.input<T>(0);
  walk<1>(args.in, {args.to}, [&](std::int64_t i, const auto& at) {
    auto&& sum = sums[static_cast<std::size_t>(at[0])];
    sum = F{}(static_cast<Sum>(sum), static_cast<Sum>(x[i]));
  });
  T* y = buffers.output<T>(0);
  for (std::int64_t i = 0; i < args.count; ++i) y[i] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
}

template <class T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T highest() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::max();
}

enum class Kind { sum, max, min, prod };

template <Kind kind>
Step make(const Site& site) {
  return visit_dtype(site.in(0).dtype, [&](auto zero) {
    return make_step(make_args(site), [](const Args& args, const Buffers& buffers) {
      using T = decltype(zero);
      if constexpr (kind == Kind::sum)
        run<scalar::Add, T>(args, buffers, T(0));
      else if constexpr (kind == Kind::prod)
        run<scalar::Mul, T>(args, buffers, T(1));
      else if constexpr (kind == Kind::max)
        run<scalar::Maximum, T>(args, buffers, lowest<T>());
      else
        run<scalar::Minimum, T>(args, buffers, highest<T>());
    });
  });
}

struct ArgArgs {
  std::int64_t outer, size, inner;
};

template <bool largest>
Step make_arg(const Site& site) {
  const Shape& in = site.in(0).shape;
  const auto axis = static_cast<std::size_t>(site.attrs<ops::ArgAttrs>().axis);
  ArgArgs args{1, in[axis], 1};
  for (std::size_t i = 0; i < axis; ++i) args.outer *= in[i];
  for (std::size_t i = axis + 1; i < in.size(); ++i) args.inner *= in[i];
  return visit_dtype(site.in(0).dtype, [&](auto zero) {
    return make_step(args, [](const ArgArgs& a, const Buffers& b) {
      using T = decltype(zero);
      const T* x = b.input<T>(0);
      auto* y = b.output<std::int32_t>(0);
      for (std::int64_t o = 0; o < a.outer; ++o)
        for (std::int64_t k = 0; k < a.inner; ++k) {
          const T* row = x + o * a.size * a.inner + k;
          std::int64_t best = 0;
          for (std::int64_t i = 1; i < a.size; ++i) {
            const T candidate = row[i * a.inner], held = row[best * a.inner];
            if (held == held && (largest ? candidate > held : candidate < held || candidate != candidate))
              best = i;
            else if (held == held && candidate != candidate)
              best = i;  // NaN wins, as in NumPy
          }
          *y++ = static_cast<std::int32_t>(best);
        }
    });
  });
}

}  // namespace

void add_reduce_kernels(KernelList& list) {
  list.push_back({&ops::reduce_sum_op, "ref_reduce", always, make<Kind::sum>});
  list.push_back({&ops::reduce_max_op, "ref_reduce", always, make<Kind::max>});
  list.push_back({&ops::reduce_min_op, "ref_reduce", always, make<Kind::min>});
  list.push_back({&ops::reduce_prod_op, "ref_reduce", always, make<Kind::prod>});
  list.push_back({&ops::argmax_op, "ref_argmax", always, make_arg<true>});
  list.push_back({&ops::argmin_op, "ref_argmin", always, make_arg<false>});
}

}  // namespace ramet::cpu
