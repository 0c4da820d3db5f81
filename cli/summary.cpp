// ramet summary: what a model consists of.
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "ramet/base/quoted.h"
#include "ramet/graph/summary.h"

namespace ramet::cli {
namespace {

struct SummaryArgs {
  std::string model;
  bool expand = false, trainable = false, json = false;
};
using F = Flags<SummaryArgs>;
constexpr Option kOptions[] = {
    F::argument<&SummaryArgs::model>("MODEL", "a model file"),
    F::flag<&SummaryArgs::expand>("--expand-nested", "", "rows for the layers of models inside"),
    F::flag<&SummaryArgs::trainable>("--show-trainable", "", "a column that says which layers are trained"),
    F::flag<&SummaryArgs::json>("--json", "", "one JSON document: layers with name, class, shapes and parameters"),
};

int summary(const SummaryArgs& args) {
  const Model model = open_model(args.model);
  const ModelLayer::FileInfo& file = model.layer().file_info;
  SummaryOptions options{.expand_nested = args.expand, .show_trainable = args.trainable};
  if (!args.json) {
    std::cout << model.summary(options);
    if (const Json* ours = file.metadata.find("ramet_version"))
      std::cout << " Saved by Ramet " << one_line(ours->is_string() ? ours->as_string() : "") << ", as Keras "
                << file.keras_version << '\n';
    else if (!file.keras_version.empty())
      std::cout << " Saved by Keras " << file.keras_version << '\n';
    return 0;
  }
  Json out = model.summary_table(options).to_json();
  JsonArray warnings;
  for (const std::string& warning : file.warnings) warnings.push_back(Json(warning));
  out.as_object().set("keras_version", file.keras_version.empty() ? Json(nullptr) : Json(file.keras_version));
  const Json* ours = file.metadata.find("ramet_version");
  out.as_object().set("ramet_version", ours && ours->is_string() ? *ours : Json(nullptr));
  out.as_object().set("warnings", Json(std::move(warnings)));
  print_json(out);
  return 0;
}

}  // namespace

constinit const Command summary_command{
    "summary",
    "what a model consists of: layers, shapes, parameters, the Keras version of its file",
    kOptions,
    "ramet summary model.keras\n"
    "ramet summary model.keras --expand-nested\n"
    "ramet summary model.keras --json | jq .total_params",
    "",
    &run_with<SummaryArgs, summary>};

}  // namespace ramet::cli
