#include "cli/compile_flags.h"

#include "ramet/train/training.h"

namespace ramet::cli {
namespace {

// "adam", or {"class_name": "Adam", "config": {…}} as Keras writes it.
Json object_from(std::string_view option, const std::string& text) {
  if (!text.starts_with('{')) return Json(text);
  try {
    return Json::parse(text);
  } catch (const DataError& error) { throw WrongUsage(cat(option, ": ", error.what())); }
}

// {"output", "mse"} of "output=mse", {"", "mse"} of "mse".
std::pair<std::string, std::string> split(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == text.npos ? std::pair(std::string(), text)
                             : std::pair(text.substr(0, equals), text.substr(equals + 1));
}

// One for all, one per output in their order, or by name.
Json losses_from(const std::vector<std::string>& given) {
  if (given.size() == 1 && split(given[0]).first.empty()) return Json(given[0]);
  JsonObject named;
  JsonArray list;
  for (const std::string& text : given) {
    const auto [output, loss] = split(text);
    if (output.empty())
      list.push_back(Json(loss));
    else
      named.set(output, Json(loss));
  }
  if (!list.empty() && !named.empty()) throw WrongUsage("--loss: either name an output for all losses or for none");
  return named.empty() ? Json(std::move(list)) : Json(std::move(named));
}

// Names without an output are measured on every output.
Json metrics_from(const std::vector<std::string>& given, const Model& model) {
  const auto outputs = model.layer().has_graph() ? train::output_names(model.layer()) : std::vector<std::string>{""};
  if (outputs.size() == 1) {
    JsonArray list;
    for (const std::string& text : given) list.push_back(Json(split(text).second));
    return Json(std::move(list));
  }
  JsonObject by_output;
  for (const std::string& output : outputs) {
    JsonArray list;
    for (const std::string& text : given) {
      const auto [name, metric] = split(text);
      if (name.empty() || name == output) list.push_back(Json(metric));
    }
    if (!list.empty()) by_output.set(output, Json(std::move(list)));
  }
  return Json(std::move(by_output));
}

}  // namespace

void compile_with(Model& model, const CompileFlags& flags) {
  if (!model.compiled() && flags.loss.empty())
    throw WrongUsage("the model's file says nothing about training; give --loss (and --optimizer, --metrics)");
  if (!flags.any()) return;
  JsonObject config = model.compiled() ? model.get_compile_config() : JsonObject{{"optimizer", Json("rmsprop")}};
  Arrays state;
  if (model.compiled() && !flags.optimizer)
    for (const auto& v : model.optimizer_variables()) state.push_back(v->value());
  if (flags.optimizer) config.set("optimizer", object_from("--optimizer", *flags.optimizer));
  if (!flags.loss.empty()) config.set("loss", losses_from(flags.loss)), config.set("loss_weights", Json(nullptr));
  if (!flags.metrics.empty()) {
    config.set("metrics", metrics_from(flags.metrics, model));
    config.set("weighted_metrics", Json(nullptr));
  }
  try {
    model.compile_from_config(config);
    if (flags.learning_rate) model.set_learning_rate(*flags.learning_rate);
  } catch (const Error& error) { throw WrongUsage(error.what()); }
  if (state.empty()) return;
  const VariableRefs variables = model.optimizer_variables();
  for (std::size_t i = 0; i < state.size(); ++i) variables[i]->assign(state[i]);
  if (flags.learning_rate) model.set_learning_rate(*flags.learning_rate);
}

}  // namespace ramet::cli
