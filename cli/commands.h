// Every command, each in the file of its name.
#pragma once
#include "cli/args.h"

namespace ramet::cli {

extern const Command summary_command, predict_command, evaluate_command, train_command, plot_command, clone_command,
    convert_command, diff_command, weights_command, describe_command, ir_command, plan_command, bench_command,
    doctor_command;

// In the order of the overview: the common ones first.
std::span<const Command* const> commands();

}  // namespace ramet::cli
