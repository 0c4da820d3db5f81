// Command lines, described once: a command is a table of options over a plain struct. Parsing, messages and help
// follow from the table.
//
//   struct PredictArgs { std::string model; std::int64_t batch_size = 32; };
//   using F = Flags<PredictArgs>;
//   constexpr Option kOptions[] = {F::argument<&PredictArgs::model>("MODEL", "a model file"),
//                                  F::flag<&PredictArgs::batch_size>("--batch-size", "N", "samples at a time (32)")};
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/config.h"

namespace ramet::cli {

// The command line cannot be: exit status 2.
class WrongUsage : public Error {
 public:
  using Error::Error;
};

struct Option {
  std::string_view name;   // "--batch-size", or without dashes an argument by place: "MODEL"
  std::string_view value;  // what stands for its value in help, "N"; empty for a switch
  std::string_view help;
  bool required = false;
  void (*set)(void* args, std::string_view name, std::string_view text) = nullptr;

  constexpr bool by_place() const { return !name.starts_with('-'); }
};

// Text to values; WrongUsage naming the option.
void read_value(std::string_view name, std::string_view text, std::string& out);
void read_value(std::string_view name, std::string_view text, bool& out);           // a switch: true
void read_value(std::string_view name, std::string_view text, std::int64_t& out);   // at least 1
void read_value(std::string_view name, std::string_view text, std::uint64_t& out);  // at least 0
void read_value(std::string_view name, std::string_view text, double& out);
void read_value(std::string_view name, std::string_view text, std::vector<std::string>& out);  // between commas
template <class T>
void read_value(std::string_view name, std::string_view text, std::optional<T>& out) {
  read_value(name, text, out.emplace());
}
template <class Names>
void read_value(std::string_view name, std::string_view text, Choice<Names>& out) {
  try {
    out = Choice<Names>::from(text);
  } catch (const UsageError& error) { throw WrongUsage(cat(name, ": ", error.what())); }
}

// Makes the options of one struct.
template <class Args>
struct Flags {
  template <auto Member>
  static constexpr Option argument(std::string_view name, std::string_view help, bool required = true) {
    return {name, name, help, required, &set<Member>};
  }
  template <auto Member>
  static constexpr Option flag(std::string_view name, std::string_view value, std::string_view help) {
    return {name, value, help, false, &set<Member>};
  }
  template <auto Member>
  static constexpr Option required(std::string_view name, std::string_view value, std::string_view help) {
    return {name, value, help, true, &set<Member>};
  }

 private:
  template <auto Member>
  static void set(void* args, std::string_view name, std::string_view text) {
    read_value(name, text, static_cast<Args*>(args)->*Member);
  }
};

struct Command {
  std::string_view name, brief;
  std::span<const Option> options;
  std::string_view examples;  // a command per line
  std::string_view notes;     // more to know, below the options
  int (*run)(const Command& command, std::span<const std::string_view> words);
};

// Fills `args`, the struct of the command's options. WrongUsage when the words do not fit.
void parse(const Command& command, std::span<const std::string_view> words, void* args);

// What Command::run is made from: int predict(const PredictArgs&) → &run_with<PredictArgs, predict>.
template <class Args, int (*Run)(const Args&)>
int run_with(const Command& command, std::span<const std::string_view> words) {
  Args args;
  parse(command, words, &args);
  return Run(args);
}

std::string usage_line(const Command& command);
std::string help_text(const Command& command);

}  // namespace ramet::cli
