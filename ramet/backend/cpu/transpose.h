// y = x transposed, f32.
#pragma once
#include <cstdint>

namespace ramet::cpu {

struct Transpose {
  std::int64_t rows = 0, columns = 0;  // of x
  const float* x = nullptr;
  std::int64_t ldx = 0;
  float* y = nullptr;  // columns x rows, not overlapping x
  std::int64_t ldy = 0;
};

int transpose_parts(const Transpose& transpose, int threads);
void transpose_part(const Transpose& transpose, int part, int parts);

}  // namespace ramet::cpu
