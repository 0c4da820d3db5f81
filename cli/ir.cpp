// ramet ir and ramet plan: one step of a model as text.
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/step_data.h"
#include "ramet/train/inspect.h"

namespace ramet::cli {
namespace {

struct StepArgs {
  std::string model;
  std::int64_t batch_size = 32, length = 16;
  bool train = false, optimized = false;
};
using F = Flags<StepArgs>;
constexpr Option kModel = F::argument<&StepArgs::model>("MODEL", "a model file");
constexpr Option kBatchSize = F::flag<&StepArgs::batch_size>("--batch-size", "N", "samples in the step (32)");
constexpr Option kLength = F::flag<&StepArgs::length>("--length", "N", "for other sizes the model leaves open (16)");
constexpr Option kTrain = F::flag<&StepArgs::train>("--train", "", "the training step instead of prediction");
constexpr Option kOptimized = F::flag<&StepArgs::optimized>("--optimized", "", "after the passes instead of before");
constexpr Option kIrOptions[] = {kModel, kBatchSize, kLength, kTrain, kOptimized};
constexpr Option kPlanOptions[] = {kModel, kBatchSize, kLength, kTrain};

StepView view(const StepArgs& args) {
  const StepData data = step_data(args.model, args.batch_size, args.length, args.train);
  return inspect(data.model, data.x, data.y);
}

void print(const std::string& text) { std::cout << text << (text.ends_with('\n') ? "" : "\n"); }

int ir(const StepArgs& args) {
  const StepView v = view(args);
  print(args.optimized ? v.optimized : v.program);
  return 0;
}

int plan(const StepArgs& args) {
  print(view(args).plan);
  return 0;
}

}  // namespace

constinit const Command ir_command{"ir",
                                   "the program of one step, as traced or after the passes",
                                   kIrOptions,
                                   "ramet ir model.keras\n"
                                   "ramet ir model.keras --train --optimized --batch-size 64",
                                   "",
                                   &run_with<StepArgs, ir>};
constinit const Command plan_command{"plan",
                                     "the plan of one step: kernels, and where every value lies",
                                     kPlanOptions,
                                     "ramet plan model.keras\n"
                                     "ramet plan model.keras --train --batch-size 64",
                                     "",
                                     &run_with<StepArgs, plan>};

}  // namespace ramet::cli
