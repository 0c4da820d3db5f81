// The logarithm of one class's probability per row, and its gradient, without a matrix of all probabilities: what
// cross-entropy with labels asks of logits.
//
//   y[…] = log_softmax(x)[…, index[…]]
#pragma once
#include "ramet/ops/index/index.h"

namespace ramet::ops {

// Inputs: x […, classes], index […]. Results: y […], and for the gradient max x and Σ exp(x - max x) […, 2].
extern const OpDef log_softmax_at_op;
// Inputs: x, index, the second result, dy. Result: dx = dy (one_hot(index) - softmax(x)). Has no gradient itself.
extern const OpDef log_softmax_at_grad_op;

// An index out of range is a DataError at run time that calls it `what`.
Value log_softmax_at(Value x, Value index, std::string what = "index");

}  // namespace ramet::ops
