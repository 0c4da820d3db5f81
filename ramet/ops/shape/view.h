// Results that are memory of the input, as it lies: reshapes, and slices that take whole rows in one piece.
#pragma once
#include "ramet/ir/program.h"

namespace ramet::ops {

bool is_view(const Program& program, const Instr& instr);
// Bytes from the start of the input to the start of the result. REQUIRES: is_view
std::size_t view_offset(const Program& program, const Instr& instr);
// The value that a view, or a view of a view, looks at; any other value is its own.
int viewed(const Program& program, int value);

}  // namespace ramet::ops
