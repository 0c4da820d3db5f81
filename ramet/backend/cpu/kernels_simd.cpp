#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {

const SimdKernels& kernels() {
  static const SimdKernels table = [] {
    SimdKernels t{};
    t.lanes = kLanes;
    fill_unary(t);
    fill_binary(t);
    fill_loops(t);
    fill_brain(t);
    fill_moments(t);
    fill_reduce(t);
    fill_gemm(t);
    fill_gemm_f64(t);
    fill_conv(t);
    fill_conv_input_grad(t);
    fill_depthwise(t);
    fill_depthwise_kernel_grad(t);
    fill_pool(t);
    fill_recurrent(t);
    fill_recurrent_grad(t);
    fill_transpose(t);
    return t;
  }();
  return table;
}

}  // namespace ramet::cpu::RAMET_SIMD
