// How the table of one instruction set is put together; for *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/simd_kernels.h"

namespace ramet::cpu::RAMET_SIMD {

void fill_unary(SimdKernels& table);
void fill_binary(SimdKernels& table);
void fill_loops(SimdKernels& table);
void fill_brain(SimdKernels& table);
void fill_reduce(SimdKernels& table);
void fill_moments(SimdKernels& table);
void fill_gemm(SimdKernels& table);
void fill_gemm_f64(SimdKernels& table);
void fill_conv(SimdKernels& table);
void fill_conv_input_grad(SimdKernels& table);
void fill_depthwise(SimdKernels& table);
void fill_depthwise_kernel_grad(SimdKernels& table);
void fill_pool(SimdKernels& table);
void fill_recurrent(SimdKernels& table);
void fill_recurrent_grad(SimdKernels& table);
void fill_transpose(SimdKernels& table);

const SimdKernels& kernels();

}  // namespace ramet::cpu::RAMET_SIMD
