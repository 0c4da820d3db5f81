// Reductions over axes, and the place of the extremum.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct ReduceAttrs {
  std::vector<std::int64_t> axes;  // ascending, from the front
  static constexpr auto fields = Fields{field("axes", &ReduceAttrs::axes)};
};
struct ArgAttrs {
  std::int64_t axis = 0;
  static constexpr auto fields = Fields{field("axis", &ArgAttrs::axis)};
};
extern const OpDef reduce_sum_op, reduce_max_op, reduce_min_op, reduce_prod_op, argmax_op, argmin_op;

using Axes = std::vector<std::int64_t>;  // negative ones count from the end

Value reduce_sum(Value x, Axes axes, bool keepdims = false);
Value reduce_max(Value x, Axes axes, bool keepdims = false);  // of booleans: any
Value reduce_min(Value x, Axes axes, bool keepdims = false);  // of booleans: all
Value reduce_prod(Value x, Axes axes, bool keepdims = false);
Value reduce_mean(Value x, Axes axes, bool keepdims = false);
Value argmax(Value x, int axis);  // int32; the first of equals
Value argmin(Value x, int axis);
Axes all_axes(Value x);

}  // namespace ramet::ops
