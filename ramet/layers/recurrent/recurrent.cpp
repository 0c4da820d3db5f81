#include "ramet/layers/recurrent/recurrent.h"

#include "ramet/layers/input_rule.h"
#include "ramet/layers/recurrent/loop.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

Value cast_floating(Value x, DType dtype) { return is_floating(x.dtype()) ? ops::cast(x, dtype) : x; }

Value swap_batch_and_time(Value x) { return ops::swap_axes(x, 0, 1); }

// [batch, steps, …] → [batch, steps], true where any entry is.
Value step_mask(const Layer& self, Value mask, Value x) {
  require(mask.rank() >= 2 && mask.dim(0) == x.dim(0) && mask.dim(1) == x.dim(1), describe(self),
          ": the mask has shape ", to_string(mask.shape()), "; expected (batch, steps) of the inputs, which are ",
          to_string(x.shape()));
  mask = ops::cast(mask, DType::boolean);
  for (; mask.rank() > 2;) mask = ops::reduce_max(mask, {-1});
  return mask;
}

// A mask [batch] as [batch, 1, …], to be spread over `like`.
Value spread(Value mask, Value like) {
  Shape shape(like.rank(), 1);
  shape[0] = mask.dim(0);
  return ops::reshape(mask, shape);
}

// One call of a layer: what goes in, and the states and the output that come out.
struct Call {
  const CallContext& ctx;
  const Layer& cell_layer;
  const Cell& cell;
  LoopOptions options;
  Value x, mask;  // [batch, steps, …]; [batch, steps] or undefined
  bool starts_at_zero;
  CellConstants constants;
  Values states;
  Value output;

  // A masked step repeats the output before it, which is zero before the first; or puts out zeros.
  bool repeats() const { return mask && !options.zero_output_for_mask; }
  CallContext context(Trace& trace) const {
    static const TracedArgs none;
    return CallContext(trace, cell_layer, none, ctx.training());
  }
};

// By the op of the cell, if it has one for this case.
bool run_at_once(Call& call) {
  const auto& options = call.options;
  if (call.repeats() && !call.starts_at_zero) return false;  // would put out the first state, not zero
  const auto done = call.cell.sequence(call.context(call.ctx.trace()), call.x, call.states, call.mask, call.constants,
                                       options.go_backwards);
  if (!done) return false;
  call.states = done->states;
  const auto silenced = [&](Value y, Value mask) {
    return call.mask && !call.repeats() ? ops::select(mask, y, ops::scalar_like(y, 0)) : y;
  };
  const auto batch = call.x.dim(0), steps = call.x.dim(1);
  if (options.return_sequences) {
    call.output = silenced(done->outputs, call.mask ? ops::reshape(call.mask, {batch, steps, 1}) : Value());
    if (options.go_backwards) call.output = ops::reverse(call.output, {1});
  } else {
    const auto last = options.go_backwards ? 0 : steps - 1;
    call.output = silenced(call.states[*call.cell.output_state()],
                           call.mask ? ops::slice_axis(call.mask, 1, last, last + 1) : Value());
  }
  return true;
}

// Step by step.
void run_steps(Call& call) {
  const CallContext& ctx = call.ctx;
  const Cell& cell = call.cell;
  const LoopOptions& options = call.options;
  const auto batch = call.x.dim(0), steps = call.x.dim(1);
  Values sequences{cell.project(call.context(ctx.trace()), swap_batch_and_time(call.x), call.constants)};
  if (call.mask) sequences.push_back(swap_batch_and_time(call.mask));

  // The output of the step before is needed for masked steps and as last output. Often it is one of the states; else
  // it is carried.
  const std::size_t count = call.states.size();
  const bool repeats = call.repeats();
  const bool in_states = cell.output_state().has_value() && (!call.mask || (repeats && call.starts_at_zero));
  const bool carried = !in_states && (repeats || !options.return_sequences);
  Values carries = call.states;
  if (carried)
    carries.push_back(ops::zeros(ctx.program(), {batch, cell.output_size()}, call.cell_layer.compute_dtype()));

  const LoopStep step = [&](Trace& trace, const Values& c, const Values& xs, const Values& k) {
    const CallContext inner = call.context(trace);
    std::size_t at = 0;
    const CellConstants constants_here = call.constants.map<Value>([&](const Value&) { return k[at++]; });
    const Values before(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(count));
    CellStep now = cell.step(inner, xs[0], before, constants_here);
    require(now.states.size() == count, describe(call.cell_layer), ": step returned ", now.states.size(),
            " states, not ", count);
    if (call.mask) {
      for (std::size_t i = 0; i < count; ++i)
        now.states[i] = ops::select(spread(xs[1], now.states[i]), now.states[i], before[i]);
      if (in_states)
        now.output = now.states[*cell.output_state()];
      else
        now.output =
            ops::select(spread(xs[1], now.output), now.output, repeats ? c.back() : ops::scalar_like(now.output, 0));
    }
    ops::ScanResult result{std::move(now.states), {}};
    if (carried) result.carries.push_back(now.output);
    if (options.return_sequences) result.outputs.push_back(now.output);
    return result;
  };
  const ops::ScanResult done =
      loop(ctx.trace(), carries, sequences, call.constants.flatten(), steps, options.go_backwards, step);

  call.states.assign(done.carries.begin(), done.carries.begin() + static_cast<std::ptrdiff_t>(count));
  if (options.return_sequences) {
    // In the order of processing: a backward loop's first output is that of the last step.
    call.output = swap_batch_and_time(options.go_backwards ? ops::reverse(done.outputs[0], {0}) : done.outputs[0]);
  } else {
    call.output = carried ? done.carries.back() : call.states[*cell.output_state()];
  }
}

}  // namespace

