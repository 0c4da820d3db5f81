// Passes tested by text: what a program becomes.
#pragma once
#include <string>

#include "ramet/ir/text.h"
#include "ramet/ir/verify.h"
#include "ramet/ops/op_list.h"
#include "ramet/passes/passes.h"

namespace ramet::testing {

// A program written by hand, as it prints: values numbered in order, inputs first.
inline std::string written(std::string_view text) { return to_text(*parse_program(text, ops::find_op)); }

// The program after the pass, as text; "unchanged" when the pass says so.
inline std::string after(std::unique_ptr<Program> (*pass)(const Program&, const PassOptions&), std::string_view text,
                         const PassOptions& options = {}) {
  const auto program = parse_program(text, ops::find_op);
  const auto changed = pass(*program, options);
  if (!changed) return "unchanged";
  verify(*changed, "the pass");
  return written(to_text(*changed));
}

}  // namespace ramet::testing
