#include "ramet/backend/cpu/gemm_pack.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Groups of kLanes rows, in blocks of columns short enough that the lines of y they touch stay in L1 and the next group
// finds them there.
void transpose_rows(const Transpose& t, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kColumns = 64;
  for (std::int64_t c = 0; c < t.columns; c += kColumns) {
    const std::int64_t columns = t.columns - c < kColumns ? t.columns - c : kColumns;
    std::int64_t r = begin;
    while (r + 4 <= end) {
      const int count = r + kLanes <= end ? kLanes : 4;
      const float* line[kLanes];
      for (int i = 0; i < count; ++i) line[i] = t.x + (r + i) * t.ldx + c;
      pack_lines(line, count, columns, t.y + c * t.ldy + r, t.ldy);
      r += count;
    }
    for (; r < end; ++r) {
      for (std::int64_t i = 0; i < columns; ++i) t.y[(c + i) * t.ldy + r] = t.x[r * t.ldx + c + i];
    }
  }
}

}  // namespace

void fill_transpose(SimdKernels& table) { table.transpose = transpose_rows; }

}  // namespace ramet::cpu::RAMET_SIMD
