#include "ramet/ops/reduce/reduce.h"

#include <algorithm>

#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const ReduceAttrs& a, std::span<const Spec> in) {
  Shape out;
  for (std::size_t i = 0; i < in[0].rank(); ++i)
    if (std::find(a.axes.begin(), a.axes.end(), static_cast<std::int64_t>(i)) == a.axes.end())
      out.push_back(in[0].shape[i]);
  require(out.size() + a.axes.size() == in[0].rank(), "reduce: axes out of range for ", in[0]);
  return {{out, in[0].dtype}};
}

std::vector<Spec> infer_arg(const ArgAttrs& a, std::span<const Spec> in) {
  const int axis = canonical_axis(a.axis, in[0].rank(), "argmax");
  require(in[0].shape[static_cast<std::size_t>(axis)] > 0, "argmax: axis ", a.axis, " of ", in[0], " is empty");
  Shape out = in[0].shape;
  out.erase(out.begin() + axis);
  return {{out, DType::i32}};
}

Shape kept(Value x, const Axes& axes) {
  Shape shape = x.shape();
  for (const auto axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

// The reduced value put back beside the elements it came from.
Value spread(Value y, Value x, const Axes& axes) { return broadcast_to(reshape(y, kept(x, axes)), x.shape()); }

// The extremum's gradient goes to the elements equal to it, in equal shares.
Values extremum_vjp(const Vjp& v) {
  const Axes& axes = v.as<ReduceAttrs>().axes;
  const Value x = v.in[0], chosen = cast(equal(x, reshape(v.out[0], kept(x, axes))), x.dtype());
  const Value share = v.dy() / reduce_sum(chosen, axes);
  return {chosen * spread(share, x, axes)};
}

Axes canonical(Value x, Axes axes) {
  for (auto& axis : axes) axis = canonical_axis(axis, x.rank(), "reduction");
  std::sort(axes.begin(), axes.end());
  require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), "reduction: an axis is named twice");
  return axes;
}

Value reduce(const OpDef& op, Value x, Axes axes, bool keepdims) {
  axes = canonical(x, std::move(axes));
  if (axes.empty()) return x;
  const Value y = emit(op, {x}, ReduceAttrs{axes})[0];
  return keepdims ? reshape(y, kept(x, axes)) : y;
}

// An extremum over nothing has no value.
Value reduce_extremum(const OpDef& op, Value x, Axes axes, bool keepdims) {
  for (const auto axis : canonical(x, axes))
    require(x.shape()[static_cast<std::size_t>(axis)] > 0, op.name, ": axis ", axis, " of ", x.spec(), " is empty");
  return reduce(op, x, std::move(axes), keepdims);
}

}  // namespace

const OpDef reduce_sum_op =
    define_op<ReduceAttrs>({.name = "reduce_sum", .infer = infer, .vjp = [](const Vjp& v) -> Values {
                              return {spread(v.dy(), v.in[0], v.as<ReduceAttrs>().axes)};
                            }});
const OpDef reduce_max_op = define_op<ReduceAttrs>({.name = "reduce_max", .infer = infer, .vjp = extremum_vjp});
const OpDef reduce_min_op = define_op<ReduceAttrs>({.name = "reduce_min", .infer = infer, .vjp = extremum_vjp});
// d Πx = Σ dy · (product of the others); exact unless an element is 0, where dividing would not do.
const OpDef reduce_prod_op = define_op<ReduceAttrs>(
    {.name = "reduce_prod", .infer = infer, .vjp = [](const Vjp& v) -> Values {
       const Axes& axes = v.as<ReduceAttrs>().axes;
       const Value x = v.in[0], zero = scalar_like(x, 0), one = scalar_like(x, 1), is_zero = equal(x, zero);
       const Value zeros_there = spread(reduce_sum(cast(is_zero, x.dtype()), axes), x, axes);
       const Value product =
           spread(reduce_prod(select(is_zero, one, x), axes), x, axes);  // of the elements that are not 0
       const Value others = select(is_zero, select(equal(zeros_there, one), product, zero),
                                   select(greater(zeros_there, zero), zero, product / select(is_zero, one, x)));
       return {spread(v.dy(), x, axes) * others};
     }});
const OpDef argmax_op = define_op<ArgAttrs>({.name = "argmax", .infer = infer_arg, .vjp = nullptr});
const OpDef argmin_op = define_op<ArgAttrs>({.name = "argmin", .infer = infer_arg, .vjp = nullptr});

Value reduce_sum(Value x, Axes axes, bool keepdims) {
  return reduce(reduce_sum_op, x.dtype() == DType::boolean ? cast(x, DType::i32) : x, std::move(axes), keepdims);
}
Value reduce_max(Value x, Axes axes, bool keepdims) {
  return x.dtype() == DType::boolean ? reduce(reduce_max_op, x, std::move(axes), keepdims)
                                     : reduce_extremum(reduce_max_op, x, std::move(axes), keepdims);
}
Value reduce_min(Value x, Axes axes, bool keepdims) {
  return x.dtype() == DType::boolean ? reduce(reduce_min_op, x, std::move(axes), keepdims)
                                     : reduce_extremum(reduce_min_op, x, std::move(axes), keepdims);
}
Value reduce_prod(Value x, Axes axes, bool keepdims) { return reduce(reduce_prod_op, x, std::move(axes), keepdims); }

Value reduce_mean(Value x, Axes axes, bool keepdims) {
  if (!is_floating(x.dtype())) x = cast(x, DType::f32);
  std::int64_t count = 1;
  for (const auto axis : canonical(x, axes)) count *= x.shape()[static_cast<std::size_t>(axis)];
  return reduce_sum(x, std::move(axes), keepdims) / static_cast<double>(count);
}

Value argmax(Value x, int axis) { return emit(argmax_op, {x}, ArgAttrs{canonical_axis(axis, x.rank(), "argmax")})[0]; }
Value argmin(Value x, int axis) { return emit(argmin_op, {x}, ArgAttrs{canonical_axis(axis, x.rank(), "argmin")})[0]; }

Axes all_axes(Value x) {
  Axes axes;
  for (std::size_t i = 0; i < x.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

}  // namespace ramet::ops
