// Arithmetic of an instruction, counted from its shapes: what a profile divides by the time.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

// Multiplications and additions. Pointwise work and moves count one per element of the result.
double flops(const Program& program, const Instr& instr);

}  // namespace ramet::ops
