#include "ramet/ops/recurrent/recurrent.h"

#include "ramet/ops/constant/constant.h"

namespace ramet::ops {
namespace {

// Specs by the names of the inputs and results.
struct Specs {
  Spec x, kernel, recurrent_kernel, bias, state, sequence, entered, gates, mask;
};

Shape bias_shape(const RecurrentCell& cell, std::int64_t units) {
  return cell.biases == 1 ? Shape{cell.gates * units} : Shape{cell.biases, cell.gates * units};
}

// From x and U, which give all sizes.
Specs specs_of(const RecurrentCell& cell, std::string_view op, std::span<const Spec> in) {
  require(in.size() > 2 && in[0].rank() == 3 && in[2].rank() == 2, op, ": begins with x, W and U");
  const std::int64_t batch = in[0].dim(0), steps = in[0].dim(1), features = in[0].dim(2), units = in[2].dim(0);
  const std::int64_t width = cell.gates * units;
  const DType type = in[0].dtype;
  require(is_floating(type), op, ": got ", in[0]);
  return {in[0],
          {{features, width}, type},
          {{units, width}, type},
          {bias_shape(cell, units), type},
          {{batch, units}, type},
          {{batch, steps, units}, type},
          {{steps, batch, units}, type},
          {{steps, batch, cell.kept * units}, type},
          {{batch, steps}, DType::boolean}};
}

void expect(std::string_view op, std::span<const Spec> in, const std::vector<Spec>& expected) {
  require(in.size() == expected.size(), op, ": has ", expected.size(), " inputs; got ", in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    require(in[i] == expected[i], op, ": input ", i, " is ", in[i], ", not ", expected[i]);
}

void add(std::vector<Spec>& to, std::size_t count, const Spec& spec) {
  for (; count > 0; --count) to.push_back(spec);
}

std::vector<Spec> infer(const RecurrentCell& cell, const RecurrentAttrs& a, std::span<const Spec> in) {
  const Specs s = specs_of(cell, cell.op->name, in);
  std::vector<Spec> expected{s.x, s.kernel, s.recurrent_kernel, s.bias}, out;
  add(expected, cell.states, s.state);
  if (a.masked) expected.push_back(s.mask);
  expect(cell.op->name, in, expected);
  add(out, cell.states, s.state);
  out.push_back(s.sequence);
  add(out, cell.states, s.entered);
  out.push_back(s.gates);
  return out;
}

std::vector<Spec> infer_grad(const RecurrentCell& cell, const RecurrentGradAttrs& a, std::span<const Spec> in) {
  const Specs s = specs_of(cell, cell.grad->name, in);
  std::vector<Spec> expected{s.x, s.kernel, s.recurrent_kernel};
  add(expected, cell.states, s.entered);
  expected.push_back(s.gates);
  add(expected, cell.states, s.state);
  if (a.sequence) expected.push_back(s.sequence);
  if (a.masked) expected.push_back(s.mask);
  expect(cell.grad->name, in, expected);
  std::vector<Spec> out{s.x, s.kernel, s.recurrent_kernel, s.bias};
  add(out, cell.states, s.state);
  return out;
}

// One walk back through time.
Values vjp(const RecurrentCell& cell, const Vjp& v) {
  const auto& a = v.as<RecurrentAttrs>();
  Program& program = v.in[0].program();
  const std::size_t sequence = cell.states, kept = sequence + 1;
  for (std::size_t i = kept; i < v.d_out.size(); ++i)
    require(!v.d_out[i], cell.op->name,
            ": only its states have gradients; what it keeps for its own gradient has none");
  Values in{v.in[0], v.in[1], v.in[2]};
  for (std::size_t i = kept; i < v.out.size(); ++i) in.push_back(v.out[i]);
  for (std::size_t i = 0; i < cell.states; ++i)
    in.push_back(v.d_out[i] ? v.d_out[i] : zeros(program, v.out[i].shape(), v.out[i].dtype()));
  if (v.d_out[sequence]) in.push_back(v.d_out[sequence]);
  if (a.masked) in.push_back(v.in.back());
  const RecurrentGradAttrs attrs{a.reverse, a.masked, static_cast<bool>(v.d_out[sequence])};
  Values out = program.emit(*cell.grad, in, Attrs::make(attrs));
  out.resize(v.in.size());
  return out;
}

template <const RecurrentCell& cell>
OpDef forward(std::string_view name) {
  return define_op<RecurrentAttrs>(
      {.name = name,
       .infer = [](const RecurrentAttrs& a, std::span<const Spec> in) { return infer(cell, a, in); },
       .vjp = [](const Vjp& v) { return vjp(cell, v); }});
}

template <const RecurrentCell& cell>
OpDef gradient(std::string_view name) {
  return define_op<RecurrentGradAttrs>(
      {.name = name,
       .infer = [](const RecurrentGradAttrs& a, std::span<const Spec> in) { return infer_grad(cell, a, in); },
       .vjp = [](const Vjp&) -> Values {
         throw UsageError(cat(cell.op->name, " has first derivatives only; a second one was asked for"));
       }});
}

}  // namespace

const OpDef simple_rnn_op = forward<kSimpleRnn>("simple_rnn"),
            simple_rnn_grad_op = gradient<kSimpleRnn>("simple_rnn_grad");
const OpDef gru_op = forward<kGru>("gru"), gru_grad_op = gradient<kGru>("gru_grad");
const OpDef lstm_op = forward<kLstm>("lstm"), lstm_grad_op = gradient<kLstm>("lstm_grad");

RecurrentResult recurrent(const RecurrentCell& cell, Value x, Value kernel, Value recurrent_kernel, Value bias,
                          const Values& states, Value mask, bool reverse) {
  if (!bias) bias = zeros(x.program(), bias_shape(cell, recurrent_kernel.dim(0)), x.dtype());
  Values in{x, kernel, recurrent_kernel, bias};
  in.insert(in.end(), states.begin(), states.end());
  if (mask) in.push_back(mask);
  const RecurrentAttrs attrs{reverse, static_cast<bool>(mask)};
  const Values out = x.program().emit(*cell.op, in, Attrs::make(attrs));
  const auto count = static_cast<std::ptrdiff_t>(cell.states);
  return {Values(out.begin(), out.begin() + count), out[cell.states]};
}

}  // namespace ramet::ops
