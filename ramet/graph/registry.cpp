#include "ramet/graph/registry.h"

#include <algorithm>
#include <mutex>

#include "ramet/base/strings.h"

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
  out.set("registered_name", registered == layer.class_name() ? Json(nullptr) : Json(registered));
  return Json(std::move(out));
}

LayerRef deserialize_layer(const Json& json) {
  const JsonObject& object = json.as_object();
  const std::string& name = object.at("class_name").as_string();
  const JsonObject& config = object.at("config").as_object();
  // A caller's class wins over one of ours with the same name.
  {
    const std::lock_guard lock(custom_mutex);
    for (const auto& r : custom_layers())
      if (r.class_name == name || cat(r.package, ">", r.class_name) == name) return r.from_config(config);
  }
  for (const auto& r : builtin_layers())
    if (r.class_name == name) return r.from_config(config);
  std::vector<std::string> names;
  for (const auto& r : builtin_layers()) names.push_back(r.class_name);
  const std::string near = nearest(name, names);
  throw DataError(cat("unknown layer class '", name, "'", near.empty() ? "" : cat(" (did you mean '", near, "'?)"),
                      "; a class of your own is made known with register_layer"));
}

LayerOptions layer_options_from(const JsonObject& json, std::string_view class_name,
                                const std::vector<std::string>& known) {
  LayerOptions options;
  for (const auto& [key, value] : json) {
    if (key == "name") {
      if (!value.is_null()) options.name = value.as_string();
    } else if (key == "trainable")
      options.trainable = value.as_bool();
    else if (key == "dtype")
      options.dtype = decode_dtype_policy(value);
    else if (std::find(known.begin(), known.end(), key) == known.end()) {
      // Keys of Keras that we do not have yet do no harm while they are switched off.
      const bool off = value.is_null() || (value.is_bool() && !value.as_bool());
      if (!off) throw DataError(cat(class_name, ": the argument '", key, "' = ", value.dump(), " is not supported"));
    }
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
  if (json.is_null()) return "float32";
  const std::string name = json.is_string() ? json.as_string() : json.at("config").at("name").as_string();
  if (name != "float32" && name != "float64")
    throw DataError(cat("dtype policy '", name, "' is not supported yet; use float32 or float64"));
  return name;
}

}  // namespace ramet
