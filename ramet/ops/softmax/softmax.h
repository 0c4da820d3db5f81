// Softmax and its logarithm, computed with the row's maximum taken off.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

extern const OpDef softmax_op, log_softmax_op;  // over the last axis

Value softmax(Value x, int axis = -1);
Value log_softmax(Value x, int axis = -1);
Value logsumexp(Value x, std::vector<std::int64_t> axes, bool keepdims = false);

}  // namespace ramet::ops
