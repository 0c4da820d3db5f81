// Pointwise loops and row reductions over contiguous elements, looked up once and called per tile.
#pragma once
#include "ramet/backend/cpu/simd_kernels.h"

namespace ramet::cpu {

// In place is allowed: y may be x, a or b. n may be 0.
UnaryF32 unary_f32(Unary op);
BinaryF32 binary_f32(Binary op, Operands operands = Operands::kFull);
CompareF32 compare_f32(Compare op, Operands operands = Operands::kFull);  // writes 0 or 1
SelectF32 select_f32(Operands operands = Operands::kFull);
ReduceF32 reduce_f32(Reduce op);  // of no elements: 0, -inf or +inf

// Several functions in one loop, with the bits of one loop each. A result may be an operand.
LoopF32 chain_f32(const Link* links, std::size_t count);  // 2 to kMostLinks links; of operands one more than links
LoopF32 choose_f32(Compare op);                           // y = compare(a, b) ? c : d
LoopF32 round_f32();                                      // y = the brain float nearest to a
LoopF32 descend_f32();                                    // y = a - b c / (sqrt(d) + e)
// Of g, m, a, v, b, w, c and e: m' = m + (g - m) a, v' = v + (g g - v) b and w' = w - m' c / (sqrt(v') + e).
LoopF32 adam_f32();
LoopF32 adam_of_rounded_f32();  // of the brain float nearest to g

// Floats to brain floats (their bits) and back; y is not x.
using NarrowF32 = void (*)(const float* x, std::uint16_t* y, std::size_t n);
using WidenF32 = void (*)(const std::uint16_t* x, float* y, std::size_t n);
NarrowF32 narrow_f32();
WidenF32 widen_f32();

// The same in double, one element at a time.
using UnaryF64 = void (*)(const double* x, double* y, std::size_t n);
using BinaryF64 = void (*)(const double* a, const double* b, double* y, std::size_t n);
UnaryF64 unary_f64(Unary op);
BinaryF64 binary_f64(Binary op, Operands operands = Operands::kFull);

}  // namespace ramet::cpu
