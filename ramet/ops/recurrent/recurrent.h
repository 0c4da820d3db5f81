// SimpleRNN, GRU and LSTM over whole sequences, as one instruction each.
//
//   simple_rnn  h' = tanh(x_t·W + b + h·U)
//   gru         v = x_t·W + b₀,  u = h·U + b₁,  z, r = σ(v + u),  g = tanh(v + r∘u),  h' = z∘h + (1 - z)∘g
//   lstm        i, f, o = σ(x_t·W + b + h·U),  g = tanh(x_t·W + b + h·U),  c' = f∘c + i∘g,  h' = o∘tanh(c')
//
// Gates lie side by side: i, f, g, o and z, r, g. A row keeps its states in the steps where its mask is false.
//
// Inputs: x [batch, steps, features], W [features, gates·units], U [units, gates·units], b [gates·units] (gru: two
// rows), the first states h (and c) [batch, units], a mask [batch, steps]. Results: the last states, h after each step
// [batch, steps, units], and for the gradient, with the steps before the rows: each state before each step
// [steps, batch, units] and what the gates were (simple_rnn h', gru z, r, g and u of g, lstm i, f, g, o; zero where
// masked). The planner drops results that nobody reads.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct RecurrentAttrs {
  bool reverse = false;  // from the last step to the first; sequences stay in the order of time
  bool masked = false;   // the last input is a mask
  static constexpr auto fields =
      Fields{field("reverse", &RecurrentAttrs::reverse), field("masked", &RecurrentAttrs::masked)};
};
struct RecurrentGradAttrs {
  bool reverse = false, masked = false;
  bool sequence = false;  // a gradient of h after each step is among the inputs
  static constexpr auto fields =
      Fields{field("reverse", &RecurrentGradAttrs::reverse), field("masked", &RecurrentGradAttrs::masked),
             field("sequence", &RecurrentGradAttrs::sequence)};
};
extern const OpDef simple_rnn_op, gru_op, lstm_op;
// Inputs: x, W, U, each state before each step, the gates, gradients of the last states, of the sequence, a mask.
// Results: gradients of x, W, U, b and the first states. Have no gradients themselves.
extern const OpDef simple_rnn_grad_op, gru_grad_op, lstm_grad_op;

// What tells the cells apart.
struct RecurrentCell {
  const OpDef *op, *grad;
  std::int64_t gates;   // blocks of `units` columns in W and U
  std::int64_t kept;    // blocks of `units` values per row and step that the gradient needs
  std::int64_t biases;  // rows of b
  std::size_t states;
};
inline constexpr RecurrentCell kSimpleRnn{&simple_rnn_op, &simple_rnn_grad_op, 1, 1, 1, 1};
inline constexpr RecurrentCell kGru{&gru_op, &gru_grad_op, 3, 4, 2, 1};
inline constexpr RecurrentCell kLstm{&lstm_op, &lstm_grad_op, 4, 4, 1, 2};
inline constexpr const RecurrentCell* kRecurrentCells[] = {&kSimpleRnn, &kGru, &kLstm};

// The cell that `op` or its gradient runs; null for other ops.
inline const RecurrentCell* cell_of_op(const OpDef* op) {
  for (const RecurrentCell* cell : kRecurrentCells)
    if (op == cell->op || op == cell->grad) return cell;
  return nullptr;
}

struct RecurrentResult {
  Values states;  // after the last step
  Value sequence;
};
// An undefined bias is zeros, an undefined mask none.
RecurrentResult recurrent(const RecurrentCell& cell, Value x, Value kernel, Value recurrent_kernel, Value bias,
                          const Values& states, Value mask, bool reverse);

}  // namespace ramet::ops
