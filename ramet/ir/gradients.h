// Reverse mode. Declared here, beside the op records, because `scan` differentiates its body with it; the rules and the
// walk are in ramet/autodiff.
#pragma once
#include "ramet/ir/program.h"

namespace ramet {

// Gradients of Σ ys·dys with respect to xs, emitted into the program of the ys. All ys, dys and xs are floating values
// of one program. An x that no y depends on gets an undefined value.
Values gradients(std::span<const Value> ys, std::span<const Value> dys, std::span<const Value> xs);

// Emits the instructions of `body` into `into` with `inputs` in place of its inputs; returns what its outputs became.
Values inline_program(const Program& body, Program& into, std::span<const Value> inputs);

}  // namespace ramet
