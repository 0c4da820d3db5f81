#include "ramet/ops/constant/constant.h"
#include "ramet/ops/recurrent/recurrent_shapes.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const RecurrentAttrs& a, std::span<const Spec> in) {
  ensure(!in.empty(), "gru: no inputs");
  const RecurrentSizes s = recurrent_sizes("gru", in[0], 3);
  const DType type = in[0].dtype;
  const Spec state = s.state(type), sequence = s.sequence(type);
  std::vector<Spec> expected{in[0], {{s.units, 3 * s.units}, type}, {{3 * s.units}, type}, state};
  if (a.masked) expected.push_back({{s.batch, s.steps}, DType::boolean});
  expect_specs("gru", in, expected);
  return {state, sequence, sequence, s.sequence(type, 4)};
}

std::vector<Spec> infer_grad(const RecurrentGradAttrs& a, std::span<const Spec> in) {
  ensure(!in.empty(), "gru_grad: no inputs");
  const RecurrentSizes s = recurrent_sizes("gru_grad", in[0], 4);
  const DType type = in[0].dtype;
  std::vector<Spec> expected{in[0], s.sequence(type), {{s.units, 3 * s.units}, type}, s.state(type)};
  if (a.sequence) expected.push_back(s.sequence(type));
  if (a.masked) expected.push_back({{s.batch, s.steps}, DType::boolean});
  expect_specs("gru_grad", in, expected);
  return {s.sequence(type, 3), s.sequence(type, 3), s.state(type)};
}

// One walk back through time gives dx and d = dL/d(h·U + b) of every step; then dU = Σ hᵀ d and db = Σ d.
Values vjp(const Vjp& v) {
  const auto& a = v.as<RecurrentAttrs>();
  Program& program = *v.in[0].program;
  for (std::size_t i = 2; i < v.d_out.size(); ++i)
    require(!v.d_out[i], "gru: only its states have gradients; what it keeps for its own gradient has none");
  Values in{v.out[3], v.out[2], v.in[1], v.d_out[0] ? v.d_out[0] : zeros(program, v.out[0].shape(), v.out[0].dtype())};
  if (v.d_out[1]) in.push_back(v.d_out[1]);
  if (a.masked) in.push_back(v.in[4]);
  const RecurrentGradAttrs attrs{a.reverse, a.masked, static_cast<bool>(v.d_out[1])};
  const Values d = program.emit(gru_grad_op, in, Attrs::make(attrs));
  Values out{d[0], recurrent_kernel_gradient(v.out[2], d[1]), reduce_sum(d[1], {0, 1}), d[2]};
  out.resize(v.in.size());
  return out;
}

Values no_second_derivative(const Vjp&) {
  throw UsageError("gru has first derivatives only; a second one was asked for");
}

}  // namespace

const OpDef gru_op = define_op<RecurrentAttrs>({.name = "gru", .infer = infer, .vjp = vjp});
const OpDef gru_grad_op =
    define_op<RecurrentGradAttrs>({.name = "gru_grad", .infer = infer_grad, .vjp = no_second_derivative});

GruResult gru(Value x, Value kernel, Value bias, Value h, Value mask, bool reverse) {
  Values in{x, kernel, bias, h};
  if (mask) in.push_back(mask);
  const Values out = x.program->emit(gru_op, in, Attrs::make(RecurrentAttrs{reverse, static_cast<bool>(mask)}));
  return {out[0], out[1]};
}

}  // namespace ramet::ops
