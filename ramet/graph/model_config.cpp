// Models to and from Keras' configuration.
#include <algorithm>
#include <deque>
#include <set>

#include "ramet/base/quoted.h"
#include "ramet/graph/load_context.h"
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

bool any_masked(const Node& node) {
  const auto tensors = node.arguments.tensors();
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.masked(); });
}

bool holds_attention(const Layer& layer) {
  const auto inner = layer.sublayers();
  return layer.class_name() == "MultiHeadAttention" ||
         std::any_of(inner.begin(), inner.end(), [](const LayerRef& l) { return holds_attention(*l); });
}

// A layer of a model says what it was built for.
JsonObject entry_of(const Layer& layer) {
  JsonObject out = serialize_layer(layer).as_object();
  if (!layer.build_config().is_null()) out.set("build_config", layer.build_config());
  return out;
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

const JsonArray& list_of_layers(const JsonObject& config) {
  const Json& layers = config.at("layers");
  if (!layers.is_array()) throw DataError(cat("/layers: expected a list; got ", layers.type_name()));
  return layers.as_array();
}

// Foreign text on one line, without quotes.
std::string plain(const std::string& text) {
  const std::string out = quoted(text);
  return out.substr(1, out.size() - 2);
}

// The common options of a model's config.
LayerOptions model_options_from(const JsonObject& json, std::string_view class_name,
                                const std::vector<std::string>& known) {
  LayerOptions options = layer_options_from(json, class_name, known);
  if (class_name == "Functional") options.dtype = "";  // each layer has its own
  return options;
}

// Keras 2 wrote a call as [[layer, call, output, {arguments}], …]. A recurrent layer's further tensors are its states.
Json modern_node(const Json& node) {
  if (!node.is_array()) return node;
  const auto tensor = [](const JsonArray& place) {
    const JsonArray history(place.begin(), place.begin() + 3);
    return Json(JsonObject{{"class_name", Json("__keras_tensor__")},
                           {"config", Json(JsonObject{{"keras_history", Json(history)}})}});
  };
  // Tensors in keyword arguments are written without a mark.
  const std::function<Json(const Json&)> argument = [&](const Json& value) -> Json {
    if (!value.is_array()) return value;
    const JsonArray& list = value.as_array();
    if (list.size() == 3 && list[0].is_string() && list[1].is_int() && list[2].is_int()) return tensor(list);
    JsonArray out;
    for (const Json& item : list) out.push_back(argument(item));
    return Json(std::move(out));
  };
  JsonArray tensors;
  JsonObject kwargs;
  for (const Json& item : node.as_array()) {
    const JsonArray& place = item.as_array();
    if (place.size() < 3 || place.size() > 4) throw DataError("a tensor is not written as [layer, call, output]");
    tensors.push_back(tensor(place));
    if (place.size() == 4)
      for (const auto& [key, value] : place[3].as_object()) kwargs.set(key, argument(value));
  }
  if (tensors.empty()) throw DataError("a call without a tensor");
  JsonArray args{tensors.size() == 1 ? tensors[0] : Json(std::move(tensors))};
  return Json(JsonObject{{"args", Json(std::move(args))}, {"kwargs", Json(std::move(kwargs))}});
}

// Rebuilds a graph from the entries of "layers": operations first, then their calls, each as soon as its tensors exist.
// The calls of one operation are made in order, because a tensor is named by the number of the call.
class GraphReader {
 public:
  explicit GraphReader(const JsonObject& config) : config_(config) {}

  std::pair<Arg, Arg> read() {
    std::size_t i = 0;
    for (const Json& entry : list_of_layers(config_)) {
      const std::string pointer = cat("/layers/", i++);
      try {
        add(entry);
      } catch (const Error& error) { throw DataError(at_pointer(pointer, error.what())); }
    }
    call_all();
    Arg inputs = place("input_layers"), outputs = place("output_layers");
    inputs.each([](const Tensor& t) {
      if (!t.node()->is_input())
        throw DataError(cat("/input_layers: ", describe(*t.node()->operation), " is no input"));
    });
    return {std::move(inputs), std::move(outputs)};
  }

 private:
  using Place = std::pair<std::string, std::int64_t>;  // a layer and the number of its call

  struct Entry {
    std::string name;  // by which tensors name it
    OperationRef operation;
    std::deque<Json> calls;           // still to be made
    std::size_t made = 0, lacks = 0;  // calls, and tensors of the next one that are not there yet
  };

  void add(const Json& json) {
    const JsonObject& entry = json.as_object();
    const std::string name = entry.contains("name") ? entry.at("name").as_string() : "";
    const std::string& class_name = entry.at("class_name").as_string();
    const Json* module = entry.find("module");
    const std::string from = module && module->is_string() ? module->as_string() : "";
    const bool op = from.find(".ops.") != std::string::npos || from.rfind("keras.ops", 0) == 0;
    Entry made;
    try {
      if (op) {
        JsonObject own = entry.at("config").as_object();
        if (!own.contains("name")) own.set("name", Json(name));
        made.operation = OpOperation::from_config(class_name, own);
        check_name(made.operation->name());
      } else
        made.operation = deserialize_layer(json);
      if (const Json* nodes = entry.find("inbound_nodes"))
        for (const Json& node : nodes->as_array()) made.calls.push_back(modern_node(node));
      if (class_name == "InputLayer" && !made.calls.empty())
        throw DataError(
            cat("`inbound_nodes`: an input is not called, but the file has it called ", made.calls.size(), " times"));
    } catch (const Error& error) {
      const std::string what = error.what();
      throw DataError(what.starts_with('/') ? cat("/config", what)
                                            : cat("layer ", quoted(name), " (", plain(class_name), "): ", what));
    }
    made.name = name.empty() ? made.operation->name() : name;  // as Keras: what the entry says, not its config
    if (!index_.emplace(made.name, entries_.size()).second)
      throw DataError(cat("the name ", quoted(made.name), " is used by two operations"));
    calls_ += made.calls.size();
    if (calls_ > kMostCalls) throw DataError(cat("the model has more than ", kMostCalls, " calls"));
    auto& results = results_[made.name];
    if (class_name == "InputLayer") results.push_back(static_cast<InputLayer&>(*made.operation).output());
    entries_.push_back(std::move(made));
  }

  // An operation whose next call lacks tensors waits for the calls that make them, each of which it hears of once.
  void call_all() {
    std::deque<std::size_t> todo;
    for (std::size_t i = 0; i < entries_.size(); ++i) todo.push_back(i);
    std::map<Place, std::vector<std::size_t>> waiting;  // for a call
    while (!todo.empty()) {
      const std::size_t i = todo.front();
      todo.pop_front();
      Entry& entry = entries_[i];
      while (!entry.calls.empty()) {
        const std::string pointer = cat("/layers/", i, "/inbound_nodes/", entry.made);
        try {
          std::vector<Place> lacks;
          find_missing(entry.calls.front(), lacks);
          entry.lacks = lacks.size();
          for (Place& place : lacks) waiting[std::move(place)].push_back(i);
          if (entry.lacks > 0) break;
          call(entry, entry.calls.front());
        } catch (const Error& error) { throw DataError(at_pointer(pointer, error.what())); }
        entry.calls.pop_front();
        ++entry.made;
        const auto made = static_cast<std::int64_t>(results_.at(entry.name).size()) - 1;
        if (const auto it = waiting.find({entry.name, made}); it != waiting.end()) {
          for (const std::size_t other : it->second)
            if (--entries_[other].lacks == 0) todo.push_back(other);
          waiting.erase(it);
        }
      }
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].calls.empty()) continue;
      std::vector<Place> lacks;
      find_missing(entries_[i].calls.front(), lacks);
      throw DataError(cat("/layers/", i, "/inbound_nodes/", entries_[i].made, ": the call of layer ",
                          quoted(entries_[i].operation->name()), " needs a tensor of layer ", quoted(lacks.at(0).first),
                          " that nothing makes (a cycle, or a call too few)"));
    }
  }

  // The layer and the number of its call that [layer, call, output] means.
  Place place_of(const JsonArray& history, int shift = 0) const {
    if (history.size() != 3) throw DataError("a tensor is not written as [layer, call, output]");
    const std::string& layer = history[0].as_string();
    const auto it = index_.find(layer);
    if (it == index_.end())
      throw DataError(cat("a tensor of layer ", quoted(layer), " is used, but there is no such layer"));
    const auto call = history[1].as_int();
    // Keras 2 counted the calls of a nested model from one everywhere.
    const LoadContext* loading = LoadContext::current();
    if (!shift && call > 0 && loading && loading->version && loading->version->major < 3 &&
        dynamic_cast<const ModelLayer*>(entries_[it->second].operation.get()))
      shift = 1;
    return {layer, call < shift ? -1 : call - shift};
  }

  const Tensor* find(const Place& place) const {
    const auto& calls = results_.at(place.first);
    return place.second >= 0 && place.second < static_cast<std::int64_t>(calls.size())
               ? &calls[static_cast<std::size_t>(place.second)]
               : nullptr;
  }

  static Tensor output(const Tensor& call, std::int64_t i) {
    if (i < 0 || i >= static_cast<std::int64_t>(call.size()))
      throw DataError(cat("output ", i, " of a call with ", call.size(), " outputs"));
    return call.several() ? call[static_cast<std::size_t>(i)] : call;
  }

  // Keras makes a tensor of what the entry says, so it must be one. (Keras 2 named the place alone.)
  static void check_tensor(const JsonObject& config) {
    if (config.size() == 1) return;
    (void)shape_from(config.at("shape"));
    static constexpr std::string_view kTypes[] = {"bool",    "int8",          "int16",       "int32",     "int64",
                                                  "uint8",   "uint16",        "uint32",      "uint64",    "float16",
                                                  "float32", "float64",       "bfloat16",    "complex64", "complex128",
                                                  "string",  "float8_e4m3fn", "float8_e5m2", "int4",      "uint4"};
    const std::string& dtype = config.at("dtype").as_string();
    if (std::find(std::begin(kTypes), std::end(kTypes), dtype) == std::end(kTypes))
      throw DataError(cat("a tensor of type ", quoted(dtype)));
  }

  // The calls whose tensors are not there yet, as often as they are named.
  void find_missing(const Json& json, std::vector<Place>& out) const {
    if (is_tensor(json)) {
      check_tensor(json.at("config").as_object());
      Place place = place_of(json.at("config").at("keras_history").as_array());
      if (!find(place)) out.push_back(std::move(place));
    } else if (json.is_array()) {
      for (const Json& item : json.as_array()) find_missing(item, out);
    } else if (json.is_object() && !is_tagged(json)) {
      for (const auto& [key, item] : json.as_object()) find_missing(item, out);
    }
  }

  Arg argument(const Json& json) const {
    if (json.is_null()) return {};
    if (is_tensor(json)) {
      const JsonArray& history = json.at("config").at("keras_history").as_array();
      return output(*find(place_of(history)), history[2].as_int());
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

  // Files up to Keras 3.15 record `training` although nobody passed it.
  static bool default_leaked(const Operation& operation, const std::string& key, const Json& value) {
    const LoadContext* loading = LoadContext::current();
    return (!loading || loading->training_leaks) && key == "training" && operation.is_layer() && value.is_bool() &&
           static_cast<const Layer&>(operation).default_training() == value.as_bool();
  }

  void call(const Entry& entry, const Json& node) {
    CallArgs args;
    for (const Json& a : node.at("args").as_array()) args.args.push_back(argument(a));
    for (const auto& [key, value] : node.at("kwargs").as_object()) {
      if (all_null(value))
        args.recorded.set(key, value);  // "nothing was there when the model was built", not "no mask"
      else if (!default_leaked(*entry.operation, key, value))
        args.kwargs.emplace_back(key, argument(value));
    }
    if (args.tensors().empty()) throw DataError("a call without a tensor");
    results_[entry.name].push_back(entry.operation->call(args));
  }

  Arg place(const char* key) const {
    try {
      return place(config_.at(key));
    } catch (const Error& error) { throw DataError(at_pointer(cat("/", key), error.what())); }
  }

  Arg place(const Json& json) const {
    if (json.is_array()) {
      const JsonArray& list = json.as_array();
      if (list.size() == 3 && list[0].is_string() && list[1].is_int() && list[2].is_int()) {
        const auto it = index_.find(list[0].as_string());
        const bool nested = it != index_.end() && entries_[it->second].operation->class_name() == "Functional";
        const Tensor* call = find(place_of(list, nested ? 1 : 0));
        if (!call)
          throw DataError(cat("the model names call ", list[1].as_int(), " of layer ", quoted(list[0].as_string()),
                              ", which does not exist"));
        return output(*call, list[2].as_int());
      }
      Arg::List out;
      for (const Json& item : list) out.push_back(place(item));
      return Arg(Nest<Tensor>(std::move(out)));
    }
    Arg::Dict out;
    for (const auto& [key, item] : json.as_object()) out.emplace_back(key, place(item));
    return Arg(Nest<Tensor>(std::move(out)));
  }

  const JsonObject& config_;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> index_;            // by the name of the entry
  std::map<std::string, std::vector<Tensor>> results_;  // of each call
  std::size_t calls_ = 0;
};

}  // namespace

