#include "ramet/graph/model.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet {
namespace {

std::string expected_found(const ModelLayer& model, std::size_t i, const Tensor& input, const Shape& got) {
  return cat("Input ", i, " with name '", input.name(), "' of layer '", model.name(),
             "' is incompatible with the layer: expected shape=", to_string(input.shape()),
             ", found shape=", to_string(got));
}

bool fits(const Shape& declared, const Shape& got) {
  if (declared.size() != got.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (declared[i] != None && declared[i] != got[i]) return false;
  return true;
}

// Keras' rank fix: a trailing axis of one is dropped, or added where the declared last size is one.
Traced fix_rank(Traced t, const Tensor& input) {
  const Shape& want = input.shape();
  if (t.value.rank() == want.size() + 1 && t.value.dim(-1) == 1)
    t.value = ops::squeeze(t.value, -1);
  else if (t.value.rank() + 1 == want.size() && !want.empty() && want.back() == 1)
    t.value = ops::expand_dims(t.value, -1);
  return t;
}

}  // namespace

LayerRef ModelLayer::get_layer(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& layer : layers()) {
    if (layer->name() == name) return layer;
    names.push_back(cat("'", layer->name(), "'"));
  }
  throw UsageError(cat("No such layer: ", name, ". Existing layers are: [", join_some(names), "]."));
}

std::vector<std::string> ModelLayer::output_names() const {
  std::vector<std::string> names;
  for (const Tensor& t : graph().flat_outputs()) names.push_back(t.node()->operation->name());
  return names;
}

std::vector<Traced> ModelLayer::match_inputs(const TracedArgs& args) const {
  const Graph& g = graph();
  require(!args.args.empty(), describe(*this), ": called without inputs");
  std::vector<TracedNest> found;
  const std::size_t count = g.flat_inputs().size();
  const TracedNest& given = args.args[0];
  if (given.is_dict() && !g.inputs().is_dict()) {
    std::map<std::string_view, const TracedNest*> by_name;
    for (const auto& [key, nest] : given.dict()) by_name.emplace(key, &nest);
    for (const Tensor& input : g.flat_inputs()) {
      const auto entry = by_name.find(input.name());
      require(entry != by_name.end(), describe(*this), ": missing an input named '", input.name(), "'");
      found.push_back(*entry->second);
    }
  } else {
    // None keeps its place, for optional inputs.
    const std::function<void(const TracedNest&)> flatten = [&](const TracedNest& n) {
      if (n.is_list())
        for (const auto& item : n.list()) flatten(item);
      else if (n.is_dict())
        for (const auto* entry : n.sorted()) flatten(entry->second);
      else
        found.push_back(n);
    };
    flatten(given);
  }
  require(found.size() == count, "Layer '", name(), "' expected ", count, " input(s). Received ", found.size(),
          " instead.");

  std::vector<Traced> out;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& input = g.flat_inputs()[i];
    const auto& layer = static_cast<const InputLayer&>(*input.node()->operation);
    if (found[i].is_none()) {
      require(layer.config().optional, "The input '", input.name(), "' is not optional, but None was passed");
      out.push_back({});
      continue;
    }
    require(found[i].is_leaf(), describe(*this), ": input ", i, " is not a tensor");
    const Traced t = fix_rank(found[i].leaf(), input);
    require(fits(input.shape(), t.value.shape()), expected_found(*this, i, input, found[i].leaf().value.shape()));
    out.push_back({ops::cast(t.value, input.dtype()), t.mask});
  }
  return out;
}

namespace {

// Whether a call has no rows at all: a replica that got no part of the batch, or an empty batch.
bool no_rows(const std::vector<Traced>& inputs) {
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const Traced& t) { return t.value && t.value.rank() >= 1 && t.value.dim(0) == 0; });
}

// How much of the batch the call is for.
double share_of(const Trace& trace, const TracedArgs& args) {
  const auto inputs = args.args.empty() ? std::vector<Traced>() : args.args[0].flatten();
  return inputs.empty() || !inputs[0].value ? 1.0 : trace.share_of(inputs[0].value);
}

