// Products by a packed B of brain floats. For *_simd.cpp files only.
//
// Panels and blocks lie as those of floats (pack_panels), but the columns of a panel alternate between its two vectors:
// column i, column kLanes + i, column i + 1 … One load then gives a row of the panel, a shift and a mask its floats.
#pragma once
#include "ramet/backend/cpu/gemm.h"

namespace ramet::cpu::RAMET_SIMD {

void pack_brain_panels(const std::uint16_t* b, std::int64_t ldb, bool transposed, std::int64_t k, std::int64_t n,
                       std::uint16_t* packed);
// A panel of k steps as floats in the order of their columns.
void widen_panel(const std::uint16_t* packed, std::int64_t k, float* out);
// One row of C, columns [column_begin, column_end); column_begin is a multiple of kPanel.
void multiply_brain_row(const Gemm& g, std::int64_t column_begin, std::int64_t column_end);

}  // namespace ramet::cpu::RAMET_SIMD
