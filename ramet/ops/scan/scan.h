// A loop over the first axis of sequences, holding its body as a program.
//
//   carry₀ → body(carry, x_t, constants) → carry', y_t      for t = 0 … length-1 (or back, with reverse)
//
// Inputs of the op: carries, sequences [length, …], constants. Inputs of the body: carries, x_t, constants. Outputs of
// the body: carries, y_t. Results: last carries, ys [length, …], and the carries that entered each step [length, …],
// which the gradient needs; the planner drops results that nobody reads.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct ScanAttrs {
  std::int64_t length = 0, carries = 0, sequences = 0;
  bool reverse = false;
  std::shared_ptr<const Program> body;
};
extern const OpDef scan_op;

struct ScanResult {
  Values carries, outputs;
};
// `step(body, carries, x_t, constants)` emits one step into `body` and returns the next carries and the step's outputs.
using ScanStep =
    std::function<ScanResult(Program& body, const Values& carries, const Values& x, const Values& constants)>;
ScanResult scan(const Values& carries, const Values& sequences, const Values& constants, std::int64_t length,
                bool reverse, const ScanStep& step);

}  // namespace ramet::ops
