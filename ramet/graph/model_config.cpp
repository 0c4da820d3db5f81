// Models to and from Keras' configuration.
#include <algorithm>
#include <deque>

#include "ramet/graph/model.h"
#include "ramet/graph/op_operation.h"

namespace ramet {
namespace {

Json shape_json(const Shape& shape) {
  JsonArray out;
  for (const auto size : shape) out.push_back(size == None ? Json(nullptr) : Json(size));
  return Json(std::move(out));
}

Json tensor_json(const Graph& graph, const Tensor& t) {
  const JsonArray history = {Json(t.node()->operation->name()), Json(graph.node_index(*t.node())), Json(t.index())};
  return Json(JsonObject{{"class_name", Json("__keras_tensor__")},
                         {"config", Json(JsonObject{{"shape", shape_json(t.shape())},
                                                    {"dtype", Json(std::string(keras_name(t.dtype())))},
                                                    {"keras_history", Json(history)}})}});
}

Json nest_json(const Nest<Tensor>& nest, const std::function<Json(const Tensor&)>& leaf) {
  if (nest.is_leaf()) return leaf(nest.leaf());
  if (nest.is_constant()) return nest.constant();
  if (nest.is_list()) {
    JsonArray out;
    for (const auto& item : nest.list()) out.push_back(nest_json(item, leaf));
    return Json(std::move(out));
  }
  if (nest.is_dict()) {
    JsonObject out;
    for (const auto& [key, item] : nest.dict()) out.set(key, nest_json(item, leaf));
    return Json(std::move(out));
  }
  return Json(nullptr);
}

// A leaf of input_layers and output_layers. Keras counts the calls of a nested Functional from one there.
Json place_json(const Graph& graph, const Tensor& t) {
  const int shift = t.node()->operation->class_name() == "Functional" ? 1 : 0;
  return Json(JsonArray{Json(t.node()->operation->name()), Json(graph.node_index(*t.node()) + shift), Json(t.index())});
}

// ---- reading
// ----------------------------------------------------------------------------------------------------------------------
bool is_tensor(const Json& json) {
  return json.is_object() && json.as_object().contains("class_name") && json.at("class_name").is_string() &&
         json.at("class_name").as_string() == "__keras_tensor__";
}
bool is_tagged(const Json& json) {
  return json.is_object() && json.as_object().contains("class_name") && json.as_object().contains("config");
}
bool holds_tensor(const Json& json) {
  if (is_tensor(json)) return true;
  if (json.is_array()) return std::any_of(json.as_array().begin(), json.as_array().end(), holds_tensor);
  if (json.is_object() && !is_tagged(json))
    return std::any_of(json.as_object().begin(), json.as_object().end(),
                       [](const auto& e) { return holds_tensor(e.second); });
  return false;
}

struct PendingNode {
  std::size_t operation;
  Json data;
};

// Rebuilds a graph from the entries of "layers": operations first, then their calls, each as soon as its tensors exist.
// The calls of one operation are made in order, because a tensor is named by the number of the call.
class GraphReader {
 public:
  explicit GraphReader(const JsonObject& config) : config_(config) {}

  std::pair<Arg, Arg> read() {
    for (const Json& entry : config_.at("layers").as_array()) add(entry.as_object());
    call_all();
    return {place(config_.at("input_layers"), true), place(config_.at("output_layers"), false)};
  }

 private:
  void add(const JsonObject& entry) {
    const std::string& class_name = entry.at("class_name").as_string();
    const Json* module = entry.find("module");
    const std::string from = module && module->is_string() ? module->as_string() : "";
    const bool op = from.find(".ops.") != std::string::npos || from.rfind("keras.ops", 0) == 0;
    OperationRef operation;
    const std::string name = entry.contains("name") ? entry.at("name").as_string() : "";
    try {
      if (op) {
        JsonObject own = entry.at("config").as_object();
        if (!own.contains("name")) own.set("name", Json(name));
        operation = OpOperation::from_config(class_name, own);
      } else
        operation = deserialize_layer(Json(entry));
    } catch (const Error& error) { throw DataError(cat("layer '", name, "' (", class_name, "): ", error.what())); }
    if (calls_.count(operation->name()))
      throw DataError(cat("the name '", operation->name(), "' is used by two operations"));
    operations_.push_back(operation);
    auto& calls = calls_[operation->name()];
    if (class_name == "InputLayer") calls.push_back(static_cast<InputLayer&>(*operation).output());
    const Json* nodes = entry.find("inbound_nodes");
    if (nodes && class_name != "InputLayer")
      for (const Json& node : nodes->as_array()) pending_[operations_.size() - 1].push_back(node);
  }

