// ramet predict: outputs for the arrays of a file.
#include <unistd.h>

#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/data.h"
#include "cli/signals.h"
#include "ramet/base/thread_pool.h"
#include "ramet/graph/clone.h"
#include "ramet/train/options.h"

namespace ramet::cli {
namespace {

struct PredictArgs {
  std::string model, inputs, outputs, device = "cpu:0";
  std::int64_t batch_size = 32;
  std::optional<std::int64_t> threads;
};
using F = Flags<PredictArgs>;
constexpr Option kOptions[] = {
    F::argument<&PredictArgs::model>("MODEL", "a model file"),
    F::required<&PredictArgs::inputs>("--inputs", "IN.npz",
                                      "one array per input, under its name; any name for one input; - is stdin"),
    F::required<&PredictArgs::outputs>("--outputs", "OUT.npz",
                                       "gets one array per output, under its name; - is stdout"),
    F::flag<&PredictArgs::batch_size>("--batch-size", "N", "samples at a time (32)"),
    F::flag<&PredictArgs::device>("--device", "D", "where to run: cpu:0 (the default), cpu:1, …"),
    F::flag<&PredictArgs::threads>("--threads", "N", "threads to use (RAMET_NUM_THREADS, or all processors)"),
};

Device device_from(const std::string& name) {
  const Device device = [&] {
    try {
      return Device(std::string_view(name));
    } catch (const UsageError& error) { throw WrongUsage(cat("--device: ", error.what())); }
  }();
  if (device.index >= device_count(device.kind))
    throw DeviceError(cat("there is no device ", device, "; there are ", available_devices()));
  return device;
}

int predict(const PredictArgs& args) {
  const bool to_stdout = args.outputs == "-";
  if (to_stdout && isatty(STDOUT_FILENO)) throw WrongUsage("--outputs -: the terminal is no place for an .npz file");
  if (!to_stdout) extension_of(args.outputs, "--outputs", {".npz"}), check_writable(args.outputs);
  const Device device = device_from(args.device);
  if (args.threads) set_num_threads(static_cast<int>(std::min<std::int64_t>(*args.threads, ThreadPool::kMaxThreads)));
  watch_signals(false);

  Model model = open_model(args.model);
  if (device != Device()) model = clone_model(model, {.weights = Weights::share, .device = device});
  if (!model.layer().has_graph()) warn("the model was saved without input shape and weights; its weights are fresh");
  const NamedArrays file = read_npz(args.inputs);
  const Feed inputs = inputs_from(file, model, args.inputs == "-" ? "stdin" : args.inputs);
  const Arrays results =
      model.predict(inputs, {.batch_size = args.batch_size, .verbose = 0, .callbacks = {StopOnSignal()}});

  NamedArrays outputs;
  const auto names = unique_output_names(model);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool brain = results[i].dtype() == DType::bf16;  // NumPy's files have no such type
    outputs.emplace_back(names[i], brain ? results[i].astype(DType::f32) : results[i]);
  }
  check_signals();
  if (!to_stdout) {
    save_npz(args.outputs, outputs);
    return 0;
  }
  MemorySink sink;
  write_npz(sink, outputs);
  std::cout.write(reinterpret_cast<const char*>(sink.bytes().data()),
                  static_cast<std::streamsize>(sink.bytes().size()));
  return 0;
}

}  // namespace

constinit const Command predict_command{
    "predict",
    "the model's outputs for the arrays of an .npz file",
    kOptions,
    "ramet predict model.keras --inputs x.npz --outputs y.npz\n"
    "ramet predict model.keras --inputs - --outputs - < x.npz > y.npz",
    "Inputs are named after the model's InputLayers, outputs after its output layers; a repeated output name\n"
    "becomes name_1, name_2. Outputs in bfloat16 are written as float32. Python writes and reads the files with "
    "numpy.savez and numpy.load.",
    &run_with<PredictArgs, predict>};

}  // namespace ramet::cli
