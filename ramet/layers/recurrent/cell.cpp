#include "ramet/layers/recurrent/cell.h"

#include "ramet/layers/dropout_mask.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {

Values Cell::get_initial_state(Program& program, std::int64_t batch, DType dtype) const {
  Values out;
  for (const auto size : state_size().flatten()) out.push_back(ops::zeros(program, {batch, size}, dtype));
  return out;
}

const Cell& as_cell(const LayerRef& layer, std::string_view who) {
  require(layer != nullptr, who, ": no cell was given");
  const auto* cell = dynamic_cast<const Cell*>(layer.get());
  require(cell != nullptr, who, ": ", describe(*layer),
          " is not a cell; a cell derives from CellOf and says its state_size and step");
  require(!cell->state_size().flatten().empty(), who, ": ", describe(*layer), " has no states");
  return *cell;
}

TracedNest call_cell(const Cell& cell, const Layer& layer, const CallContext& ctx, const TracedArgs& args) {
  const TracedNest* x = !args.args.empty() ? &args.args[0] : args.find("inputs");
  const TracedNest* given = args.args.size() > 1 ? &args.args[1] : args.find("states");
  require(x && x->is_leaf(), describe(layer), ": takes one tensor as inputs");
  require(given && !given->is_none(), describe(layer), ": needs the states of the step before, as second argument");
  const Value input = x->leaf().value;
  const auto sizes = cell.state_size().flatten();
  Values states;
  for (const Traced& s : given->flatten()) states.push_back(s.value);
  require(states.size() == sizes.size(), describe(layer), ": has ", sizes.size(), " state(s); got ", states.size());
  const Spec spec = input.spec();  // a copy: emitting moves the program's own
  const CellConstants constants = cell.constants(ctx, spec);
  const CellStep result = cell.step(ctx, cell.project(ctx, input, constants), states, constants);
  require(result.states.size() == sizes.size(), describe(layer), ": step returned ", result.states.size(),
          " states, not ", sizes.size());
  // States come back in the structure they were given in.
  std::size_t at = 0;
  TracedNest next = given->map<Traced>([&](const Traced&) { return Traced{result.states[at++], {}}; });
  return TracedNest(TracedNest::List{TracedNest(Traced{result.output, {}}), std::move(next)});
}

TracedNest::List arrange_states(const Nest<std::int64_t>& state_size, const Values& states) {
  std::size_t at = 0;
  const TracedNest all = state_size.map<Traced>([&](std::int64_t) { return Traced{states[at++], {}}; });
  return all.is_list() ? all.list() : TracedNest::List{all};
}

CellDropout CellDropout::draw(const CallContext& ctx, const Weight& seed, double dropout, double recurrent_dropout,
                              std::size_t gates, const Spec& x, std::int64_t units) {
  CellDropout out;
  if (!ctx.training()) return out;
  // A rate of one means none to Keras' cells.
  const auto active = [](double rate) { return rate > 0 && rate < 1; };
  for (std::size_t i = 0; i < gates; ++i) {
    if (active(dropout)) out.input.push_back(dropout_mask(ctx, seed, x.shape, dropout));
    if (active(recurrent_dropout))
      out.recurrent.push_back(dropout_mask(ctx, seed, {x.dim(0), units}, recurrent_dropout));
  }
  return out;
}

CellDropout CellDropout::from(const CellConstants& constants) {
  CellDropout out;
  if (!constants.is_list()) return out;
  out.input = constants.list().at(0).flatten();
  out.recurrent = constants.list().at(1).flatten();
  return out;
}

CellConstants CellDropout::as_constants() const {
  CellConstants::List lists;
  for (const Values* masks : {&input, &recurrent})
    lists.push_back(CellConstants(CellConstants::List(masks->begin(), masks->end())));
  return CellConstants(std::move(lists));
}

Value dropped(Value x, const Values& masks, std::size_t gate) {
  return masks.empty() ? x : x * masks[masks.size() == 1 ? 0 : gate];
}

Value product(Value x, Value w) {
  if (x.rank() == 2) return ops::matmul(x, w);
  Shape out = x.shape();
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < out.size(); ++i) rows *= out[i];
  out.back() = w.dim(1);
  return ops::reshape(ops::matmul(ops::reshape(x, {rows, x.dim(-1)}), w), out);
}

Value gate_product(Value x, const Values& masks, Value w, std::size_t gates) {
  if (masks.size() <= 1) return product(dropped(x, masks, 0), w);
  const Values parts = gate_parts(w, gates);
  Values out;
  for (std::size_t i = 0; i < gates; ++i) out.push_back(product(dropped(x, masks, i), parts[i]));
  return ops::concat(out, static_cast<int>(x.rank()) - 1);
}

std::optional<CellSequence> run_sequence(const ops::RecurrentCell& cell, Value x, const CellDropout& dropout,
                                         Value kernel, Value recurrent_kernel, Value bias, const Values& states,
                                         Value mask, bool reverse) {
  const DType dtype = x.dtype();
  if (!dropout.recurrent.empty() || dropout.input.size() > 1 || x.rank() != 3 ||
      (dtype != DType::f32 && dtype != DType::bf16))
    return std::nullopt;
  if (!dropout.input.empty()) x = x * ops::reshape(dropout.input[0], {x.dim(0), 1, x.dim(2)});
  // Brain floats are rounded at the ends of the sequence, not at every step.
  const auto whole = [](Value v) { return v ? ops::cast(v, DType::f32) : v; };
  Values first, last;
  for (const Value& state : states) first.push_back(whole(state));
  const ops::RecurrentResult r =
      ops::recurrent(cell, whole(x), whole(kernel), whole(recurrent_kernel), whole(bias), first, mask, reverse);
  for (const Value& state : r.states) last.push_back(ops::cast(state, dtype));
  return CellSequence{last, ops::cast(r.sequence, dtype)};
}

Values gate_parts(Value x, std::size_t gates) {
  return ops::split_sizes(x, static_cast<int>(x.rank()) - 1,
                          std::vector<std::int64_t>(gates, x.dim(-1) / static_cast<std::int64_t>(gates)));
}

}  // namespace ramet::layers
