// --optimizer, --loss, --metrics: how a model is compiled where its file does not say, or says otherwise.
#pragma once
#include "cli/args.h"
#include "ramet/graph/model.h"

namespace ramet::cli {

struct CompileFlags {
  std::optional<std::string> optimizer;
  std::vector<std::string> loss, metrics;
  std::optional<double> learning_rate;
  bool any() const { return optimizer || !loss.empty() || !metrics.empty() || learning_rate; }
};

// Compiles as the flags say; what they leave open stays as the file has it, with the optimizer's state unless that is
// another one. WrongUsage for unknown names and when neither file nor flags give a loss.
void compile_with(Model& model, const CompileFlags& flags);

}  // namespace ramet::cli
