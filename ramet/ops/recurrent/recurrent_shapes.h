// What the records of lstm and gru share.
#pragma once
#include "ramet/ops/recurrent/recurrent.h"

namespace ramet::ops {

struct RecurrentSizes {
  std::int64_t batch, steps, units;
  Spec state(DType dtype) const { return {{batch, units}, dtype}; }
  Spec sequence(DType dtype, std::int64_t blocks = 1) const { return {{batch, steps, blocks * units}, dtype}; }
};

// Sizes from x or the gates, `blocks` wide; InternalError when they are none.
inline RecurrentSizes recurrent_sizes(std::string_view op, const Spec& x, std::int64_t blocks) {
  ensure(x.rank() == 3 && x.dim(2) % blocks == 0 && (x.dtype == DType::f32 || x.dtype == DType::f64), op, ": got ", x);
  return {x.dim(0), x.dim(1), x.dim(2) / blocks};
}

inline void expect_specs(std::string_view op, std::span<const Spec> in, const std::vector<Spec>& expected) {
  ensure(in.size() == expected.size(), op, ": has ", expected.size(), " inputs; got ", in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    ensure(in[i] == expected[i], op, ": input ", i, " is ", in[i], ", not ", expected[i]);
}

// The gradient of U, given that of the recurrent products: the sum over all rows and steps of hᵀ d, as one product.
Value recurrent_kernel_gradient(Value h_entered, Value d);

}  // namespace ramet::ops
