#include "ramet/ops/softmax/log_softmax_at.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const GatherAttrs& a, std::span<const Spec> in) {
  require(is_floating(in[0].dtype), "log_softmax_at: needs floating values; got ", in[0]);
  const Spec y = take_last_op.infer(Attrs::make(a), in)[0];
  Spec kept = y;
  kept.shape.push_back(2);
  return {y, kept};
}

std::vector<Spec> infer_grad(const GatherAttrs& a, std::span<const Spec> in) {
  const std::vector<Spec> forward = infer(a, in.first(2));
  require(in[2] == forward[1] && in[3] == forward[0], "log_softmax_at_grad: ", in[2], " and ", in[3]);
  return {in[0]};
}

Values vjp(const Vjp& v) {
  require(!v.d_out[1], "log_softmax_at: only its result has a gradient; what it keeps for its own gradient has none");
  const Values in{v.in[0], v.in[1], v.out[1], v.dy()};
  return {v.in[0].program().emit(log_softmax_at_grad_op, in, v.attrs)[0], {}};
}

Values no_second_derivative(const Vjp&) {
  throw UsageError("cross-entropy of labels has first derivatives only; a second one was asked for");
}

}  // namespace

const OpDef log_softmax_at_op = define_op<GatherAttrs>({.name = "log_softmax_at", .infer = infer, .vjp = vjp});
const OpDef log_softmax_at_grad_op =
    define_op<GatherAttrs>({.name = "log_softmax_at_grad", .infer = infer_grad, .vjp = no_second_derivative});

Value log_softmax_at(Value x, Value index, std::string what) {
  return emit(log_softmax_at_op, {x, index}, GatherAttrs{std::move(what)})[0];
}

}  // namespace ramet::ops
