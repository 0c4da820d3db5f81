#include "ramet/layers/recurrent/gru_cell.h"

#include "ramet/layers/recurrent/cell_weights.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

constexpr std::size_t kGates = 3;  // z, r, h

// Row of a [2, 3·units] bias.
Value bias_row(Value bias, std::int64_t row) {
  return ops::reshape(ops::slice_axis(bias, 0, row, row + 1), {bias.dim(1)});
}

}  // namespace

void GRUCellLayer::build(Builder& b, const Spec& x) {
  const auto units = config().units;
  kernel_ = cell_kernel(b, *this, x, 3 * units);
  recurrent_kernel_ = cell_recurrent_kernel(b, *this, units, 3 * units);
  if (config().use_bias)
    bias_ =
        cell_bias(b, *this, config().reset_after ? Shape{2, 3 * units} : Shape{3 * units}, config().bias_initializer);
  seed_ = cell_seed(b, *this);
}

// Besides the masks, for the step: the recurrent kernel as [U_z U_r], U_h when h is reset before its product.
CellConstants GRUCellLayer::constants(const CallContext& ctx, const Spec& x) const {
  const std::size_t masks = config().recurrent_dropout > 0 ? kGates : 1;
  CellConstants::List out =
      CellDropout::draw(ctx, seed_, config().dropout, config().recurrent_dropout, masks, x, config().units)
          .as_constants()
          .list();
  if (!config().reset_after) {
    const auto units = config().units;
    for (const Value& part : ops::split_sizes(ctx[recurrent_kernel_], 1, {2 * units, units}))
      out.push_back(CellConstants(part));
  }
  return CellConstants(std::move(out));
}

Value GRUCellLayer::project(const CallContext& ctx, Value x, const CellConstants& constants) const {
  const Value y = gate_product(x, CellDropout::from(constants).input, ctx[kernel_], kGates);
  if (!bias_) return y;
  return y + (config().reset_after ? bias_row(ctx[bias_], 0) : ctx[bias_]);
}

// The op knows Keras' own activations, the reset after the product and no dropout between steps.
std::optional<CellSequence> GRUCellLayer::sequence(const CallContext& ctx, Value x, const Values& states, Value mask,
                                                   const CellConstants& constants, bool reverse) const {
  if (config().activation != Activation("tanh") || config().recurrent_activation != Activation("sigmoid") ||
      !config().reset_after)
    return std::nullopt;
  return run_sequence(ops::kGru, x, CellDropout::from(constants), ctx[kernel_], ctx[recurrent_kernel_],
                      bias_ ? ctx[bias_] : Value(), states, mask, reverse);
}

CellStep GRUCellLayer::step(const CallContext& ctx, Value x, const Values& states,
                            const CellConstants& constants) const {
  const auto& act = config().activation;
  const auto& gate = config().recurrent_activation;
  const Values masks = CellDropout::from(constants).recurrent;
  const Value h = states[0];
  const Values in = gate_parts(x, kGates);
  Value z, r, candidate;
  if (config().reset_after) {
    Value inner = gate_product(h, masks, ctx[recurrent_kernel_], kGates);
    if (bias_) inner = inner + bias_row(ctx[bias_], 1);
    const Values u = gate_parts(inner, kGates);
    z = gate(in[0] + u[0]), r = gate(in[1] + u[1]);
    candidate = act(in[2] + r * u[2]);
  } else {
    const Value u_zr = constants.list().at(2).leaf(), u_h = constants.list().at(3).leaf();
    const Values u = gate_parts(gate_product(h, masks, u_zr, 2), 2);
    z = gate(in[0] + u[0]), r = gate(in[1] + u[1]);
    candidate = act(in[2] + ops::matmul(r * dropped(h, masks, 2), u_h));
  }
  const Value next = z * h + (1.0 - z) * candidate;
  return {next, {next}};
}

}  // namespace ramet::layers
