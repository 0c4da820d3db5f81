#include "ramet/graph/trace.h"

#include "ramet/graph/layer.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/random/random_ops.h"

namespace ramet {

const TracedNest* TracedArgs::find(std::string_view name) const {
  for (const auto& [key, value] : kwargs)
    if (key == name) return &value;
  return nullptr;
}

Value Trace::value_of(const VariableRef& variable) {
  Entry& entry = entries_[variable->identity()];
  if (!entry.now) {
    entry.input = static_cast<int>(program.inputs().size());
    entry.now = program.input(variable->path, variable->spec(), InputKind::state);
    variables_.push_back(variable);
  }
  return entry.now;
}

void Trace::update(const VariableRef& variable, Value value) {
  const Value now = value_of(variable);
  require(value.spec() == now.spec(), "variable '", variable->path, "' is ", now.spec(), " and was given ",
          value.spec(), "; an update has the variable's shape and type (ops::cast, ops::reshape)");
  Entry& entry = entries_[variable->identity()];
  entry.now = value;
  entry.updated = true;
}

void Trace::bind(const VariableRef& variable, Value value) {
  ensure(value.spec() == variable->spec(), "variable '", variable->path, "' is ", variable->spec(),
         " and was bound to ", value.spec());
  entries_[variable->identity()].now = value;
}

TracedArgs Trace::with_masks_now(const TracedArgs& args) const {
  if (masks_.empty()) return args;
  TracedArgs out;
  const auto now = [&](const Traced& t) { return Traced{t.value, mask_of(t)}; };
  for (const auto& a : args.args) out.args.push_back(a.map<Traced>(now));
  for (const auto& [key, a] : args.kwargs) out.kwargs.emplace_back(key, a.map<Traced>(now));
  return out;
}

void Trace::finish() {
  for (const auto& variable : variables_) {
    const Entry& entry = entries_[variable->identity()];
    if (entry.updated) program.set_state(entry.input, entry.now);
  }
}

CallContext::CallContext(Trace& trace, const Layer& layer, const TracedArgs& args, bool training)
    : trace_(trace),
      layer_(layer),
      args_(args),
      first_(args.args.empty() ? std::vector<Traced>() : args.args[0].flatten()),
      training_(training),
      compute_dtype_(layer.compute_dtype()),
      autocast_(layer.autocast()) {}

Value CallContext::operator[](const Weight& weight) const {
  const Value v = raw(weight);
  return autocast_ && is_floating(v.dtype()) ? ops::cast(v, compute_dtype_) : v;
}

Value CallContext::raw(const Weight& weight) const { return trace_.value_of(built(weight)); }
void CallContext::update(const Weight& weight, Value value) const { trace_.update(built(weight), value); }

const VariableRef& CallContext::built(const Weight& weight) const {
  require(static_cast<bool>(weight), describe(layer_),
          ": a weight was used that was never made; make it in `build`: kernel_ = b.weight(\"kernel\", shape, "
          "initializer), and a random state by b.seed(…)");
  return weight.variable();
}

Value CallContext::draw(const Weight& seed) const {
  const Value state = raw(seed);
  update(seed, ops::next_state(state));
  return state;
}

Value CallContext::mask(std::size_t i) const {
  if (const TracedNest* given = args_.find("mask"); given && !given->is_none()) {
    if (given->is_leaf()) return i == 0 ? given->leaf().value : Value{};
    // A list of masks may hold None, so position counts, not the number of masks.
    if (given->is_list())
      return i < given->list().size() && given->list()[i].is_leaf() ? given->list()[i].leaf().value : Value{};
  }
  return i < first_.size() ? first_[i].mask : Value{};
}

Value CallContext::call_mask() const {
  bool others = false;
  for (std::size_t i = 1; i < args_.args.size(); ++i) others |= !args_.args[i].flatten().empty();
  for (const auto& [key, value] : args_.kwargs) others |= !value.flatten().empty();
  const TracedNest* given = args_.find("mask");
  if (given && !given->is_none()) return mask();
  return others && mask_semantics() != MaskSemantics::keras2 ? Value{} : mask();
}

Value CallContext::tensor(std::string_view name) const {
  const TracedNest* given = args_.find(name);
  return given && given->is_leaf() ? given->leaf().value : Value{};
}

bool CallContext::flag(std::string_view name, bool otherwise) const {
  const TracedNest* given = args_.find(name);
  return given && given->is_constant() && given->constant().is_bool() ? given->constant().as_bool() : otherwise;
}

TracedNest CallContext::call(const LayerRef& layer, TracedArgs args) const {
  const bool before = trace_.training;
  trace_.training = training_;
  require(layer != nullptr, describe(layer_), ": a layer inside was called that is not there (a null LayerRef)");
  TracedNest out = layer->trace(trace_, args);
  trace_.training = before;
  return out;
}

Traced CallContext::call(const LayerRef& layer, Traced x) const {
  const TracedNest out = call(layer, TracedArgs{{TracedNest(x)}, {}});
  require(out.is_leaf(), describe(*layer), ": was called for one output and has several; call it with TracedArgs");
  return out.leaf();
}

Value CallContext::call(const LayerRef& layer, Value x) const { return call(layer, Traced{x, {}}).value; }

}  // namespace ramet
