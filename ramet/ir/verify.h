// Checks that a program is well formed: every value defined before it is used, specs as the ops infer them, outputs and
// state in place. Run after every pass.
#pragma once
#include <string_view>

#include "ramet/ir/program.h"

namespace ramet {

// InternalError naming `after` (the pass that ran last) when something is wrong.
void verify(const Program& program, std::string_view after);

}  // namespace ramet
