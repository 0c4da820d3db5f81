// LSTM and GRU over whole sequences, batch-major, as one instruction each. What the inputs bring to the gates is given:
// x holds x_t·W + b of every step, one product for all of them.
//
//   lstm  i, f, o = σ(x_t + h·U),  g = tanh(x_t + h·U),  c' = f∘c + i∘g,  h' = o∘tanh(c')
//   gru   u = h·U + b,  z, r = σ(x_t + u),  g = tanh(x_t + r∘u),  h' = z∘h + (1 - z)∘g
//
// Gates lie side by side: i, f, g, o and z, r, g. A row keeps its states in the steps where its mask is false.
//
// Inputs of lstm: x [batch, steps, 4·units], U [units, 4·units], h, c [batch, units], a mask [batch, steps]; of gru: x,
// U, b [3·units], h, a mask. Results: the last states, h after each step, and for the gradient h (and c) before each
// step and the gates [batch, steps, 4·units] (gru: z, r, g, u of g); the planner drops results that nobody reads.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct RecurrentAttrs {
  bool reverse = false;  // from the last step to the first; sequences stay in the order of time
  bool masked = false;   // the last input is a mask
  static constexpr auto fields =
      std::tuple{field("reverse", &RecurrentAttrs::reverse), field("masked", &RecurrentAttrs::masked)};
};
struct RecurrentGradAttrs {
  bool reverse = false, masked = false;
  bool sequence = false;  // a gradient of h after each step is among the inputs
  static constexpr auto fields =
      std::tuple{field("reverse", &RecurrentGradAttrs::reverse), field("masked", &RecurrentGradAttrs::masked),
                 field("sequence", &RecurrentGradAttrs::sequence)};
};
extern const OpDef lstm_op, gru_op;
// Inputs: gates, the c (gru: h) before each step, U, gradients of the last states, of the sequence, a mask. Results:
// gradients of x, of the recurrent products (gru), and of the first states. Have no gradients themselves.
extern const OpDef lstm_grad_op, gru_grad_op;

struct LstmResult {
  Value h, c, sequence;
};
// An undefined mask means none.
LstmResult lstm(Value x, Value kernel, Value h, Value c, Value mask, bool reverse);

struct GruResult {
  Value h, sequence;
};
GruResult gru(Value x, Value kernel, Value bias, Value h, Value mask, bool reverse);

}  // namespace ramet::ops
