#include "ramet/ops/softmax/softmax.h"

#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const NoAttrs&, std::span<const Spec> in) {
  require(in[0].rank() >= 1 && is_floating(in[0].dtype), "softmax: needs floating values with at least one axis; got ",
          in[0]);
  return {in[0]};
}

Value along(const OpDef& op, Value x, int axis) {
  const int at = canonical_axis(axis, x.rank(), "softmax"), last = static_cast<int>(x.rank()) - 1;
  if (at == last) return emit(op, {x}, NoAttrs{})[0];
  return swap_axes(emit(op, {swap_axes(x, at, last)}, NoAttrs{})[0], at, last);
}

}  // namespace

// dx = y (dy - Σ y dy)
const OpDef softmax_op = define_op<NoAttrs>({.name = "softmax", .infer = infer, .vjp = [](const Vjp& v) -> Values {
                                               const Value y = v.out[0];
                                               return {y * (v.dy() - reduce_sum(y * v.dy(), {-1}, true))};
                                             }});
// dx = dy - softmax(x) Σ dy
const OpDef log_softmax_op =
    define_op<NoAttrs>({.name = "log_softmax", .infer = infer, .vjp = [](const Vjp& v) -> Values {
                          return {v.dy() - exp(v.out[0]) * reduce_sum(v.dy(), {-1}, true)};
                        }});

Value softmax(Value x, int axis) { return along(softmax_op, x, axis); }
Value log_softmax(Value x, int axis) { return along(log_softmax_op, x, axis); }

Value logsumexp(Value x, std::vector<std::int64_t> axes, bool keepdims) {
  const Value top = reduce_max(x, axes, true);
  const Value sum = log(reduce_sum(exp(x - top), axes, true)) + top;
  return keepdims ? sum : reshape(sum, reduce_max(x, axes, false).shape());
}

}  // namespace ramet::ops
