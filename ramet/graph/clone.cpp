#include "ramet/graph/clone.h"

#include "ramet/graph/op_operation.h"

namespace ramet {
namespace {

class Cloner {
 public:
  explicit Cloner(const CloneOptions& options) : options_(options) {}

  ModelRef clone(const ModelLayer& model, const std::vector<CloneInput>& inputs) {
    return model.class_name() == "Sequential" ? sequential(static_cast<const SequentialLayer&>(model), inputs)
                                              : functional(model, inputs);
  }

  // One clone per layer, so that what was shared stays shared, at every depth.
  LayerRef twin(const LayerRef& layer) {
    LayerRef& slot = twins_[layer];
    if (slot) return slot;
    const bool nested = dynamic_cast<const ModelLayer*>(layer.get()) != nullptr;
    if (nested && (options_.recursive || !options_.clone_function))
      slot = clone(static_cast<const ModelLayer&>(*layer), {});
    else if (options_.clone_function)
      slot = options_.clone_function(layer);
    else
      slot = options_.dtype.empty() ? layer->clone() : layer->clone_as(options_.dtype);
    require(slot != nullptr, "clone_model: clone_function returned nothing for ", describe(*layer));
    return slot;
  }

  const LayerMap& twins() const { return twins_; }

 private:
  ModelRef functional(const ModelLayer& model, const std::vector<CloneInput>& given) {
    const Graph& graph = model.graph();
    const auto& old_inputs = graph.flat_inputs();
    require(given.empty() || given.size() == old_inputs.size(), "clone_model: input_tensors must match the inputs of '",
            model.name(), "': expected ", old_inputs.size(), ", got ", given.size());
    std::map<Tensor, Tensor> start;
    for (std::size_t i = 0; i < old_inputs.size(); ++i)
      start[old_inputs[i]] = new_input(old_inputs[i], given.empty() ? nullptr : &given[i]);
    const Arg inputs = graph.inputs().map<Tensor>([&](const Tensor& t) { return start.at(t); });
    const ReplayHooks hooks{[&](const OperationRef& operation) -> OperationRef {
                              if (!operation->is_layer()) return static_cast<const OpOperation&>(*operation).clone();
                              return twin(std::static_pointer_cast<Layer>(operation));
                            },
                            [&](const OperationRef& operation, const CallArgs& args) {
                              if (options_.call_function && operation->is_layer())
                                return options_.call_function(std::static_pointer_cast<Layer>(operation), args);
                              return operation->call(args);
                            }};
    std::optional<DeviceScope> scope;
    if (options_.device) scope.emplace(*options_.device);
    const Arg outputs = replay(graph, start, hooks);
    auto out = std::make_shared<FunctionalLayer>(inputs, outputs, LayerOptions{model.name(), true, model.dtype_name()});
    return finish(model, out);
  }

  ModelRef sequential(const SequentialLayer& model, const std::vector<CloneInput>& given) {
    require(!options_.call_function, "clone_model: `call_function` is not supported for a Sequential model ('",
            model.name(), "')");
    require(given.size() <= 1, "clone_model: a Sequential model ('", model.name(), "') takes one input tensor; got ",
            given.size());
    auto out = std::make_shared<SequentialLayer>(std::vector<LayerRef>{},
                                                 LayerOptions{model.name(), true, model.dtype_name()});
    std::optional<DeviceScope> scope;
    if (options_.device) scope.emplace(*options_.device);
    if (model.input())
      out->add_input(new_input(*model.input(), given.empty() ? nullptr : &given[0]));
    else if (!given.empty())
      out->add_input(std::holds_alternative<Array>(given[0])
                         ? Input({.name = cat("input_wrapper_for_", model.name()), .tensor = std::get<Array>(given[0])})
                         : std::get<Tensor>(given[0]));
    for (const auto& layer : model.layers()) out->add(twin(layer));
    return finish(model, out);
  }

  ModelRef finish(const ModelLayer& model, ModelRef out) {
    out->set_own_trainable(model.trainable());
    out->mask_semantics = model.mask_semantics;
    return out;
  }

  // Same batch shape, type, flags and layer name; or what the caller gave.
  Tensor new_input(const Tensor& old, const CloneInput* given) {
    const auto layer = std::static_pointer_cast<InputLayer>(old.node()->operation);
    if (!given) {
      const auto copy = std::static_pointer_cast<InputLayer>(layer->clone());
      twins_[layer] = copy;
      return copy->output();
    }
    if (const Array* data = std::get_if<Array>(given))
      return Input({.sparse = layer->config().sparse,
                    .name = cat("input_wrapper_for_", layer->name()),
                    .tensor = *data,
                    .optional = layer->config().optional});
    const Tensor& t = std::get<Tensor>(*given);
    require(t.shape().size() == old.shape().size(), "clone_model: the input tensor for '", old.name(), "' has shape ",
            to_string(t.shape()), ", the model's has ", to_string(old.shape()));
    return t;
  }

  const CloneOptions& options_;
  LayerMap twins_;
};

}  // namespace

// Pairs with the same weights take them over; a layer that clone_function replaced by something else keeps its own.
void take_weights(const LayerMap& twins, Weights how) {
  for (const auto& [old, fresh] : twins) {
    if (old == fresh) continue;
    const auto from = old->weights(), to = fresh->weights();
    bool same = from.size() == to.size();
    for (std::size_t i = 0; same && i < from.size(); ++i) same = from[i]->stored().shape() == to[i]->stored().shape();
    if (!same) continue;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i]->identity() == to[i]->identity()) continue;
      require(how != Weights::share || from[i]->spec() == to[i]->spec(), "clone_model: '", to[i]->path, "' is ",
              to[i]->spec(), " in the clone and ", from[i]->spec(),
              " in the source, so it cannot be shared; use Weights::copy or another dtype");
      if (how == Weights::share)
        to[i]->share(*from[i]);
      else
        to[i]->assign(from[i]->stored());
    }
  }
}

Model clone_model(const Model& model, const CloneOptions& options) {
  require(!options.device || options.device->index < device_count(options.device->kind), "clone_model: device ",
          options.device.value_or(Device()), " is not available; this machine has ", available_devices());
  Cloner cloner(options);
  Model out(cloner.clone(model.layer(), options.input_tensors));
  if (options.weights != Weights::fresh) take_weights(cloner.twins(), options.weights);
  if (options.compile && model.compiled()) out.compile_like(model, options.weights != Weights::fresh);
  if (options.layer_map) *options.layer_map = cloner.twins();
  return out;
}

LayerRef FunctionalLayer::clone_as(const std::string& dtype) const {
  CloneOptions options;
  if (dtype != dtype_name()) options.dtype = dtype;
  return Cloner(options).clone(*this, {});
}

LayerRef SequentialLayer::clone_as(const std::string& dtype) const {
  CloneOptions options;
  if (dtype != dtype_name()) options.dtype = dtype;
  return Cloner(options).clone(*this, {});
}

}  // namespace ramet
