// C = op(A) op(B) [+ C], row-major, f32 with an epilogue and f64 without. Nothing here allocates: the caller gives
// scratch and decides which thread runs which part. Also read by code compiled for AVX-512: plain data only.
#pragma once
#include <cstddef>
#include <cstdint>

#include "ramet/backend/cpu/pointwise_ops.h"

namespace ramet::cpu {

// What happens to a finished element: C = min(activation(product + bias + residual), ceiling).
struct GemmEpilogue {
  const float* bias = nullptr;       // n elements, one per column
  int activation = 0;                // a Unary; 0 none, 1 relu, 2 sigmoid, 3 tanh are the cheap ones
  const float* residual = nullptr;   // laid out like C and not overlapping it
  float ceiling = __builtin_inff();  // 6 with relu is relu6
};

struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;  // m x k, or k x m when trans_a
  std::int64_t lda = 0;
  bool trans_a = false;
  const float* b = nullptr;  // k x n, or n x k when trans_b; unused when packed_b is given
  std::int64_t ldb = 0;
  bool trans_b = false;
  const float* packed_b = nullptr;              // op(B) packed by pack_b under the same CPU target
  const std::uint16_t* packed_brain = nullptr;  // the same of brain floats, by pack_b_brain
  float* c = nullptr;                           // m x n
  std::int64_t ldc = 0;
  bool accumulate = false;  // add to what C holds
  GemmEpilogue epilogue = {};
};

// Floats that pack_b writes. The layout depends on the CPU target: never store it in a file.
std::size_t packed_b_size(std::int64_t k, std::int64_t n);
void pack_b(const float* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n, float* packed);

// The same for a B of brain floats, given by their bits: half the memory to read, which is what one row costs. As many
// elements; REQUIRES: n > kFewColumns, for fewer are not packed by panels.
inline constexpr std::int64_t kFewColumns = 4;
void pack_b_brain(const std::uint16_t* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n,
                  std::uint16_t* packed);

// Bytes of scratch for one part; every part running at the same time needs its own.
std::size_t gemm_scratch(const Gemm& gemm);
// How many parts are worth making for so many threads; C is cut by rows and columns, never along k.
int gemm_parts(const Gemm& gemm, int threads);
// Computes one part. The bits of C do not depend on `parts`. k = 0 gives the epilogue of 0 (or of C).
void gemm_part(const Gemm& gemm, int part, int parts, void* scratch);

struct GemmF64 {
  std::int64_t m = 0, n = 0, k = 0;
  const double* a = nullptr;
  std::int64_t lda = 0;
  bool trans_a = false;
  const double* b = nullptr;
  std::int64_t ldb = 0;
  bool trans_b = false;
  double* c = nullptr;
  std::int64_t ldc = 0;
  bool accumulate = false;
};

// Needs no scratch; parts cut C by rows.
int gemm_parts(const GemmF64& gemm, int threads);
void gemm_part(const GemmF64& gemm, int part, int parts);

}  // namespace ramet::cpu
