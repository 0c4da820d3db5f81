// Mean and variance together: what normalization begins with. One op, because the variance's gradient needs no way
// through the mean (Σ (x - mean) is zero) and one reading of x is enough for both.
#pragma once
#include "ramet/ops/reduce/reduce.h"

namespace ramet::ops {

// Results: mean and variance (of the whole, divided by n), both without the reduced axes.
extern const OpDef moments_op;  // ReduceAttrs

struct Moments {
  Value mean, variance;  // reduced axes kept with size 1
};
Moments moments(Value x, Axes axes);

}  // namespace ramet::ops
