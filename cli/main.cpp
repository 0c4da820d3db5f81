// ramet: what the library does, for the shell. Data goes to stdout, everything else to stderr.
#include <algorithm>
#include <iostream>
#include <new>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/signals.h"
#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"

namespace ramet::cli {

std::span<const Command* const> commands() {
  static constexpr const Command* kCommands[] = {
      &summary_command, &predict_command, &evaluate_command, &train_command,   &plot_command,
      &clone_command,   &convert_command, &diff_command,     &weights_command, &bench_command,
      &ir_command,      &plan_command,    &describe_command, &doctor_command,
  };
  return kCommands;
}

namespace {

constexpr std::string_view kExitCodes =
    "Exit status\n"
    "  0    done; for diff: the models are equal\n"
    "  1    bad data or failure, told in one line on stderr; for diff: the models differ\n"
    "  2    wrong usage; for diff: any trouble\n"
    "  75   train was stopped by SIGTERM and has saved\n"
    "  130  interrupted; nothing was saved\n";

std::string overview() {
  std::string out =
      "Keras models without Python.\n\n"
      "Examples\n"
      "  ramet summary model.keras\n"
      "  ramet predict model.keras --inputs x.npz --outputs y.npz\n"
      "  ramet train model.keras --data data.npz --save trained.keras --epochs 5\n\n"
      "Commands\n";
  for (const Command* c : commands()) out += cat("  ", c->name, std::string(11 - c->name.size(), ' '), c->brief, "\n");
  return out +
         "  help       ramet help COMMAND: its examples and options; ramet help exit-codes\n\n"
         "MODEL is a .keras archive, the same as a folder, or a whole model in .h5. Environment: RAMET_NUM_THREADS,\n"
         "RAMET_CPU_TARGET, NO_COLOR.\n";
}

const Command& find_command(std::string_view name) {
  std::vector<std::string_view> names{"help"};
  for (const Command* c : commands()) {
    if (c->name == name) return *c;
    names.push_back(c->name);
  }
  const std::string near = nearest(name, names);
  throw WrongUsage(cat(name.starts_with('-') ? "unknown option " : "unknown command ", quoted(name),
                       near.empty() ? "" : cat("; did you mean '", near, "'?")));
}

int dispatch(std::span<const std::string_view> words, const Command*& running) {
  if (words.empty()) throw WrongUsage("a command is missing");
  const std::string_view first = words[0];
  if (first == "--version") {
    std::cout << "ramet " RAMET_VERSION "\n";
    return 0;
  }
  if (first == "--help" || first == "-h" || (first == "help" && words.size() == 1)) {
    std::cout << overview();
    return 0;
  }
  if (first == "help") {
    std::cout << (words[1] == "exit-codes" ? std::string(kExitCodes) : help_text(find_command(words[1])));
    return 0;
  }
  running = &find_command(first);
  const auto rest = words.subspan(1);
  const auto end = std::find(rest.begin(), rest.end(), "--");
  if (std::any_of(rest.begin(), end, [](std::string_view w) { return w == "--help" || w == "-h"; })) {
    std::cout << help_text(*running);
    return 0;
  }
  return running->run(*running, rest);
}

// The error line; `status` unless the command is diff, where 1 already means that the models differ.
int fail(const Command* command, int status, std::string_view what, std::string_view more = "") {
  tell(cat("ramet", command ? cat(" ", command->name) : "", ": ", what, more));
  return command == &diff_command ? 2 : status;
}

int run(std::span<const std::string_view> words) {
  const Command* command = nullptr;
  try {
    const int status = dispatch(words, command);
    std::cout.flush();
    return std::cout ? status : fail(command, 1, "stdout cannot be written to");
  } catch (const WrongUsage& error) {
    return fail(command, 2, error.what(),
                command ? cat(" (see: ramet help ", command->name, ")") : " (see: ramet help)");
  } catch (const Interrupted&) { return fail(command, 130, "interrupted"); } catch (const std::bad_alloc&) {
    return fail(command, 1, "out of memory");
  } catch (const std::exception& error) { return fail(command, 1, error.what()); }
}

}  // namespace
}  // namespace ramet::cli

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::vector<std::string_view> words(argv + 1, argv + std::max(argc, 1));
  return ramet::cli::run(words);
}
