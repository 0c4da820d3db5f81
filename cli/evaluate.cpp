// ramet evaluate: the loss and metrics of a model on the arrays of a file.
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/compile_flags.h"
#include "cli/data.h"
#include "cli/signals.h"
#include "ramet/train/options.h"

namespace ramet::cli {
namespace {

struct EvaluateArgs : CompileFlags {
  std::string model, data;
  std::int64_t batch_size = 32;
  bool json = false;
};
using F = Flags<EvaluateArgs>;
constexpr Option kOptions[] = {
    F::argument<&EvaluateArgs::model>("MODEL", "a model file"),
    F::required<&EvaluateArgs::data>("--data", "D.npz", "arrays x, y and where wanted sample_weight"),
    F::flag<&EvaluateArgs::batch_size>("--batch-size", "N", "samples at a time (32)"),
    F::flag<&EvaluateArgs::loss>("--loss", "L",
                                 "a loss in place of the file's: mse; one per output: mse,mae; by name: label=mse"),
    F::flag<&EvaluateArgs::metrics>("--metrics", "M", "metrics in place of the file's: accuracy,mae"),
    F::flag<&EvaluateArgs::json>("--json", "", "one JSON object: name to value"),
};

int evaluate(const EvaluateArgs& args) {
  watch_signals(false);
  Model model = open_model(args.model, args.loss.empty() ? Compile::as_saved : Compile::if_possible);
  compile_with(model, args);
  const TrainingData data = training_data_from(read_npz(args.data), model, args.data);
  const Logs logs = model.evaluate(data.x, data.y,
                                   {.batch_size = args.batch_size,
                                    .verbose = 1,
                                    .sample_weight = data.sample_weight,
                                    .callbacks = {StopOnSignal()}});
  JsonObject out;
  for (const auto& [name, value] : logs) {
    if (!args.json) std::cout << name << ": " << short_number(value, 9) << '\n';
    out.set(name, Json(value));
  }
  if (args.json) print_json(Json(std::move(out)));
  return 0;
}

}  // namespace

constinit const Command evaluate_command{
    "evaluate",
    "loss and metrics on the arrays of an .npz file",
    kOptions,
    "ramet evaluate model.keras --data test.npz\n"
    "ramet evaluate model.keras --data test.npz --loss mse --metrics mae --json",
    "The file holds x and y; for several inputs or outputs x/<input>, y/<output>, and sample_weight likewise.",
    &run_with<EvaluateArgs, evaluate>};

}  // namespace ramet::cli
