// Convolutions with few filters, for which packing rows of the image would cost as much as multiplying them: the
// micro-kernel reads the image where it lies. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/conv_gather.h"
#include "ramet/backend/cpu/gemm_blocks.h"

namespace ramet::cpu::RAMET_SIMD {

// Forward and input gradient: C = gathered rows times packed B, with `columns` columns. Depends on the shape alone.
bool takes_direct(const Gather& g, std::int64_t columns);
std::size_t direct_scratch(const Gather& g);  // floats
void run_direct(const Gather& g, const Blocks& b, float* scratch);

// Kernel gradient: rows (tap, channel) of C, columns filter, and k runs over the output pixels of dy (= b.b.matrix).
bool takes_direct_kernel_grad(const Gather& g, std::int64_t filters);
std::size_t direct_kernel_grad_scratch(const Gather& g);
void run_direct_kernel_grad(const Gather& g, const Blocks& b, float* scratch);

}  // namespace ramet::cpu::RAMET_SIMD
