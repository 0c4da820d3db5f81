#include "ramet/layers/recurrent/simple_rnn_cell.h"

#include "ramet/layers/recurrent/cell_weights.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

void SimpleRNNCellLayer::build(Builder& b, const Spec& x) {
  const auto units = config().units;
  kernel_ = cell_kernel(b, *this, x, units);
  recurrent_kernel_ = cell_recurrent_kernel(b, *this, units, units);
  if (config().use_bias) bias_ = cell_bias(b, *this, {units}, config().bias_initializer);
  seed_ = cell_seed(b, *this);
}

CellConstants SimpleRNNCellLayer::constants(const CallContext& ctx, const Spec& x) const {
  return CellDropout::draw(ctx, seed_, config().dropout, config().recurrent_dropout, 1, x, config().units)
      .as_constants();
}

Value SimpleRNNCellLayer::project(const CallContext& ctx, Value x, const CellConstants& constants) const {
  const Value y = gate_product(x, CellDropout::from(constants).input, ctx[kernel_], 1);
  return bias_ ? y + ctx[bias_] : y;
}

// The op knows Keras' own activation and no dropout between steps.
std::optional<CellSequence> SimpleRNNCellLayer::sequence(const CallContext& ctx, Value x, const Values& states,
                                                         Value mask, const CellConstants& constants,
                                                         bool reverse) const {
  if (config().activation != Activation("tanh")) return std::nullopt;
  return run_sequence(ops::kSimpleRnn, x, CellDropout::from(constants), ctx[kernel_], ctx[recurrent_kernel_],
                      bias_ ? ctx[bias_] : Value(), states, mask, reverse);
}

CellStep SimpleRNNCellLayer::step(const CallContext& ctx, Value x, const Values& states,
                                  const CellConstants& constants) const {
  const Value h = config().activation(
      x + gate_product(states[0], CellDropout::from(constants).recurrent, ctx[recurrent_kernel_], 1));
  return {h, {h}};
}

}  // namespace ramet::layers
