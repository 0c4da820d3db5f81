#include "ramet/graph/registry.h"

#include <algorithm>
#include <functional>
#include <mutex>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/graph/keras2.h"
#include "ramet/graph/keras_names.h"
#include "ramet/graph/load_context.h"

namespace ramet {
namespace {

std::mutex custom_mutex;
std::vector<LayerRegistration>& custom_layers() {
  static std::vector<LayerRegistration> list;
  return list;
}

}  // namespace

void register_layer(const LayerRegistration& r) {
  const std::lock_guard lock(custom_mutex);
  for (auto& known : custom_layers())
    if (known.class_name == r.class_name && known.package == r.package) {
      require(known.from_config == r.from_config, "register_layer: '", r.package, ">", r.class_name,
              "' is registered already for another class");
      return;
    }
  custom_layers().push_back(r);
}

Json serialize_layer(const Layer& layer) {
  const std::string registered = layer.registered_name();
  JsonObject out;
  out.set("module", Json(layer.module()));
  out.set("class_name", Json(std::string(layer.class_name())));
  out.set("config", Json(layer.get_config()));
  const bool keras_own = registered == layer.class_name() && layer.class_name() != "Functional";
  out.set("registered_name", keras_own ? Json(nullptr) : Json(registered));
  for (const auto& [key, value] : layer.file_extras)
    if (!out.contains(key)) out.set(key, value);
  return Json(std::move(out));
}

namespace {

// Counts layers, and nested ones while a class is made from its config.
struct Nesting {
  explicit Nesting(LoadContext* context) : context_(context) {
    if (!context_) return;
    if (++context_->layers_made > kMostLayers) throw DataError(cat("there are more than ", kMostLayers, " layers"));
    if (context_->depth == kDeepestNesting)
      throw DataError(cat("layers are nested more than ", kDeepestNesting, " deep"));
    ++context_->depth;
  }
  ~Nesting() {
    if (context_) --context_->depth;
  }
  Nesting(const Nesting&) = delete;
  LoadContext* context_;
};

// Where Keras' own classes come from, in its several packages. The same name from elsewhere is another class.
bool is_keras_module(const Json* module) {
  if (!module || module->is_null()) return true;
  if (!module->is_string()) return false;
  const std::string package = module->as_string().substr(0, module->as_string().find('.'));
  static constexpr std::string_view kPackages[] = {"keras", "keras_core", "tf_keras", "tensorflow"};
  return std::find(std::begin(kPackages), std::end(kPackages), package) != std::end(kPackages);
}

// {"class_name", "config"} of an initializer, a layer inside, …: a config is an object; a function's is its name.
void check_object(const std::string& key, const Json& value) {
  const Json* name = value.is_object() ? value.as_object().find("class_name") : nullptr;
  if (!name) return;
  const Json* config = value.as_object().find("config");
  const bool function = name->is_string() && name->as_string() == "function";
  if (!name->is_string() ||
      (config && !config->is_object() && !config->is_null() && !(function && config->is_string())))
    throw DataError(cat("`", key, "`: ", value.dump(), " is not {\"class_name\": text, \"config\": object}"));
}

// What a layer was built for: {"input_shape": [null, 4]}, {"shapes_dict": {"query_shape": …}}, or nothing.
void check_build_config(const Json& json) {
  const std::function<bool(const Json&)> is_shape = [&](const Json& value) {
    if (value.is_array()) return std::all_of(value.as_array().begin(), value.as_array().end(), is_shape);
    if (value.is_object())
      return std::all_of(value.as_object().begin(), value.as_object().end(),
                         [&](const auto& e) { return is_shape(e.second); });
    return value.is_null() || (value.is_int() && value.as_int() >= 0);
  };
  if (json.is_null()) return;
  for (const auto& [key, value] : json.as_object())
    if ((key.ends_with("shape") || key == "shapes_dict") && (value.is_int() || !is_shape(value)))
      throw DataError(cat("`build_config`: `", key, "`: ", value.dump(), " is not a shape"));
}

// What a class calls an integer must be one that sizes and counts can have. Seeds are no such numbers.
LayerRef make(const LayerRegistration& r, const JsonObject& config) {
  for (const auto& [key, value] : config) {
    check_object(key, value);
    if (!r.arguments || key == "seed" || sizes_fit(value)) continue;
    for (const ArgumentInfo& argument : r.arguments())
      if (argument.name == key && argument.type.find("float") == std::string::npos)
        throw DataError(cat(r.class_name, ": `", key, "`: ", value.dump(), " is out of range"));
  }
  return r.from_config(config);
}

LayerRef make_layer(const JsonObject& object) {
  const std::string& name = object.at("class_name").as_string();
  const JsonObject config = modern_config(name, object.at("config").as_object());
  LoadContext* loading = LoadContext::current();
  const Nesting nesting(loading);
  const Json* registered = object.find("registered_name");
  const std::string full = registered && !registered->is_null() ? registered->as_string() : name;
  const auto match = [&](const LayerRegistration& r) {
    const std::string own = cat(r.package, ">", r.class_name);
    return own == full || own == name || (r.class_name == name && full.find('>') == std::string::npos);
  };
  // A caller's class wins over one of ours with the same name.
  if (loading)
    for (const auto& r : loading->layers)
      if (match(r)) return make(r, config);
  {
    const std::lock_guard lock(custom_mutex);
    for (const auto& r : custom_layers())
      if (match(r)) return make(r, config);
  }
  // A custom class that happens to be called like one of Keras' is not that.
  const Json* module = object.find("module");
  const bool own_name = full == name || (full == "Functional" && name == "Model");
  if (own_name && is_keras_module(module))
    for (const auto& r : builtin_layers())
      if (r.class_name == (name == "Model" ? "Functional" : name)) return make(r, config);  // Keras 2.2: Model
  if (!is_keras_module(module))
    throw DataError(cat("the class '", name, "' of ",
                        quoted(module->is_string() ? module->as_string() : module->dump()),
                        " is not Keras' own; a class of your own is made known with register_layer or load_model's "
                        "`layers`"));
  std::vector<std::string> names;
  for (const auto& r : builtin_layers()) names.push_back(r.class_name);
  if (full == name && !keras_class("layer", name).empty()) throw DataError(unknown_name("layer", name, names));
  const std::string near = nearest(name, names);
  throw DataError(cat("unknown layer class '", full, "'", near.empty() ? "" : cat(" (did you mean '", near, "'?)"),
                      "; a class of your own is made known with register_layer or load_model's `layers`"));
}

}  // namespace

LayerRef deserialize_layer(const Json& json) {
  const JsonObject& object = json.as_object();
  LayerRef layer = make_layer(object);
  if (LoadContext::current()) check_name(layer->name());
  if (const Json* build = object.find("build_config")) check_build_config(*build);
  for (const auto& [key, value] : object) {
    static constexpr std::string_view kOurs[] = {"module",          "class_name",   "config",
                                                 "registered_name", "name",         "inbound_nodes",
                                                 "compile_config",  "build_config", "shared_object_id"};
    if (std::find(std::begin(kOurs), std::end(kOurs), key) == std::end(kOurs)) layer->file_extras.set(key, value);
  }
  return layer;
}

LayerOptions layer_options_from(const JsonObject& json, std::string_view class_name,
                                const std::vector<std::string>& known) {
  LayerOptions options;
  for (const auto& [key, value] : json) {
    try {
      if (key == "name" && !value.is_null())
        options.name = value.as_string();
      else if (key == "trainable")
        options.trainable = value.as_bool();
      else if (key == "dtype")
        options.dtype = decode_dtype_policy(value);
    } catch (const DataError& error) { throw DataError(cat(class_name, ": `", key, "`: ", error.what())); }
    static constexpr std::string_view kCommon[] = {"name", "trainable", "dtype"};
    const bool common = std::find(std::begin(kCommon), std::end(kCommon), key) != std::end(kCommon);
    if (!common && std::find(known.begin(), known.end(), key) == known.end()) leave_out(class_name, key, value);
  }
  return options;
}

Json encode_dtype_policy(const std::string& name) {
  return Json(JsonObject{{"module", Json("keras")},
                         {"class_name", Json("DTypePolicy")},
                         {"config", Json(JsonObject{{"name", Json(name)}})},
                         {"registered_name", Json(nullptr)}});
}

std::string decode_dtype_policy(const Json& json) {
  if (json.is_null()) return dtype_policy();
  if (!json.is_string()) {
    const std::string& kind = json.at("class_name").as_string();
    if (kind != "DTypePolicy" && kind != "FloatDTypePolicy" && kind != "Policy")  // the last is Keras 2's
      throw DataError(cat("dtype policies of class ", quoted(kind), " are not supported"));
  }
  const std::string name = json.is_string() ? json.as_string() : json.at("config").at("name").as_string();
  try {
    dtype_policy_from(name);
  } catch (const UsageError& error) { throw DataError(error.what()); }
  return name;
}

}  // namespace ramet
