#include "ramet/layers/recurrent/lstm_cell.h"

#include "ramet/layers/recurrent/cell_weights.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

constexpr std::size_t kGates = 4;  // i, f, c, o

// The given initializer for i, c and o, ones for f.
InitFunction with_unit_forget(const Initializer& initializer, std::int64_t units) {
  return [initializer, units](const Shape& shape, DType dtype) {
    Array bias(shape, dtype);
    const auto put = [&](const Array& part, std::int64_t at) {
      const auto bytes = part.byte_size() / static_cast<std::size_t>(part.size());
      std::copy_n(static_cast<const char*>(part.raw()), part.byte_size(),
                  static_cast<char*>(bias.raw()) + static_cast<std::size_t>(at) * bytes);
    };
    put(initializer({units}, dtype), 0);
    put(Initializer("ones")({units}, dtype), units);
    put(initializer({2 * units}, dtype), 2 * units);
    return bias;
  };
}

}  // namespace

Nest<std::int64_t> LSTMCellLayer::state_size() const {
  return Nest<std::int64_t>(Nest<std::int64_t>::List{config().units, config().units});
}

void LSTMCellLayer::build(Builder& b, const Spec& x) {
  const auto units = config().units;
  kernel_ = cell_kernel(b, *this, x, 4 * units);
  recurrent_kernel_ = cell_recurrent_kernel(b, *this, units, 4 * units);
  if (config().use_bias)
    bias_ = cell_bias(b, *this, {4 * units},
                      config().unit_forget_bias ? with_unit_forget(config().bias_initializer, units)
                                                : InitFunction(config().bias_initializer));
  seed_ = cell_seed(b, *this);
}

// One mask for all gates; as soon as the recurrent side has dropout, one per gate on both sides.
CellConstants LSTMCellLayer::constants(const CallContext& ctx, const Spec& x) const {
  const std::size_t masks = config().recurrent_dropout > 0 ? kGates : 1;
  return CellDropout::draw(ctx, seed_, config().dropout, config().recurrent_dropout, masks, x, config().units)
      .as_constants();
}

Value LSTMCellLayer::project(const CallContext& ctx, Value x, const CellConstants& constants) const {
  const Value y = gate_product(x, CellDropout::from(constants).input, ctx[kernel_], kGates);
  return bias_ ? y + ctx[bias_] : y;
}

// The op knows Keras' own activations and no dropout between steps.
std::optional<CellSequence> LSTMCellLayer::sequence(const CallContext& ctx, Value x, const Values& states, Value mask,
                                                    const CellConstants& constants, bool reverse) const {
  if (config().activation != Activation("tanh") || config().recurrent_activation != Activation("sigmoid"))
    return std::nullopt;
  return run_sequence(ops::kLstm, x, CellDropout::from(constants), ctx[kernel_], ctx[recurrent_kernel_],
                      bias_ ? ctx[bias_] : Value(), states, mask, reverse);
}

CellStep LSTMCellLayer::step(const CallContext& ctx, Value x, const Values& states,
                             const CellConstants& constants) const {
  const auto& act = config().activation;
  const auto& gate = config().recurrent_activation;
  const Values z = gate_parts(
      x + gate_product(states[0], CellDropout::from(constants).recurrent, ctx[recurrent_kernel_], kGates), kGates);
  const Value i = gate(z[0]), f = gate(z[1]), o = gate(z[3]);
  const Value c = f * states[1] + i * act(z[2]);
  const Value h = o * act(c);
  return {h, {h, c}};
}

}  // namespace ramet::layers
