// The arguments of what is called and has no field table of its own: options that hold arrays or functions.
#include "cli/describe.h"
#include "ramet/base/strings.h"
#include "ramet/graph/op_operation.h"
#include "ramet/train/callbacks.h"
#include "ramet/train/options.h"

namespace ramet::cli {
namespace {

ArgumentInfo needed(const char* name, const char* type) { return {name, type, "", true, Json(nullptr)}; }
ArgumentInfo given(const char* name, const char* type, Json otherwise = Json(nullptr)) {
  return {name, type, "", false, std::move(otherwise)};
}

constexpr const char *kArrays = "array, list or dict of arrays", *kInt = "int or None",
                     *kCallbacks = "list of callbacks";

std::vector<ArgumentInfo> input_arguments() {
  return {given("shape", "list of int or None"),     given("batch_size", kInt),
          given("dtype", "string", Json("float32")), given("sparse", "bool", Json(false)),
          given("ragged", "bool", Json(false)),      given("batch_shape", "list of int or None"),
          given("name", "string or None"),           given("tensor", "tensor, array or None"),
          given("optional", "bool", Json(false))};
}

std::vector<ArgumentInfo> compile_arguments() {
  const CompileOptions defaults;
  return {given("optimizer", "optimizer or its name", Json(snake_case(defaults.optimizer->class_name()))),
          given("loss", "loss, its name or a function; a list or dict by output"),
          given("loss_weights", "float, list or dict by output"),
          given("metrics", "list of metrics, names or functions; a list or dict of them by output"),
          given("weighted_metrics", "as metrics")};
}

std::vector<ArgumentInfo> fit_arguments() {
  const FitOptions defaults;
  return {needed("x", kArrays),
          needed("y", kArrays),
          given("batch_size", kInt, Json(32)),
          given("epochs", "int", Json(defaults.epochs)),
          given("verbose", "0 silent | 1 bar | 2 line an epoch", Json(defaults.verbose)),
          given("callbacks", kCallbacks),
          given("validation_split", "float, the last part of the data", Json(defaults.validation_split)),
          given("validation_data", "x, y, sample_weight"),
          given("shuffle", "bool or 'batch'", Json(true)),
          given("class_weight", "weight by class"),
          given("sample_weight", kArrays),
          given("initial_epoch", "int", Json(defaults.initial_epoch)),
          given("steps_per_epoch", kInt),
          given("validation_steps", kInt),
          given("validation_batch_size", kInt),
          given("validation_freq", "int or list of epochs", Json(1))};
}

std::vector<ArgumentInfo> evaluate_arguments() {
  return {needed("x", kArrays),
          needed("y", kArrays),
          given("batch_size", kInt, Json(32)),
          given("verbose", "0 | 1 | 2", Json(EvaluateOptions{}.verbose)),
          given("sample_weight", kArrays),
          given("steps", kInt),
          given("callbacks", kCallbacks)};
}

std::vector<ArgumentInfo> predict_arguments() {
  return {needed("x", kArrays), given("batch_size", kInt, Json(32)),
          given("verbose", "0 | 1 | 2", Json(PredictOptions{}.verbose)), given("steps", kInt),
          given("callbacks", kCallbacks)};
}

// "x, axis=None, keepdims=False" as arguments.
std::vector<ArgumentInfo> op_arguments(std::string_view text) {
  std::vector<ArgumentInfo> out;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(", "));
    text.remove_prefix(std::min(one.size() + 2, text.size()));
    const std::size_t at = one.find('=');
    const std::string name(one.substr(0, at)), value(at == one.npos ? "" : one.substr(at + 1));
    const bool operand = name.starts_with("x") && name.find('_') == name.npos;
    out.push_back({name, operand || name == "condition" ? "tensor, value, array or number" : "", "", value.empty(),
                   value.empty() || value == "None" ? Json(nullptr)
                   : value == "False"               ? Json(false)
                   : value.starts_with('\'')        ? Json(value.substr(1, value.size() - 2))
                                                    : Json(std::stoll(value))});
  }
  return out;
}

}  // namespace

std::vector<Entry> call_entries() {
  std::vector<Entry> out = {
      {"layer", "Input", {"input", "InputLayer"}, input_arguments},
      {"callback", "EarlyStopping", {"early_stopping"}, [] { return arguments_of<EarlyStopping::Config>(); }},
      {"callback", "ReduceLROnPlateau", {}, [] { return arguments_of<ReduceLROnPlateau::Config>(); }},
      {"callback",
       "LearningRateScheduler",
       {},
       [] {
         return std::vector{needed("schedule", "function of epoch and rate"), given("verbose", "int", Json(0))};
       }},
      {"callback", "TerminateOnNaN", {}, [] { return std::vector{given("raise_error", "bool", Json(false))}; }},
      {"callback",
       "CSVLogger",
       {},
       [] {
         return std::vector{needed("filename", "string"), given("separator", "string", Json(",")),
                            given("append", "bool", Json(false))};
       }},
      {"callback",
       "LambdaCallback",
       {},
       [] {
         std::vector<ArgumentInfo> hooks;
         for (const char* name : {"on_epoch_begin", "on_epoch_end", "on_train_begin", "on_train_end",
                                  "on_train_batch_begin", "on_train_batch_end"})
           hooks.push_back(given(name, "function or None"));
         return hooks;
       }},
      {"call", "compile", {}, compile_arguments},
      {"call", "fit", {}, fit_arguments},
      {"call", "evaluate", {}, evaluate_arguments},
      {"call", "predict", {}, predict_arguments},
  };
  for (const OpRow& row : op_rows()) {
    const std::string name = snake_case(row.class_name);
    out.push_back({"op", cat("ops.", name), {name, std::string(row.class_name)}, [arguments = row.arguments] {
                     return op_arguments(arguments);
                   }});
  }
  return out;
}

}  // namespace ramet::cli
