#include "ramet/ops/constant/constant.h"
#include "ramet/ops/matmul/matmul.h"
#include "ramet/ops/recurrent/recurrent_shapes.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const RecurrentAttrs& a, std::span<const Spec> in) {
  ensure(!in.empty(), "lstm: no inputs");
  const RecurrentSizes s = recurrent_sizes("lstm", in[0], 4);
  const DType type = in[0].dtype;
  const Spec state = s.state(type), sequence = s.sequence(type);
  std::vector<Spec> expected{in[0], {{s.units, 4 * s.units}, type}, state, state};
  if (a.masked) expected.push_back({{s.batch, s.steps}, DType::boolean});
  expect_specs("lstm", in, expected);
  return {state, state, sequence, sequence, sequence, s.sequence(type, 4)};
}

std::vector<Spec> infer_grad(const RecurrentGradAttrs& a, std::span<const Spec> in) {
  ensure(!in.empty(), "lstm_grad: no inputs");
  const RecurrentSizes s = recurrent_sizes("lstm_grad", in[0], 4);
  const DType type = in[0].dtype;
  const Spec state = s.state(type);
  std::vector<Spec> expected{in[0], s.sequence(type), {{s.units, 4 * s.units}, type}, state, state};
  if (a.sequence) expected.push_back(s.sequence(type));
  if (a.masked) expected.push_back({{s.batch, s.steps}, DType::boolean});
  expect_specs("lstm_grad", in, expected);
  return {in[0], state, state};
}

// One walk back through time gives d = dL/d(x + h·U) of every step; then dx = d and dU = Σ hᵀ d.
Values vjp(const Vjp& v) {
  const auto& a = v.as<RecurrentAttrs>();
  Program& program = *v.in[0].program;
  for (std::size_t i = 3; i < v.d_out.size(); ++i)
    require(!v.d_out[i], "lstm: only its states have gradients; what it keeps for its own gradient has none");
  const auto gradient_or_zeros = [&](std::size_t i) {
    return v.d_out[i] ? v.d_out[i] : zeros(program, v.out[i].shape(), v.out[i].dtype());
  };
  Values in{v.out[5], v.out[4], v.in[1], gradient_or_zeros(0), gradient_or_zeros(1)};
  if (v.d_out[2]) in.push_back(v.d_out[2]);
  if (a.masked) in.push_back(v.in[4]);
  const RecurrentGradAttrs attrs{a.reverse, a.masked, static_cast<bool>(v.d_out[2])};
  const Values d = program.emit(lstm_grad_op, in, Attrs::make(attrs));
  Values out{d[0], recurrent_kernel_gradient(v.out[3], d[0]), d[1], d[2]};
  out.resize(v.in.size());
  return out;
}

Values no_second_derivative(const Vjp&) {
  throw UsageError("lstm has first derivatives only; a second one was asked for");
}

}  // namespace

const OpDef lstm_op = define_op<RecurrentAttrs>({.name = "lstm", .infer = infer, .vjp = vjp});
const OpDef lstm_grad_op =
    define_op<RecurrentGradAttrs>({.name = "lstm_grad", .infer = infer_grad, .vjp = no_second_derivative});

Value recurrent_kernel_gradient(Value h_entered, Value d) {
  const auto rows = h_entered.dim(0) * h_entered.dim(1);
  return matmul(reshape(h_entered, {rows, h_entered.dim(2)}), reshape(d, {rows, d.dim(2)}), {.transpose_a = true});
}

LstmResult lstm(Value x, Value kernel, Value h, Value c, Value mask, bool reverse) {
  Values in{x, kernel, h, c};
  if (mask) in.push_back(mask);
  const Values out = x.program->emit(lstm_op, in, Attrs::make(RecurrentAttrs{reverse, static_cast<bool>(mask)}));
  return {out[0], out[1], out[2]};
}

}  // namespace ramet::ops