  void call_all() {
    for (bool progress = true; progress;) {
      progress = false;
      for (auto& [index, queue] : pending_)
        while (!queue.empty() && ready(queue.front())) {
          call(operations_[index], queue.front());
          queue.pop_front();
          progress = true;
        }
    }
    for (const auto& [index, queue] : pending_)
      if (!queue.empty())
        throw DataError(cat("the calls of layer '", operations_[index]->name(), "' need tensors that nothing makes"));
  }

  const Tensor* find(const JsonArray& history, int shift = 0) const {
    if (history.size() != 3) throw DataError("a tensor is not written as [layer, call, output]");
    const auto it = calls_.find(history[0].as_string());
    if (it == calls_.end())
      throw DataError(cat("a tensor of layer '", history[0].as_string(), "' is used, but there is no such layer"));
    const auto call = history[1].as_int() - shift;
    return call >= 0 && call < static_cast<std::int64_t>(it->second.size())
               ? &it->second[static_cast<std::size_t>(call)]
               : nullptr;
  }

  static Tensor output(const Tensor& call, std::int64_t i) {
    if (i < 0 || i >= static_cast<std::int64_t>(call.size()))
      throw DataError(cat("output ", i, " of a call with ", call.size(), " outputs"));
    return call.several() ? call[static_cast<std::size_t>(i)] : call;
  }

  bool ready(const Json& json) const {
    if (is_tensor(json)) return find(json.at("config").at("keras_history").as_array()) != nullptr;
    if (json.is_array())
      return std::all_of(json.as_array().begin(), json.as_array().end(), [&](const Json& j) { return ready(j); });
    if (json.is_object() && !is_tagged(json))
      return std::all_of(json.as_object().begin(), json.as_object().end(),
                         [&](const auto& e) { return ready(e.second); });
    return true;
  }

  Arg argument(const Json& json) const {
    if (json.is_null()) return {};
    if (is_tensor(json)) {
      const JsonArray& history = json.at("config").at("keras_history").as_array();
      return output(*find(history), history[2].as_int());
    }
    if (!holds_tensor(json)) return Arg(json);
    if (json.is_array()) {
      Arg::List list;
      for (const Json& item : json.as_array()) list.push_back(argument(item));
      return Arg(Nest<Tensor>(std::move(list)));
    }
    Arg::Dict dict;
    for (const auto& [key, item] : json.as_object()) dict.emplace_back(key, argument(item));
    return Arg(Nest<Tensor>(std::move(dict)));
  }

  static bool all_null(const Json& json) {
    return json.is_null() || (json.is_array() && std::all_of(json.as_array().begin(), json.as_array().end(), all_null));
  }

  void call(const OperationRef& operation, const Json& node) {
    CallArgs args;
    for (const Json& a : node.at("args").as_array()) args.args.push_back(argument(a));
    for (const auto& [key, value] : node.at("kwargs").as_object()) {
      if (all_null(value)) continue;  // "nothing was there when the model was built", not "no mask"
      if (key == "training" && operation->is_layer() && value.is_bool() &&
          static_cast<const Layer&>(*operation).default_training() == value.as_bool())
        continue;
      args.kwargs.emplace_back(key, argument(value));
    }
    calls_[operation->name()].push_back(operation->call(args));
  }

  Arg place(const Json& json, bool) const {
    if (json.is_array()) {
      const JsonArray& list = json.as_array();
      if (list.size() == 3 && list[0].is_string() && list[1].is_int() && list[2].is_int()) {
        int shift = 0;
        for (const auto& op : operations_)
          if (op->name() == list[0].as_string() && op->class_name() == "Functional") shift = 1;
        const Tensor* call = find(list, shift);
        if (!call)
          throw DataError(cat("the model names call ", list[1].as_int(), " of layer '", list[0].as_string(),
                              "', which does not exist"));
        return output(*call, list[2].as_int());
      }
      Arg::List out;
      for (const Json& item : list) out.push_back(place(item, false));
      return Arg(Nest<Tensor>(std::move(out)));
    }
    Arg::Dict out;
    for (const auto& [key, item] : json.as_object()) out.emplace_back(key, place(item, false));
    return Arg(Nest<Tensor>(std::move(out)));
  }