void Recurrent::reset_state() {
  for (const auto& state : states_) {
    Array& value = state.variable()->storage();
    std::fill_n(static_cast<char*>(value.raw()), value.byte_size(), char{0});
    state.variable()->touched();
  }
}

void Recurrent::check_sequence(const Layer& self, const std::vector<Spec>& inputs, std::size_t ndim) const {
  check_inputs(self, inputs, {.ndim = ndim, .min_ndim = 3});
  const Shape& x = inputs[0].shape;
  for (std::size_t i = 2; self.built() && i < x.size(); ++i)
    require(x.size() == step_shape_.size() + 2 &&
                (x[i] == None || step_shape_[i - 2] == None || x[i] == step_shape_[i - 2]),
            describe(self), ": was built for steps of shape ", to_string(step_shape_), "; got inputs of shape ",
            to_string(x));
  if (self.built() && !states_.empty()) {
    const auto batch = states_[0].variable()->stored().dim(0);
    require(x[0] == batch, describe(self), ": is stateful for a batch of ", batch, "; got a batch of ",
            x[0] == None ? "unknown size" : std::to_string(x[0]));
  }
}

void Recurrent::build_loop(const Layer& self, Builder& b, const Spec& x) {
  step_shape_ = Shape(x.shape.begin() + 2, x.shape.end());
  Spec step{{x.dim(0)}, x.dtype};
  step.shape.insert(step.shape.end(), step_shape_.begin(), step_shape_.end());
  b.build(cell_, step);
  states_.clear();
  if (!loop_options().stateful) return;
  require(x.dim(0) != None, describe(self), ": stateful = true needs a fixed batch size; got inputs of shape ",
          to_string(x.shape), "; use Input({…}, {.batch_size = n})");
  Program scratch;
  for (const Value& state : cell().get_initial_state(scratch, x.dim(0), self.compute_dtype())) {
    states_.push_back(b.weight("rnn_state", state.shape(), Initializer("zeros"), {.trainable = false}));
    states_.back().variable()->is_weight = false;  // as in Keras: kept, but not among the weights
  }
}

Values Recurrent::initial_states(const Layer& self, const CallContext& ctx, const TracedArgs& args, Value x) const {
  const DType dtype = cell_->compute_dtype();
  Values states;
  if (const TracedNest* given = args.find("initial_state"); given && !given->is_none()) {
    for (const Traced& s : given->flatten()) states.push_back(ops::cast(s.value, dtype));
    Program scratch;
    const Values expected = cell().get_initial_state(scratch, x.dim(0), dtype);
    require(states.size() == expected.size(), describe(self), ": initial_state holds ", states.size(),
            " tensor(s); the cell has ", expected.size(), " state(s)");
    for (std::size_t i = 0; i < states.size(); ++i)
      require(states[i].shape() == expected[i].shape(), describe(self), ": initial_state ", i, " has shape ",
              to_string(states[i].shape()), "; expected ", to_string(expected[i].shape()));
    return states;
  }
  for (const auto& state : states_) states.push_back(ops::cast(ctx.raw(state), dtype));
  return states.empty() ? cell().get_initial_state(ctx.program(), x.dim(0), dtype) : states;
}

TracedNest Recurrent::run(const Layer& self, const CallContext& ctx, const TracedArgs& args) const {
  static const TracedArgs none;
  const LoopOptions options = loop_options();
  const Cell& cell = this->cell();
  require(args.args.size() == 1 && args.args[0].is_leaf(), describe(self), ": takes one tensor [batch, steps, …]");
  const Value x = cast_floating(args.args[0].leaf().value, cell_->compute_dtype());
  const auto batch = x.dim(0), steps = x.dim(1);
  Values states = initial_states(self, ctx, args, x);
  const TracedNest* given = args.find("initial_state");
  const bool starts_at_zero = (!given || given->is_none()) && states_.empty();
  Value output;

  if (steps == 0) {
    output =
        ops::zeros(ctx.program(),
                   options.return_sequences ? Shape{batch, 0, cell.output_size()} : Shape{batch, cell.output_size()},
                   cell_->compute_dtype());
  } else {
    const CallContext outer(ctx.trace(), *cell_, none, ctx.training());
    Spec step{{batch}, x.dtype()};
    step.shape.insert(step.shape.end(), x.shape().begin() + 2, x.shape().end());
    const Value mask = ctx.call_mask() ? step_mask(self, ctx.call_mask(), x) : Value();
    Call call{ctx, *cell_, cell, options, x, mask, starts_at_zero, cell.constants(outer, step), std::move(states), {}};
    if (!run_at_once(call)) run_steps(call);
    states = std::move(call.states);
    output = call.output;
    for (std::size_t i = 0; i < states_.size(); ++i)
      ctx.update(states_[i], ops::cast(states[i], states_[i].variable()->stored().dtype()));
  }

  const TracedNest first(Traced{cast_floating(output, self.compute_dtype()), {}});
  if (!options.return_state) return first;
  for (Value& s : states) s = cast_floating(s, self.compute_dtype());
  TracedNest::List list{first};
  for (auto& state : arrange_states(cell.state_size(), states)) list.push_back(std::move(state));
  return TracedNest(std::move(list));
}

// The input's mask goes on with sequences; states never have one.
Values Recurrent::mask_of(const CallContext& ctx) const {
  const LoopOptions options = loop_options();
  if (ctx.mask_semantics() == MaskSemantics::keras3_16 || !options.return_sequences) return {};
  Values masks{ctx.mask()};
  if (options.return_state) masks.resize(1 + cell().state_size().flatten().size());
  return masks;
}

}  // namespace ramet::layers
