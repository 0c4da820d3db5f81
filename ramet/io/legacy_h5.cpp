#include "ramet/io/legacy_h5.h"

#include <algorithm>
#include <set>

#include "ramet/base/quoted.h"
#include "ramet/graph/load_context.h"
#include "ramet/graph/shared_layers.h"
#include "ramet/io/keras_archive.h"

namespace ramet::io {
namespace {

// A list of names, which is cut into name0, name1, … when it is too long for one attribute.
std::vector<std::string> name_list(const hdf5::Group& group, const std::string& name) {
  const auto strings = [&](const std::string& key) {
    const hdf5::Attribute a = group.attribute(key);
    return a.type().kind == hdf5::Kind::string ? a.strings() : std::vector<std::string>();  // no names: no strings
  };
  if (group.has_attribute(name)) return strings(name);
  std::vector<std::string> out;
  for (int i = 0; group.has_attribute(cat(name, i)); ++i)
    for (auto& s : strings(cat(name, i))) out.push_back(std::move(s));
  return out;
}

void write_names(hdf5::FileWriter& file, const std::string& path, const std::string& name,
                 const std::vector<std::string>& names) {
  constexpr std::size_t kBytesEach = 16, kMost = hdf5::kLargestAttribute / kBytesEach;
  if (names.empty()) return file.attribute(path, name, DType::f64, {0}, {});
  if (names.size() <= kMost) return file.attribute(path, name, std::span<const std::string>(names));
  for (std::size_t at = 0, i = 0; at < names.size(); at += kMost, ++i)
    file.attribute(path, cat(name, i),
                   std::span<const std::string>(names).subspan(at, std::min(kMost, names.size() - at)));
}

// All that train, then the rest, of the whole layer.
VariableRefs legacy_weights(const Layer& layer) {
  VariableRefs out = layer.trainable_weights();
  for (auto& v : layer.non_trainable_weights()) out.push_back(v);
  return out;
}

std::string text_attribute(const hdf5::Group& root, const char* name) {
  return root.has_attribute(name) ? root.attribute(name).text() : "";
}

// The class; one of the caller's with its package.
Json legacy_class(const Json& object) {
  const Json* registered = object.as_object().find("registered_name");
  const bool own = registered && registered->is_string() && registered->as_string().find('>') != std::string::npos;
  return own ? *registered : object.at("class_name");
}

// The objects of layers without the keys that came later.
Json without_modules(const Json& object) {
  JsonObject out;
  for (const auto& [key, value] : object.as_object()) {
    if (key == "module" || key == "registered_name" || key == "build_config" || key == "compile_config") continue;
    if (key == "class_name") {
      out.set(key, legacy_class(object));
      continue;
    }
    if (key != "config" || !value.is_object() || !value.as_object().contains("layers")) {
      out.set(key, value);
      continue;
    }
    JsonObject config = value.as_object();
    JsonArray layers;
    for (const Json& layer : config.at("layers").as_array()) layers.push_back(without_modules(layer));
    config.set("layers", Json(std::move(layers)));
    out.set(key, Json(std::move(config)));
  }
  return Json(std::move(out));
}

Json training_config(const Model& model) {
  JsonObject out = model.get_compile_config();
  const Json optimizer = out.at("optimizer");
  out.erase("optimizer");
  out.set("optimizer_config",
          Json(JsonObject{{"class_name", legacy_class(optimizer)}, {"config", optimizer.at("config")}}));
  return Json(std::move(out));
}

void read_training(const hdf5::Group& root, Model& model, std::vector<Source>& sources, const LoadOptions& options) {
  const std::string text = text_attribute(root, "training_config");
  JsonObject config = Json::parse(text, config_limits(text)).as_object();
  if (const Json* optimizer = config.find("optimizer_config")) config.set("optimizer", *optimizer);
  compile_from_file(model, config, options);
  auto& warnings = model.layer().file_info.warnings;
  if (!model.compiled() || !root.contains("optimizer_weights")) return;
  const hdf5::Group group = root.group("optimizer_weights");
  const auto names = name_list(group, "weight_names");
  const VariableRefs variables = model.optimizer_variables();
  if (names.size() != variables.size() && names.size() != variables_before_first_step(variables)) {
    warnings.push_back(cat("the optimizer has ", variables.size(), " variables, the file ", names.size(),
                           "; its state starts afresh"));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    sources.push_back(match_variable(group.dataset(names[i]), variables[i], "optimizer"));
}

}  // namespace

bool is_legacy_weights(const hdf5::Group& root) {
  return root.has_attribute("layer_names") || root.has_attribute("layer_names0");
}

std::vector<Source> match_legacy_weights(const hdf5::Group& root, const Model& model) {
  std::vector<LayerRef> layers;
  for (const auto& layer : model.layers())
    if (!layer->weights().empty()) layers.push_back(layer);
  std::vector<std::pair<std::string, std::vector<std::string>>> saved;
  std::set<std::string> names;
  for (const auto& name : name_list(root, "layer_names")) {
    if (!names.insert(name).second)
      throw DataError(cat("Layer count mismatch: layer_names has ", quoted(name), " twice"));
    if (auto weights = name_list(root.group(name), "weight_names"); !weights.empty())
      saved.emplace_back(name, std::move(weights));
  }
  if (saved.size() != layers.size())
    throw DataError(cat("Layer count mismatch when loading weights from file. Model expected ", layers.size(),
                        " layers, found ", saved.size(), " saved layers."));
  std::vector<Source> out;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const VariableRefs variables = legacy_weights(*layers[i]);
    const auto& [name, weights] = saved[i];
    if (weights.size() != variables.size())
      throw DataError(cat("Weight count mismatch for layer #", i, " (named ", layers[i]->name(),
                          " in the current model, ", quoted(name), " in the save file). Layer expects ",
                          variables.size(), " weight(s). Received ", weights.size(), " saved weight(s)"));
    const hdf5::Group group = root.group(name);
    for (std::size_t k = 0; k < weights.size(); ++k)
      out.push_back(match_variable(group.dataset(weights[k]), variables[k], layers[i]->name()));
  }
  return out;
}

Model load_legacy_model(std::span<const std::byte> file, const LoadOptions& options, const std::string& who) {
  const auto failed = [&](const char* part, const std::string& what) {
    return DataError(cat(who, ": ", part, what.starts_with('/') ? "" : ": ", what));
  };
  std::optional<hdf5::Group> root;
  try {
    root = hdf5::open(file);
    if (!root->has_attribute("model_config"))
      throw DataError(root->contains("layers") || is_legacy_weights(*root)
                          ? "holds weights only; build the model and use load_weights"
                          : "not a model file: it has no model_config");
  } catch (const Error& error) { throw DataError(cat(who, ": ", error.what())); }
  Model model;
  try {
    const std::uint64_t budget = file.size() * options.limits.weights_per_byte + options.limits.weights_more;
    const std::string text = root->attribute("model_config").text();
    JsonObject metadata{{"keras_version", Json(text_attribute(*root, "keras_version"))}};
    if (const std::string ours = text_attribute(*root, kOwnMark); !ours.empty()) metadata.set(kOwnMark, Json(ours));
    model = model_from_object(Json::parse(text, config_limits(text)), metadata, budget, options);
    model.layer().file_info.metadata = metadata;
  } catch (const Error& error) { throw failed("model_config", error.what()); }
  try {
    std::vector<Source> sources = match_legacy_weights(root->group("model_weights"), model);
    if (options.compile && root->has_attribute("training_config")) {
      try {
        read_training(*root, model, sources, options);
      } catch (const Error& error) {
        throw DataError(cat("training_config: ", error.what(), " (load without compile to use the model as it is)"));
      }
    }
    report_nonfinite(model, read_weights(sources), options);
  } catch (const Error& error) { throw failed("weights", error.what()); }
  return model;
}

void write_legacy_model(Sink& sink, const Model& model) {
  require(static_cast<bool>(model), "save: there is no model");
  const SaveScope scope;
  const SharedLayers shared(model.layer());
  hdf5::FileWriter file;
  const auto put = [&](const std::string& path, const Array& value) {
    file.dataset(path, value.dtype(), value.shape(), {static_cast<const std::byte*>(value.raw()), value.byte_size()});
  };
  file.attribute("", "backend", "jax");
  file.attribute("", "keras_version", kWrittenVersion);
  file.attribute("", kOwnMark, kOwnVersion);
  file.attribute("", "model_config", without_modules(serialize_layer(model.layer())).dump());
  if (model.compiled()) file.attribute("", "training_config", training_config(model).dump());
  file.group("model_weights");
  file.attribute("model_weights", "backend", "jax");
  file.attribute("model_weights", "keras_version", kWrittenVersion);
  std::vector<std::string> layer_names;
  for (const auto& layer : model.layers()) {
    layer_names.push_back(layer->name());
    const std::string group = cat("model_weights/", layer->name());
    file.group(group);
    std::vector<std::string> names;
    for (const auto& v : legacy_weights(*layer)) {
      names.push_back(v->path);
      put(cat(group, "/", v->path), v->stored());
    }
    write_names(file, group, "weight_names", names);
  }
  file.group("model_weights/top_level_model_weights");
  write_names(file, "model_weights/top_level_model_weights", "weight_names", {});
  write_names(file, "model_weights", "layer_names", layer_names);
  if (model.compiled()) {
    file.group("optimizer_weights");
    std::vector<std::string> names;
    for (const auto& v : model.optimizer_variables()) {
      names.push_back(v->path);
      put(cat("optimizer_weights/", v->path), v->stored());
    }
    write_names(file, "optimizer_weights", "weight_names", names);
  }
  file.write([&](std::span<const std::byte> part) { sink.write(part); });
}

}  // namespace ramet::io
