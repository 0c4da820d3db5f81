// What a recurrent layer repeats: a cell turns one step's input and the states into an output and the next states.
//
// A cell of one's own says its state sizes and its step; the rest has defaults:
//
//   class MinimalCell final : public CellOf<MinimalCell, MinimalConfig> {
//    public:
//     static constexpr std::string_view kClassName = "MinimalCell";
//     using CellOf::CellOf;
//     Nest<std::int64_t> state_size() const override { return config().units; }
//     void build(Builder& b, const Spec& x) override { kernel_ = b.weight("kernel", {x.dim(-1), config().units}, …); }
//     CellStep step(const CallContext& ctx, Value x, const Values& states, const CellConstants&) const override {
//       const Value h = ops::matmul(x, ctx[kernel_]) + states[0];
//       return {h, {h}};
//     }
//   };
//   auto y = RNN(MinimalCell({.units = 8}))(x);
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"
#include "ramet/ops/recurrent/recurrent.h"

namespace ramet::layers {

struct CellStep {
  Value output;
  Values states;
};

// All steps at once: states after the last, and the output of each [batch, steps, …] in the order of time.
struct CellSequence {
  Values states;
  Value outputs;
};

// Values that are the same for every step of one call: dropout masks, parts of weights.
using CellConstants = Nest<Value>;

class Cell {
 public:
  virtual ~Cell() = default;
  // The size of each state [batch, size]: one number, or a list. Lists within the list are kept in what the layer
  // returns.
  virtual Nest<std::int64_t> state_size() const = 0;
  virtual std::int64_t output_size() const { return state_size().flatten().at(0); }
  // Which state the output is, where it is one that starts at zero: saves carrying it twice.
  virtual std::optional<std::size_t> output_state() const { return std::nullopt; }
  // States to begin with, flat; zeros by default.
  virtual Values get_initial_state(Program& program, std::int64_t batch, DType dtype) const;
  // Made once per call, before the loop. `x` is the input of one step.
  virtual CellConstants constants(const CallContext&, const Spec& /*x*/) const { return {}; }
  // What can be done with the inputs of all steps at once. `x` is [batch, …] or [steps, batch, …]; `step` gets the
  // result for one step.
  virtual Value project(const CallContext&, Value x, const CellConstants&) const { return x; }
  // The whole loop, where there is an op for it; none otherwise. `x` is [batch, steps, …] as the layer got it, `mask`
  // is [batch, steps] or undefined. A masked step keeps the states and puts out the output state as it is.
  virtual std::optional<CellSequence> sequence(const CallContext&, Value /*x*/, const Values& /*states*/,
                                               Value /*mask*/, const CellConstants&, bool /*reverse*/) const {
    return std::nullopt;
  }
  // REQUIRES: `states` flat, in the order of state_size; the result likewise.
  virtual CellStep step(const CallContext& ctx, Value x, const Values& states,
                        const CellConstants& constants) const = 0;
};

// The cell that a layer is; UsageError naming `who` when it is none.
const Cell& as_cell(const LayerRef& layer, std::string_view who);

// One step outside any loop: cell(inputs, states) → (output, states).
TracedNest call_cell(const Cell& cell, const Layer& layer, const CallContext& ctx, const TracedArgs& args);

// Arranges flat values as `state_size` says; a single state makes a list of one.
TracedNest::List arrange_states(const Nest<std::int64_t>& state_size, const Values& states);

// What a cell class inherits.
template <class Derived, class Config>
class CellOf : public LayerOf<Derived, Config, MaskRule::reject>, public Cell {
 public:
  static constexpr int kTensors = 2;
  using LayerOf<Derived, Config, MaskRule::reject>::LayerOf;
  std::vector<std::string> positional_arguments() const override { return {"inputs", "states"}; }
  std::optional<bool> default_training() const override { return false; }
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override {
    return call_cell(*this, *this, ctx, args);
  }
};

// ---- what our own cells share
// --------------------------------------------------------------------------------------------------

// Copies members of the same name and type from one config to another.
template <class To, class From>
To shared_fields(const From& from) {
  To to{};
  for_each_field<To>([&](const auto& t) {
    for_each_field<From>([&](const auto& f) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(to.*t.member)>,
                                   std::remove_cvref_t<decltype(from.*f.member)>>)
        if (t.name == f.name) to.*t.member = from.*f.member;
    });
  });
  return to;
}

// Keras takes rates beyond [0, 1] as the nearer end.
inline void clamp_rates(double& dropout, double& recurrent_dropout) {
  for (double* rate : {&dropout, &recurrent_dropout}) *rate = std::min(1.0, std::max(0.0, *rate));
}

// Dropout masks of one call, drawn before the loop: the same at every step. `gates` masks of each kind.
struct CellDropout {
  Values input, recurrent;  // empty: none

  static CellDropout draw(const CallContext& ctx, const Weight& seed, double dropout, double recurrent_dropout,
                          std::size_t gates, const Spec& x, std::int64_t units);
  static CellDropout from(const CellConstants& constants);
  CellConstants as_constants() const;
};

// x with the mask of a gate; one mask serves every gate.
Value dropped(Value x, const Values& masks, std::size_t gate);
// x·w for x of any rank.
Value product(Value x, Value w);
// [(x∘mask₀)·w₀, (x∘mask₁)·w₁, …] side by side, with w = [w₀ w₁ …]; one product when there is one mask or none.
Value gate_product(Value x, const Values& masks, Value w, std::size_t gates);
// The op of a cell over x [batch, steps, features]; none where it does not know the case: other types, dropout between
// steps. Bias and mask may be undefined.
std::optional<CellSequence> run_sequence(const ops::RecurrentCell& cell, Value x, const CellDropout& dropout,
                                         Value kernel, Value recurrent_kernel, Value bias, const Values& states,
                                         Value mask, bool reverse);
// The parts of x along its last axis, each `size` wide.
Values gate_parts(Value x, std::size_t gates);

}  // namespace ramet::layers
