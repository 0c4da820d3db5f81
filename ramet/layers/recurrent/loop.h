// A loop over time whose step is written as layers are: weights are used where they are needed, and become constants of
// the loop. Where a step changes a variable (moving statistics, a seed) the variable is carried from step to step;
// losses are summed over the steps.
#pragma once
#include "ramet/graph/trace.h"
#include "ramet/ops/scan/scan.h"

namespace ramet::layers {

// `step(trace, carries, x_t, constants)` emits one step into `trace.program` and returns the next carries and the
// step's outputs.
using LoopStep =
    std::function<ops::ScanResult(Trace& trace, const Values& carries, const Values& x, const Values& constants)>;

// As ops::scan. `step` is called twice: once to see which variables it uses. REQUIRES: length > 0, at least one carry.
ops::ScanResult loop(Trace& trace, const Values& carries, const Values& sequences, const Values& constants,
                     std::int64_t length, bool reverse, const LoopStep& step);

}  // namespace ramet::layers