// Outputs without rows, of the shapes the graph gives for one row. Nothing runs, so no state (moving statistics, seeds)
// changes.
TracedNest outputs_without_rows(const Graph& graph, Trace& trace, const std::vector<Traced>& inputs) {
  Program scratch;
  Trace once(scratch, trace.training, trace.mask_semantics);
  const auto one_row = [&](Value v) {
    Spec spec = v.spec();
    spec.shape[0] = 1;
    return scratch.input("row", spec);
  };
  std::vector<Traced> rows;
  for (const Traced& t : inputs) rows.push_back({one_row(t.value), t.mask ? one_row(t.mask) : Value{}});
  const auto none = [&](Value v) {
    Shape shape = v.shape();
    if (!shape.empty()) shape[0] = 0;
    return ops::zeros(trace.program, shape, v.dtype());
  };
  return graph.trace(once, rows).map<Traced>([&](const Traced& t) {
    return Traced{none(t.value), t.mask ? none(t.mask) : Value{}};
  });
}

}  // namespace

TracedNest ModelLayer::trace(Trace& trace, const TracedArgs& given_args) {
  const TracedArgs args = trace.with_masks_now(given_args);
  std::vector<Traced> inputs = match_inputs(args);
  if (const TracedNest* given = args.find("mask"); given && !given->is_none()) {
    // The tensor itself has the mask from now on, inside the model and outside.
    const auto set = [&](Traced& input, const TracedNest& mask) {
      if (!mask.is_leaf() || !input.value) return;
      if (trace.mask_of(input) != mask.leaf().value) trace.set_mask(input.value, mask.leaf().value);
      input.mask = mask.leaf().value;
    };
    if (given->is_leaf() && inputs.size() == 1) set(inputs[0], *given);
    if (given->is_list())
      for (std::size_t i = 0; i < inputs.size() && i < given->list().size(); ++i) set(inputs[i], given->list()[i]);
  }
  const bool before = trace.training;
  if (const TracedNest* given = args.find("training"); given && given->is_constant() && given->constant().is_bool())
    trace.training = given->constant().as_bool();
  const std::size_t losses_before = trace.losses.size();
  trace.scope.push_back(name());
  TracedNest out = no_rows(inputs) ? outputs_without_rows(graph(), trace, inputs) : graph().trace(trace, inputs);
  trace.scope.pop_back();
  trace.training = before;
  if (const double share = share_of(trace, args); share != 1)
    for (std::size_t i = losses_before; i < trace.losses.size(); ++i) trace.losses[i] = trace.losses[i] * share;
  // A list of one output is handed on as the output itself.
  if (out.is_list() && out.list().size() == 1 && out.list()[0].is_leaf()) return out.list()[0];
  return out;
}

FunctionalLayer::FunctionalLayer(Arg inputs, Arg outputs, LayerOptions options)
    : ModelLayer(options.name.empty() ? unique_name("Functional") : options.name, true, options.dtype), graph_([&] {
        auto [in, out] = with_proper_inputs(inputs, outputs);
        return Graph(std::move(in), std::move(out));
      }()) {
  mark_built();
  set_own_trainable(options.trainable);
}

SequentialLayer::SequentialLayer(std::vector<LayerRef> layers, LayerOptions options)
    : ModelLayer(options.name.empty() ? unique_name("Sequential") : options.name, true, options.dtype) {
  for (auto& layer : layers) add(std::move(layer));
  set_own_trainable(options.trainable);
}

const Graph& SequentialLayer::graph() const {
  require(graph_ != nullptr, "Sequential '", name(),
          "' has not been built yet; begin it with Input(…), call build(input_shape), or call it on a tensor");
  return *graph_;
}

void SequentialLayer::add(LayerRef layer) {
  require(layer != nullptr, "Sequential '", name(), "': an empty layer was added");
  if (layer->class_name() == "InputLayer") return add_input(std::static_pointer_cast<InputLayer>(layer)->output());
  for (const auto& other : layers_)
    require(other->name() != layer->name(), "All layers added to a Sequential model should have unique names. Name '",
            layer->name(), "' is already the name of a layer in '", name(), "'.");
  if (input_) {
    const Tensor y = next(layer);
    graph_ = std::make_unique<Graph>(Arg(*input_), Arg(y));
    end_ = y;
  }
  layers_.push_back(std::move(layer));
}

Tensor SequentialLayer::next(const LayerRef& layer) const {
  const PathScope scope(name());
  const Tensor y = layer->call(CallArgs{{Arg(end_)}, {}});
  require(!y.several(), "Sequential '", name(), "': every layer must have one output; ", describe(*layer), " returned ",
          y.size());
  return y;
}

void SequentialLayer::add_input(const Tensor& input) {
  require(layers_.empty() && !input_, "Sequential '", name(),
          "' has already been configured to use an input; an Input must come first");
  input_ = input;
  rebuild();
}

LayerRef SequentialLayer::pop() {
  require(!layers_.empty(), "Sequential '", name(), "': there is no layer to remove");
  LayerRef last = layers_.back();
  layers_.pop_back();
  rebuild();
  return last;
}

