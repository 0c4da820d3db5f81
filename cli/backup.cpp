#include "cli/backup.h"

#include <filesystem>
#include <functional>

#include "cli/common.h"
#include "ramet/base/quoted.h"
#include "ramet/io/model_file.h"

namespace ramet::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "ramet_training";

// What training changes and model files leave out, layer after layer.
VariableRefs kept_apart(const Layer& layer) {
  VariableRefs out;
  const std::function<void(const Layer&)> visit = [&](const Layer& at) {
    for (const auto& v : at.own_variables())
      if (!v->is_weight) out.push_back(v);
    for (const auto& inner : at.sublayers()) visit(*inner);
  };
  visit(layer);
  return out;
}

}  // namespace

Backup::Backup(const std::string& folder) : folder_(folder), file_((fs::path(folder) / "latest.keras").string()) {
  if (fs::is_directory(folder))
    check_writable(file_);
  else if (fs::exists(folder))
    throw DataError(cat("file ", quoted(folder), ": is not a folder"));
  else
    check_writable(folder);
}

bool Backup::exists() const { return fs::exists(file_); }

Model Backup::open(const Model& asked) {
  Model model = open_model(file_, Compile::as_saved);
  const Json* text = model.layer().file_info.metadata.find(kKey);
  if (!text) throw DataError(cat(quoted(file_), ": is a model file and not a backup of a training run"));
  const Json training = Json::parse(text->as_string(), {.nonfinite = true});
  if (model.layer().get_config() != asked.layer().get_config())
    throw DataError(
        cat(quoted(file_), ": holds another model; remove it to start afresh, or give --resume another folder"));
  epochs_ = training.at("epochs").as_int();
  history_ = training.at("history").as_object();
  const VariableRefs variables = kept_apart(model.layer());
  const JsonArray& states = training.at("states").as_array();
  if (states.size() != variables.size())
    throw DataError(
        cat(quoted(file_), ": has ", states.size(), " states of layers where the model has ", variables.size()));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    std::vector<double> values;
    for (const Json& value : states[i].as_array()) values.push_back(value.as_double());
    const Array& now = variables[i]->stored();
    variables[i]->assign(Array::of<double>(now.shape(), values).astype(now.dtype()));
  }
  model.layer().file_info.metadata.erase(kKey);
  return model;
}

void Backup::save(const Model& model, std::int64_t epochs, const JsonObject& history) const {
  JsonArray states;
  for (const auto& v : kept_apart(model.layer())) {
    JsonArray values;
    for (const double value : v->stored().to_doubles()) values.push_back(Json(value));
    states.push_back(Json(std::move(values)));
  }
  const Json training(JsonObject{{"epochs", Json(epochs)}, {"history", Json(history)}, {"states", Json(states)}});
  JsonObject& metadata = model.layer().file_info.metadata;
  metadata.set(kKey, Json(training.dump()));  // as text: a loss may be NaN, which metadata.json must not hold
  fs::create_directory(folder_);
  model.save(file_);
  metadata.erase(kKey);
}

void Backup::remove() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
  fs::remove(folder_, ignored);
}

}  // namespace ramet::cli
