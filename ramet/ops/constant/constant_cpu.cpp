#include <cstring>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/constant/constant.h"

namespace ramet::cpu {
namespace {

// The planner keeps constants outside the steps; this kernel serves the plain interpreter.
Step make_constant(const Site& site) {
  return make_step(site.attrs<ops::ConstantAttrs>(), [](const ops::ConstantAttrs& a, const Buffers& b) {
    std::memcpy(b.out[0], a.value.raw(), a.value.byte_size());
  });
}

struct IotaArgs {
  std::int64_t outer, size, inner;
};

Step make_iota(const Site& site) {
  const auto& a = site.attrs<ops::IotaAttrs>();
  IotaArgs args{1, a.shape[static_cast<std::size_t>(a.axis)], 1};
  for (std::size_t i = 0; i < a.shape.size(); ++i)
    (static_cast<std::int64_t>(i) < a.axis   ? args.outer
     : static_cast<std::int64_t>(i) > a.axis ? args.inner
                                             : args.outer) *= static_cast<std::int64_t>(i) == a.axis ? 1 : a.shape[i];
  return visit_dtype(site.out().dtype, [&](auto zero) {
    return make_step(args, [](const IotaArgs& a, const Buffers& b) {
      using T = decltype(zero);
      T* y = b.output<T>(0);
      for (std::int64_t o = 0; o < a.outer; ++o)
        for (std::int64_t i = 0; i < a.size; ++i)
          for (std::int64_t k = 0; k < a.inner; ++k) *y++ = static_cast<T>(i);
    });
  });
}

}  // namespace

void add_constant_kernels(KernelList& list) {
  list.push_back({&ops::constant_op, "ref_constant", always, make_constant});
  list.push_back({&ops::iota_op, "ref_iota", always, make_iota});
}

}  // namespace ramet::cpu
