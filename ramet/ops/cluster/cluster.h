// Pointwise instructions of one shape, run together tile by tile so that what flows between them stays in the first
// cache. Made by the cluster pass after differentiation; has no gradient of its own.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

// The body's instructions all give the same shape, but for sums of what they make; its inputs have that shape or
// broadcast to it. Results: the body's outputs.
struct ClusterAttrs {
  std::shared_ptr<const Program> body;
};
extern const OpDef cluster_op;

// Whether an instruction may be part of a cluster: pointwise, on float32 and bool, or from and to
// bfloat16.
bool can_cluster(const Program& program, const Instr& instr);

// Whether an instruction may sum what a cluster makes: over the last axis, or over all but that, with rows that fit a
// tile. Nothing in the cluster may read the sum.
bool can_end_cluster(const Program& program, const Instr& instr);

// Whether the body reads its input `input` after it has computed its output `output`: then they must not share memory.
bool reads_after(const Program& body, std::size_t input, std::size_t output);

}  // namespace ramet::ops