JsonObject FunctionalLayer::get_config() const {
  JsonArray entries;
  // Keras makes nodes of the masks it records when it calls the layers again, which can change the order of layers and
  // so the meaning of the weights file. A mask that is null it leaves to run time. (Where attention takes masks away,
  // only the recorded ones are right.)
  const bool masks_stay = !holds_attention(*this);
  for (const auto& operation : graph_.operations()) {
    JsonObject entry;
    if (operation->is_layer())
      entry = entry_of(static_cast<const Layer&>(*operation));
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
      if (masks_stay && records_mask(*node) && any_masked(*node)) kwargs.set("mask", Json(nullptr));
      for (const auto& [key, value] : node->arguments.recorded)
        if (!kwargs.contains(key)) kwargs.set(key, value);
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
  const LayerOptions options = model_options_from(json, "Functional", {"layers", "input_layers", "output_layers"});
  auto [inputs, outputs] = GraphReader(json).read();
  return std::make_shared<FunctionalLayer>(std::move(inputs), std::move(outputs), options);
}

JsonObject SequentialLayer::get_config() const {
  JsonArray entries;
  if (input_) entries.push_back(serialize_layer(static_cast<const Layer&>(*input_->node()->operation)));
  for (const auto& layer : layers_) entries.push_back(Json(entry_of(*layer)));
  JsonObject out{{"name", Json(name())},
                 {"trainable", Json(trainable())},
                 {"dtype", encode_dtype_policy(dtype_name())},
                 {"layers", Json(std::move(entries))}};
  if (input_) out.set("build_input_shape", shape_json(input_->shape()));
  return out;
}

LayerRef SequentialLayer::from_config(const JsonObject& json) {
  const LayerOptions options = model_options_from(json, "Sequential", {"layers", "build_input_shape"});
  auto model = std::make_shared<SequentialLayer>(std::vector<LayerRef>{}, options);
  std::set<std::string> names;
  std::size_t i = 0;
  for (const Json& entry : list_of_layers(json)) {
    try {
      LayerRef layer = deserialize_layer(entry);
      if (layer->class_name() == "InputLayer") {
        model->add(std::move(layer));
      } else {
        if (!names.insert(layer->name()).second)
          throw DataError(cat("All layers added to a Sequential model should have unique names. Name '", layer->name(),
                              "' is already the name of a layer in '", model->name(), "'."));
        if (model->input_) model->end_ = model->next(layer);
        model->layers_.push_back(std::move(layer));
      }
    } catch (const Error& error) {
      const std::string what = error.what();
      throw DataError(cat("/layers/", i, what.starts_with('/') ? "/config" : ": ", what));
    }
    ++i;
  }
  if (model->input_) model->graph_ = std::make_unique<Graph>(Arg(*model->input_), Arg(model->end_));
  if (const Json* shape = json.find("build_input_shape"); shape && shape->is_array() && !model->has_graph()) {
    try {
      model->build_for({shape_from(*shape), DType::f32});
    } catch (const Error& error) { throw DataError(at_pointer("/build_input_shape", error.what())); }
  }
  return model;
}

Model Model::from_config(const JsonObject& config) {
  return Model(std::static_pointer_cast<ModelLayer>(FunctionalLayer::from_config(config)));
}

std::string Model::to_json() const { return serialize_layer(layer()).dump(); }

Model Model::from_json(std::string_view text, std::uint64_t weight_bytes) {
  LoadContext context;
  context.weight_bytes = weight_bytes;
  const LoadScope scope(context);
  return Model(deserialize_model(Json::parse(text, config_limits(text))));
}

}  // namespace ramet
