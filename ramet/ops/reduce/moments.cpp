#include "ramet/ops/reduce/moments.h"

#include <algorithm>

#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const ReduceAttrs& a, std::span<const Spec> in) {
  require(is_floating(in[0].dtype), "moments of ", in[0]);
  const Spec one = reduce_sum_op.infer(Attrs::make(a), in)[0];
  return {one, one};
}

Shape kept(Value x, const Axes& axes) {
  Shape shape = x.shape();
  for (const auto axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

// dx = (dmean + 2 (x - mean) dvariance) / n
Values vjp(const Vjp& v) {
  const Axes& axes = v.as<ReduceAttrs>().axes;
  const Value x = v.in[0];
  const Shape wide = kept(x, axes);
  double n = 1;
  for (const auto axis : axes) n *= static_cast<double>(x.shape()[static_cast<std::size_t>(axis)]);
  Value dx;
  if (v.d_out[0]) dx = broadcast_to(reshape(v.d_out[0] * (1 / n), wide), x.shape());
  if (v.d_out[1]) {
    const Value part = (x - reshape(v.out[0], wide)) * reshape(v.d_out[1] * (2 / n), wide);
    dx = dx ? part + dx : part;
  }
  return {dx};
}

}  // namespace

const OpDef moments_op = define_op<ReduceAttrs>({.name = "moments", .infer = infer, .vjp = vjp});

Moments moments(Value x, Axes axes) {
  for (auto& axis : axes) axis = canonical_axis(axis, x.rank(), "moments");
  std::sort(axes.begin(), axes.end());
  const Shape wide = kept(x, axes);
  const Values both = emit(moments_op, {x}, ReduceAttrs{std::move(axes)});
  return {reshape(both[0], wide), reshape(both[1], wide)};
}

}  // namespace ramet::ops
