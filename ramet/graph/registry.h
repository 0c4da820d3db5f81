// Which layer classes can be made from a configuration. A closed list: Ramet's own and those the caller registers
// (ramet/graph/object_registry.h).
#pragma once
#include "ramet/graph/layer.h"
#include "ramet/graph/object_registry.h"

namespace ramet {

struct LayerRegistration {
  std::string class_name, package;  // package empty for Keras' own
  LayerRef (*from_config)(const JsonObject&);
  std::vector<ArgumentInfo> (*arguments)() = nullptr;  // null for models and inputs, which are made by other means
  const std::type_info* type = nullptr;

  operator ObjectRegistration() const;
};
inline constexpr std::string_view kLayerKind = "layer";

// Ramet's layers. Defined with the list itself, in ramet/layers/layer_list.cpp.
const std::vector<LayerRegistration>& builtin_layers();

// register_object for a layer.
void register_layer(const LayerRegistration& registration);

// {module, class_name, config, registered_name}, as Keras writes an object.
Json serialize_layer(const Layer& layer);
// DataError naming the class when it is not known.
LayerRef deserialize_layer(const Json& json);

// Splits the common options off a layer's config and refuses keys that are neither those nor in `known`.
LayerOptions layer_options_from(const JsonObject& json, std::string_view class_name,
                                const std::vector<std::string>& known);
Json encode_dtype_policy(const std::string& name);
std::string decode_dtype_policy(const Json& json);  // DataError for policies not supported yet

inline Json encode(const LayerRef& layer) { return layer ? serialize_layer(*layer) : Json(nullptr); }
inline void decode(const Json& json, LayerRef& out) { out = json.is_null() ? nullptr : deserialize_layer(json); }

}  // namespace ramet
