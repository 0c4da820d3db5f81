// Copies of a matrix in the order a tile reads it. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/gemm_tile.h"

namespace ramet::cpu::RAMET_SIMD {

// out[k * stride + i] = from[i * ld + k] for i < count; zero for count <= i < stride.
void pack_transposed(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride);
// out[k * stride + i] = from[k * ld + i] for i < count; zero for count <= i < stride.
void pack_straight(const float* from, std::int64_t ld, int count, std::int64_t k, float* out, int stride);

}  // namespace ramet::cpu::RAMET_SIMD
