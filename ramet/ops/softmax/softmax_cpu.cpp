#include <cmath>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/softmax/softmax.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t rows, size;
};

template <bool logarithm>
Step make(const Site& site) {
  const auto size = site.out().dim(-1);
  const Args args{size ? element_count(site.out().shape) / size : 0, size};
  const auto step = [&](auto zero) {
    return make_step(args, [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      for (std::int64_t r = 0; r < a.rows; ++r) {
        const T* x = b.input<T>(0) + r * a.size;
        T* y = b.output<T>(0) + r * a.size;
        T top = x[0];
        for (std::int64_t i = 1; i < a.size; ++i) top = x[i] > top ? x[i] : top;
        double sum = 0;
        for (std::int64_t i = 0; i < a.size; ++i) sum += std::exp(static_cast<double>(x[i]) - static_cast<double>(top));
        for (std::int64_t i = 0; i < a.size; ++i) {
          const double shifted = static_cast<double>(x[i]) - static_cast<double>(top);
          y[i] = static_cast<T>(logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
        }
      }
    });
  };
  return site.out().dtype == DType::f64 ? step(double{}) : step(float{});
}

}  // namespace

void add_softmax_kernels(KernelList& list) {
  list.push_back({&ops::softmax_op, "ref_softmax", always, make<false>});
  list.push_back({&ops::log_softmax_op, "ref_softmax", always, make<true>});
}

}  // namespace ramet::cpu