  const JsonObject& config_;
  std::vector<OperationRef> operations_;
  std::map<std::string, std::vector<Tensor>> calls_;
  std::map<std::size_t, std::deque<Json>> pending_;
};

}  // namespace

JsonObject FunctionalLayer::get_config() const {
  JsonArray entries;
  for (const auto& operation : graph_.operations()) {
    JsonObject entry;
    if (operation->is_layer())
      entry = serialize_layer(static_cast<const Layer&>(*operation)).as_object();
    else {
      const auto& op = static_cast<const OpOperation&>(*operation);
      JsonObject config{{"name", Json(op.name())}};
      for (const auto& [key, value] : op.config()) config.set(key, value);
      entry = JsonObject{{"module", Json(op.module())},
                         {"class_name", Json(std::string(op.class_name()))},
                         {"config", Json(std::move(config))},
                         {"registered_name", Json(std::string(op.class_name()))}};
    }
    entry.set("name", Json(operation->name()));
    JsonArray nodes;
    for (const NodeRef& node : graph_.nodes_of(*operation)) {
      if (node->is_input()) continue;
      const auto leaf = [&](const Tensor& t) { return tensor_json(graph_, t); };
      JsonArray args;
      JsonObject kwargs;
      for (const Arg& a : node->arguments.args) args.push_back(nest_json(a, leaf));
      for (const auto& [key, a] : node->arguments.kwargs) kwargs.set(key, nest_json(a, leaf));
      nodes.push_back(Json(JsonObject{{"args", Json(std::move(args))}, {"kwargs", Json(std::move(kwargs))}}));
    }
    entry.set("inbound_nodes", Json(std::move(nodes)));
    entries.push_back(Json(std::move(entry)));
  }
  const auto leaf = [&](const Tensor& t) { return place_json(graph_, t); };
  return JsonObject{{"name", Json(name())},
                    {"trainable", Json(trainable())},
                    {"layers", Json(std::move(entries))},
                    {"input_layers", nest_json(graph_.inputs(), leaf)},
                    {"output_layers", nest_json(graph_.outputs(), leaf)}};
}

LayerRef FunctionalLayer::from_config(const JsonObject& json) {
  auto [inputs, outputs] = GraphReader(json).read();
  LayerOptions options;
  if (const Json* name = json.find("name"); name && name->is_string()) options.name = name->as_string();
  if (const Json* trainable = json.find("trainable"); trainable && trainable->is_bool())
    options.trainable = trainable->as_bool();
  return std::make_shared<FunctionalLayer>(std::move(inputs), std::move(outputs), options);
}

JsonObject SequentialLayer::get_config() const {
  JsonArray entries;
  if (input_) entries.push_back(serialize_layer(static_cast<const Layer&>(*input_->node()->operation)));
  for (const auto& layer : layers_) entries.push_back(serialize_layer(*layer));
  JsonObject out{{"name", Json(name())},
                 {"trainable", Json(trainable())},
                 {"dtype", encode_dtype_policy(dtype_name())},
                 {"layers", Json(std::move(entries))}};
  if (input_) out.set("build_input_shape", shape_json(input_->shape()));
  return out;
}

LayerRef SequentialLayer::from_config(const JsonObject& json) {
  LayerOptions options;
  if (const Json* name = json.find("name"); name && name->is_string()) options.name = name->as_string();
  if (const Json* trainable = json.find("trainable"); trainable && trainable->is_bool())
    options.trainable = trainable->as_bool();
  if (const Json* dtype = json.find("dtype")) options.dtype = decode_dtype_policy(*dtype);
  const bool trainable = options.trainable;
  options.trainable = true;
  auto model = std::make_shared<SequentialLayer>(std::vector<LayerRef>{}, options);
  for (const Json& entry : json.at("layers").as_array()) model->add(deserialize_layer(entry));
  if (const Json* shape = json.find("build_input_shape"); shape && shape->is_array() && !model->has_graph()) {
    Shape input;
    for (const Json& size : shape->as_array()) input.push_back(size.is_null() ? None : size.as_int());
    model->build_for({input, DType::f32});
  }
  if (!trainable) model->set_trainable(false);
  return model;
}

Model Model::from_config(const JsonObject& config) {
  return Model(std::static_pointer_cast<ModelLayer>(FunctionalLayer::from_config(config)));
}

std::string Model::to_json() const { return serialize_layer(layer()).dump(); }

Model Model::from_json(std::string_view text) {
  auto layer = std::dynamic_pointer_cast<ModelLayer>(deserialize_layer(Json::parse(text)));
  if (!layer) throw DataError("from_json: the text describes a layer, not a model");
  return Model(std::move(layer));
}

}  // namespace ramet
