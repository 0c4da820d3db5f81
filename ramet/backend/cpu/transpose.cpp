#include "ramet/backend/cpu/transpose.h"

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {

int transpose_parts(const Transpose& t, int threads) {
  return parts_for(static_cast<double>(t.rows) * static_cast<double>(t.columns), ceil_div(t.rows, simd().lanes),
                   threads);
}

void transpose_part(const Transpose& t, int part, int parts) {
  simd().transpose(t, t.rows * part / parts, t.rows * (part + 1) / parts);
}

}  // namespace ramet::cpu
