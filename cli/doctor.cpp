// ramet doctor: what this program found on this machine, and whether it computes rightly there.
#include <fstream>
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/graphviz.h"
#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/base/strings.h"
#include "ramet/exec/executable.h"
#include "ramet/ir/text.h"
#include "ramet/ops/op_list.h"
#include "ramet/ramet.h"

namespace ramet::cli {
namespace {

struct DoctorArgs {
  bool json = false;
};
using F = Flags<DoctorArgs>;
constexpr Option kOptions[] = {F::flag<&DoctorArgs::json>("--json", "", "one JSON object")};

// What stands behind `key` in a file of "key : value" lines.
std::string entry(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = colon == line.npos ? colon : line.find_first_not_of(" \t", colon + 1);
    return begin == line.npos ? "" : line.substr(begin);
  }
  return "unknown";
}

// A small model with the usual layers, by the fast kernels and by the plain ones: the largest difference.
double self_test() {
  set_random_seed(1);
  const auto image = Input({12, 12, 3}, {.name = "image"});
  auto x = Conv2D(8, 3, {.activation = "relu"})(image);
  x = BatchNormalization()(MaxPooling2D(2)(x));
  x = Dense(16, {.activation = "gelu"})(Flatten()(x));
  const Model model(image, Dense(5, {.activation = "softmax"})(x));
  const Array images = Array::random_normal({4, 12, 12, 3});

  const auto program = parse_program(inspect(model, images).program, ops::find_op);
  Arrays inputs;
  for (const auto& input : program->inputs()) {
    inputs.push_back(images);
    for (const auto& v : model.weights())
      if (v->path == input.name) inputs.back() = v->stored();
  }
  return max_difference(model.predict(images), evaluate_plainly(*program, inputs)[0]);
}

int doctor(const DoctorArgs& args) {
  const double difference = self_test();
  const bool right = difference < 1e-5;
  std::vector<std::string> sets;
  for (const auto target : cpu::available_targets()) sets.emplace_back(cpu::to_string(target));
  const std::string dot = find_program("dot");
  const std::string free = entry("/proc/meminfo", "MemAvailable");
  const std::int64_t free_kb = std::atoll(free.c_str());

  const JsonObject found{
      {"version", Json(RAMET_VERSION)},
      {"compiler", Json(RAMET_COMPILER)},
      {"cpu", Json(entry("/proc/cpuinfo", "model name"))},
      {"instruction_sets", Json(join(sets))},
      {"instruction_set_used", Json(cpu::to_string(cpu::cpu_target()))},
      {"threads", Json(num_threads())},
      {"devices", Json(available_devices())},
      {"free_memory", free_kb > 0 ? Json(readable_size(free_kb * 1024)) : Json(free)},
      {"graphviz", dot.empty()
                       ? Json("not installed (Debian's package: graphviz); plot writes .dot and .mmd without it")
                       : Json(dot)},
      {"self_test", Json(cat(right ? "passed" : "FAILED", ": fast and plain kernels differ by up to ",
                             short_number(difference, 2)))},
  };
  if (args.json) {
    print_json(Json(found));
  } else {
    for (const auto& [key, value] : found) {
      std::string name = key;
      std::replace(name.begin(), name.end(), '_', ' ');
      std::cout << name << std::string(22 - name.size(), ' ') << (value.is_string() ? value.as_string() : value.dump())
                << '\n';
    }
  }
  return right ? 0 : 1;
}

}  // namespace

constinit const Command doctor_command{"doctor",
                                       "this machine as Ramet sees it, and a self-test; for bug reports",
                                       kOptions,
                                       "ramet doctor\n"
                                       "ramet doctor --json",
                                       "",
                                       &run_with<DoctorArgs, doctor>};

}  // namespace ramet::cli
