// Programs as text that reads back:
//
//   program(%0 "x" : f32[2, 3], state %1 "dense/kernel" : f32[3, 4]) {
//     %2 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
//     return %2 "y"
//   }
//
// State that leaves changed is written `return …, %5 -> %1`. A body stands in braces after the attributes.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "ramet/ir/program.h"

namespace ramet {

std::string to_text(const Program& program);

// DataError with the line where the text stops making sense. `find` gives the record of an op by name, or null
// (ops::find_op).
std::unique_ptr<Program> parse_program(std::string_view text,
                                       const std::function<const OpDef*(std::string_view)>& find);

inline std::ostream& operator<<(std::ostream& out, const Program& program) { return out << to_text(program); }

}  // namespace ramet