void SequentialLayer::rebuild() {
  if (!input_) return graph_.reset();
  end_ = *input_;
  for (const auto& layer : layers_) end_ = next(layer);
  graph_ = std::make_unique<Graph>(Arg(*input_), Arg(end_));
  mark_built();
}

void SequentialLayer::build_for(const Spec& input) {
  if (graph_) return;
  require(!layers_.empty(), "Sequential model ", name(),
          " cannot be built because it has no layers. Call `model.add(layer)`.");
  InputLayer::Config config;
  config.batch_shape = input.shape;
  config.dtype = keras_name(input.dtype);
  input_ = InputLayer::create(config);
  try {
    rebuild();
  } catch (...) {
    input_.reset();
    graph_.reset();
    throw;
  }
}

void SequentialLayer::prepare(const SpecArgs& args) {
  check_arguments(args);
  if (graph_) return;
  const auto inputs = args.inputs();
  require(inputs.size() == 1, "Sequential '", name(), "': takes one tensor; got ", inputs.size());
  build_for(inputs[0]);
}

void SequentialLayer::build_args(Builder&, const SpecArgs& args) { prepare(args); }

// ---- handles
// --------------------------------------------------------------------------------------------------------------------
ModelLayer& Model::layer() const {
  require(layer_ != nullptr, "an empty Model was used; make one with Model(inputs, outputs) or Sequential");
  return *layer_;
}

Model::Model(const Arg& inputs, const Arg& outputs, ModelOptions options)
    : layer_(std::make_shared<FunctionalLayer>(inputs, outputs,
                                               LayerOptions{std::move(options.name), options.trainable, ""})) {}

LayerRef Model::get_layer(std::size_t index) const {
  const auto all = layers();
  require(index < all.size(), "Was asked to retrieve layer at index ", index, " but model only has ", all.size(),
          " layers.");
  return all[index];
}

Tensor Model::input() const { return Tensor::bundle(layer().graph().inputs()); }
Tensor Model::output() const {
  const Arg& out = layer().graph().outputs();
  if (out.is_list() && out.list().size() == 1) return Tensor::bundle(Arg(out.list()[0]));
  return Tensor::bundle(out);
}

Tensor Model::operator()(const Arg& x, const MaskCall& call) const {
  CallArgs args{{x}, {}};
  if (!call.mask.is_none()) args.kwargs.emplace_back("mask", call.mask);
  if (call.training) args.kwargs.emplace_back("training", Arg(Json(*call.training)));
  return layer().call(args);
}

void Model::set_mask_semantics(MaskSemantics semantics) { layer().mask_semantics = semantics; }

const double* Logs::find(std::string_view name) const {
  for (const auto& [key, value] : *this)
    if (key == name) return &value;
  return nullptr;
}

double Logs::operator[](std::string_view name) const {
  if (const double* found = find(name)) return *found;
  std::vector<std::string> names;
  for (const auto& entry : *this) names.push_back(entry.first);
  throw UsageError(cat("there is no log named '", name, "'; there are ", join(names)));
}

void Logs::set(std::string_view name, double value) {
  auto at =
      std::lower_bound(begin(), end(), name, [](const auto& entry, std::string_view n) { return entry.first < n; });
  if (at != end() && at->first == name)
    at->second = value;
  else
    insert(at, {std::string(name), value});
}

Sequential::Sequential(ModelOptions options)
    : Model(std::make_shared<SequentialLayer>(std::vector<LayerRef>{},
                                              LayerOptions{std::move(options.name), options.trainable, ""})) {}
Sequential::Sequential(std::initializer_list<LayerRef> layers, ModelOptions options)
    : Model(std::make_shared<SequentialLayer>(std::vector<LayerRef>(layers),
                                              LayerOptions{std::move(options.name), options.trainable, ""})) {}
Sequential::Sequential(const Tensor& input, std::initializer_list<LayerRef> layers, ModelOptions options)
    : Sequential(std::move(options)) {
  add(input);
  for (const auto& l : layers) add(l);
}
void Sequential::add(LayerRef l) { static_cast<SequentialLayer&>(layer()).add(std::move(l)); }
void Sequential::add(const Tensor& input) { static_cast<SequentialLayer&>(layer()).add_input(input); }
void Sequential::pop() { static_cast<SequentialLayer&>(layer()).pop(); }
void Sequential::build(const Shape& input_shape) {
  static_cast<SequentialLayer&>(layer()).build_for({input_shape, DType::f32});
}

}  // namespace ramet
