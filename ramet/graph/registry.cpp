#include "ramet/graph/registry.h"

#include <algorithm>
#include <functional>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/graph/keras2.h"
#include "ramet/graph/keras_names.h"
#include "ramet/graph/load_context.h"
#include "ramet/graph/shared_layers.h"

namespace ramet {

LayerRegistration::operator ObjectRegistration() const {
  ObjectRegistration out{kLayerKind, class_name, package, type, nullptr, arguments};
  out.from_config = [make = from_config](const JsonObject& config) -> std::shared_ptr<const void> {
    return std::shared_ptr<const Layer>(make(config));
  };
  return out;
}

void register_layer(const LayerRegistration& registration) { register_object(registration); }

namespace {

bool is_builtin(const Layer& layer) {
  const auto& list = builtin_layers();
  return std::any_of(list.begin(), list.end(),
                     [&](const LayerRegistration& r) { return r.type && *r.type == typeid(layer); });
}

}  // namespace

Json serialize_layer(const Layer& layer) {
  const std::string registered = layer.registered_name(), name(layer.class_name());
  JsonObject config;
  JsonObject out;
  try {
    config = layer.get_config();
    if (registered == name && !is_builtin(layer))
      out = own_object_json(kLayerKind, typeid(layer), name, std::move(config), layer.file_class).as_object();
    else {
      const bool keras_own = registered == name && name != "Functional";
      out = {{"module", Json(layer.module())},
             {"class_name", Json(name)},
             {"config", Json(std::move(config))},
             {"registered_name", keras_own ? Json(nullptr) : Json(registered)}};
    }
  } catch (const UnregisteredError& error) { throw UsageError(cat(describe(layer), ": ", error.what())); }
  for (const auto& [key, value] : layer.file_extras)
    if (!out.contains(key)) out.set(key, value);
  if (const int number = SharedLayers::number_of(layer)) out.set(kSharedMark, Json(number));
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

// What a class calls an integer must be one that sizes and counts can have. Seeds are no such numbers. A list of them
// has one for an axis each.
void check_arguments(std::string_view class_name, std::vector<ArgumentInfo> (*arguments)(), const JsonObject& config) {
  for (const auto& [key, value] : config) {
    check_object(key, value);
    const bool fits = key == "seed" || sizes_fit(value);
    const bool long_list = value.is_array() && value.as_array().size() > kMostAxes;
    if (!arguments || (fits && !long_list)) continue;
    for (const ArgumentInfo& argument : arguments()) {
      if (argument.name != key) continue;
      if (!fits && argument.type.find("float") == std::string::npos)
        throw DataError(cat(class_name, ": `", key, "`: ", value.dump(), " is out of range"));
      if (long_list && argument.type.find("list of int") != std::string::npos)
        throw DataError(cat(class_name, ": `", key, "`: a list of ", value.as_array().size(),
                            " numbers, one for an axis each; the most are ", kMostAxes));
    }
  }
}

LayerRef make_layer(const JsonObject& object) {
  if (const Json* registered = object.find("registered_name"); registered && !registered->is_null())
    (void)registered->as_string();
  const WrittenClass written = WrittenClass::of(object);
  const std::string& name = written.class_name;
  const JsonObject& given = object.at("config").as_object();
  // The config of a model is as large as the file, and nothing is done to it: it is not copied.
  const bool model = name == "Functional" || name == "Sequential" || name == "Model";
  JsonObject config = model ? JsonObject() : modern_config(name, given);
  const Nesting nesting(LoadContext::current());
  // A caller's class wins over one of ours, unless the file says that it is Keras'.
  if (const auto own = find_object(kLayerKind, written)) {
    if (model) config = given;
    check_arguments(name, own->arguments, config);
    const auto made =
        std::static_pointer_cast<const Layer>(own->from_config(with_numbers(std::move(config), own->arguments)));
    LayerRef layer = std::const_pointer_cast<Layer>(made);
    layer->file_class = written;
    return layer;
  }
  const bool functional = written.registered_name == "Functional" && name == "Model";
  const bool plain = written.registered_name.empty() || written.registered_name == name || functional;
  for (const auto& r : builtin_layers()) {
    const bool keras = plain && written.may_be_keras() && r.package.empty() &&
                       r.class_name == (name == "Model" ? "Functional" : name);  // Keras 2.2: Model
    if (!keras && (r.package.empty() || written.registered_name != cat(r.package, ">", r.class_name))) continue;
    check_arguments(name, r.arguments, model ? given : config);
    if (model) return r.from_config(given);
    return r.from_config(with_numbers(std::move(config), r.arguments));
  }
  const std::string& full = written.registered_name.empty() ? name : written.registered_name;
  if (!written.may_be_keras())
    throw DataError(cat("the class ", quoted(full), " of ",
                        written.module.is_string() ? quoted(written.module.as_string()) : "a program",
                        " is not Keras' own; a class of your own is made known with register_object or load_model's "
                        "`objects`"));
  std::vector<std::string> names;
  for (const auto& r : builtin_layers()) names.push_back(r.class_name);
  if (full == name && !keras_class("layer", name).empty()) throw DataError(unknown_name("layer", name, names));
  const std::string near = nearest(name, names);
  throw DataError(cat("unknown layer class '", full, "'", near.empty() ? "" : cat(" (did you mean '", near, "'?)"),
                      "; a class of your own is made known with register_object or load_model's `objects`"));
}

}  // namespace

LayerRef deserialize_layer(const Json& json) {
  const JsonObject& object = json.as_object();
  LayerRef made = make_layer(object), layer = shared_layer(object, made);
  if (layer != made) return layer;
  if (LoadContext::current()) check_name(layer->name());
  if (const Json* build = object.find("build_config")) check_build_config(*build);
  for (const auto& [key, value] : object) {
    static constexpr std::string_view kOurs[] = {
        "module",        "class_name",     "config",       "registered_name",  "name",
        "inbound_nodes", "compile_config", "build_config", "shared_object_id", kSharedMark};
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
