// What is cheaper to compute again than to keep in memory.
#pragma once
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::passes {

inline bool is_cheap(const OpDef& op) {
  return &op == &ops::add_op || &op == &ops::sub_op || &op == &ops::mul_op || &op == &ops::div_op;
}

// bfloat16 to float32: of the two it is the smaller that is worth keeping.
inline bool is_widening(const Program& program, const Instr& instr) {
  return instr.op == &ops::cast_op && program.spec(instr.inputs[0]).dtype == DType::bf16 &&
         program.spec(instr.results[0]).dtype == DType::f32;
}

}  // namespace ramet::passes
