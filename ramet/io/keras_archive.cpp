#include "ramet/io/keras_archive.h"

#include "ramet/graph/load_context.h"
#include "ramet/graph/shared_layers.h"
#include "ramet/io/bytes.h"
#include "ramet/io/weights_file.h"
#include "ramet/io/zip_write.h"
#include "ramet/nn/object.h"

namespace ramet::io {
namespace {

// Later ones are met with a warning.
constexpr KerasVersion kNewestKnown{3, 16, 99};

MaskSemantics masks_of(const std::optional<KerasVersion>& version) {
  if (!version) return kMaskSemantics;
  if (version->major < 3) return MaskSemantics::keras2;
  if (*version < KerasVersion{3, 8, 0}) return MaskSemantics::keras3;
  return *version < KerasVersion{3, 16, 0} ? MaskSemantics::keras3_8 : MaskSemantics::keras3_16;
}

std::string text_of(const JsonObject& object, const char* key) {
  const Json* value = object.find(key);
  return value && value->is_string() ? value->as_string() : "";
}

void read_optimizer(const hdf5::Group& root, Model& model, std::vector<Source>& sources) {
  auto& warnings = model.layer().file_info.warnings;
  if (!root.contains("optimizer/vars")) {
    warnings.emplace_back("the file holds no state of the optimizer; it starts afresh");
    return;
  }
  const hdf5::Group group = root.group("optimizer/vars");
  const VariableRefs variables = model.optimizer_variables();
  const std::size_t count = group.names().size();
  if (count != variables.size() && count != variables_before_first_step(variables)) {
    warnings.push_back(
        cat("the optimizer has ", variables.size(), " variables, the file ", count, "; its state starts afresh"));
    return;
  }
  for (std::size_t i = 0; i < count && i < variables.size(); ++i)
    sources.push_back(match_variable(group.dataset(std::to_string(i)), variables[i], "optimizer"));
}

// What the caller brings. What comes from it can be saved again.
void give_to(LoadContext& context, const LoadOptions& options) {
  context.objects = options.objects;
  context.objects.insert(context.objects.begin(), options.layers.begin(), options.layers.end());
  context.functions = options.functions;
  for (const ObjectRegistration& r : context.objects) remember_package(r);
}

}  // namespace

Model model_from_object(const Json& object, const JsonObject& metadata, std::uint64_t weight_bytes,
                        const LoadOptions& options) {
  const std::string keras_version = text_of(metadata, "keras_version");
  LoadContext context;
  give_to(context, options);
  context.version = KerasVersion::parse(keras_version);
  context.weight_bytes = weight_bytes;
  context.values_follow = true;
  // What we write was said by somebody.
  context.training_leaks =
      !metadata.contains(kOwnMark) && context.version.value_or(KerasVersion{}) < KerasVersion{3, 16, 0};
  const LoadScope scope(context);
  auto inside = deserialize_model(object);
  inside->mask_semantics = masks_of(context.version);
  inside->file_info.keras_version = keras_version;
  inside->file_info.warnings = context.take_warnings();
  if (context.version && *context.version > kNewestKnown)
    inside->file_info.warnings.push_back(
        cat("written by Keras ", keras_version, ", which is newer than what is known here"));
  return Model(std::move(inside));
}

Model model_from_parts(const ArchiveParts& parts, const LoadOptions& options) {
  const auto failed = [&](const char* member, const std::string& what) {
    return DataError(cat(parts.who, ": ", member, what.starts_with('/') ? "" : ": ", what));
  };
  JsonObject metadata;
  Model model;
  Json compile_config;
  try {
    if (!parts.metadata.empty()) metadata = Json::parse(parts.metadata, config_limits(parts.metadata)).as_object();
  } catch (const Error& error) { throw failed("metadata.json", error.what()); }
  try {
    const Json object = Json::parse(parts.config, config_limits(parts.config));
    if (const Json* found = object.as_object().find("compile_config")) compile_config = *found;
    const std::uint64_t budget = parts.file_bytes * options.limits.weights_per_byte + options.limits.weights_more;
    model = model_from_object(object, metadata, budget, options);
    model.layer().file_info.metadata = metadata;
  } catch (const Error& error) { throw failed("config.json", error.what()); }
  try {
    if (options.compile && compile_config.is_object() && !compile_config.as_object().empty())
      compile_from_file(model, compile_config.as_object(), options);
  } catch (const Error& error) {
    throw failed("config.json/compile_config", cat(error.what(), " (load without compile to use the model as it is)"));
  }
  try {
    const auto groups = weight_groups(model, false);
    const bool any = !model.weights().empty();
    if (parts.weights.empty()) {
      if (any) throw DataError("the file is missing");
      return model;
    }
    const hdf5::Group root = hdf5::open(parts.weights);
    std::vector<Source> sources = match_weights(root, groups);
    if (model.compiled()) read_optimizer(root, model, sources);
    report_nonfinite(model, read_weights(sources, parts.done), options);
  } catch (const Error& error) { throw failed("model.weights.h5", error.what()); }
  return model;
}

void compile_from_file(Model& model, const JsonObject& config, const LoadOptions& options) {
  LoadContext context;  // to hear of what is left out and of what is not known
  give_to(context, options);
  context.weight_bytes = UINT64_MAX;
  const LoadScope scope(context);
  auto& warnings = model.layer().file_info.warnings;
  try {
    model.compile_from_config(config);
  } catch (const Error& error) {
    if (options.strict || context.unknown.empty()) throw;
    warnings.push_back(cat("the model is not compiled: the ", context.unknown,
                           " is not known here; compile it, or make a class or function of your own known with "
                           "register_object or register_function"));
    return;
  }
  for (std::string& warning : context.take_warnings()) warnings.push_back(std::move(warning));
}

std::size_t variables_before_first_step(const VariableRefs& variables) {
  return variables.size() > 1 && variables[1]->name == "learning_rate" ? 2 : 1;
}

void report_nonfinite(const Model& model, const std::vector<std::string>& paths, const LoadOptions& options) {
  for (const auto& path : paths) {
    const std::string what = cat("the weight '", path, "' holds NaN or infinity");
    if (options.refuse_nonfinite) throw DataError(what);
    model.layer().file_info.warnings.push_back(what);
  }
}

void write_archive(Sink& sink, const Model& model) {
  require(static_cast<bool>(model), "save: there is no model");
  const SaveScope scope;
  const SharedLayers shared(model.layer());
  JsonObject config = serialize_layer(model.layer()).as_object();
  if (!config.contains("build_config") && model.layer().has_graph()) {
    config.set("build_config", Json(JsonObject{{"input_shape", Json(nullptr)}}));
  }
  if (model.compiled()) config.set("compile_config", Json(model.get_compile_config()));
  JsonObject metadata = model.layer().file_info.metadata;
  metadata.set("keras_version", Json(kWrittenVersion));
  metadata.set(kOwnMark, Json(kOwnVersion));
  if (!metadata.contains("date_saved")) metadata.set("date_saved", Json("1980-01-01@00:00:00"));

  const auto groups = weight_groups(model, true, true);
  const hdf5::FileWriter weights = weights_writer(groups);
  ZipWriter zip(sink);
  zip.add("metadata.json", as_bytes_of(Json(std::move(metadata)).dump()));
  zip.add("config.json", as_bytes_of(Json(std::move(config)).dump()));
  zip.begin("model.weights.h5", weights.size(), 64);
  weights.write([&](std::span<const std::byte> part) { zip.write(part); });
  zip.end();
  zip.finish();
}

}  // namespace ramet::io
