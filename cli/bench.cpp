// ramet bench: where the time of one step goes.
#include <cstdio>
#include <iostream>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/step_data.h"
#include "ramet/backend/cpu/fma_peak.h"
#include "ramet/base/strings.h"
#include "ramet/base/thread_pool.h"
#include "ramet/train/inspect.h"

namespace ramet::cli {
namespace {

struct BenchArgs {
  std::string model, trace;
  std::int64_t batch_size = 32, length = 16, rounds = 20;
  std::optional<std::int64_t> threads;
  bool train = false, json = false;
};
using F = Flags<BenchArgs>;
constexpr Option kOptions[] = {
    F::argument<&BenchArgs::model>("MODEL", "a model file"),
    F::flag<&BenchArgs::batch_size>("--batch-size", "N", "samples in the step (32)"),
    F::flag<&BenchArgs::length>("--length", "N", "for other sizes the model leaves open (16)"),
    F::flag<&BenchArgs::train>("--train", "", "the training step instead of prediction"),
    F::flag<&BenchArgs::threads>("--threads", "N", "threads to use (RAMET_NUM_THREADS, or all processors)"),
    F::flag<&BenchArgs::rounds>("--rounds", "N", "runs, of which the fastest counts (20)"),
    F::flag<&BenchArgs::json>("--json", "", "one JSON document"),
    F::flag<&BenchArgs::trace>("--trace", "FILE", "also the steps on a time line, for Perfetto or chrome://tracing"),
};

std::string fixed(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
std::string percent(double part) { return part > 0 ? fixed(100 * part, 1) + "%" : "-"; }
std::string rate(double per_second) { return per_second > 0 ? fixed(per_second / 1e9, 1) : "-"; }
std::string readable(std::size_t bytes) { return readable_size(static_cast<std::int64_t>(bytes)); }

Json to_json(const StepTime& s) {
  return Json(JsonObject{{"what", Json(s.what)},
                         {"kernel", Json(s.kernel)},
                         {"seconds", Json(s.seconds)},
                         {"flops", Json(s.flops)},
                         {"bytes", Json(s.bytes)}});
}

// The steps one after the other, as the trace viewers read them: microseconds, one event a step.
std::string trace_of(const StepProfile& profile) {
  JsonArray events;
  double at = 0;
  for (const StepTime& s : profile.steps) {
    events.push_back(
        Json(JsonObject{{"name", Json(s.kernel)},
                        {"ph", Json("X")},
                        {"ts", Json(at)},
                        {"dur", Json(s.seconds * 1e6)},
                        {"pid", Json(1)},
                        {"tid", Json(1)},
                        {"args", Json(JsonObject{{"step", Json(s.what)},
                                                 {"GFLOP/s", Json(s.seconds > 0 ? s.flops / s.seconds / 1e9 : 0)},
                                                 {"GB/s", Json(s.seconds > 0 ? s.bytes / s.seconds / 1e9 : 0)}})}}));
    at += s.seconds * 1e6;
  }
  return Json(JsonObject{{"traceEvents", Json(std::move(events))}, {"displayTimeUnit", Json("ms")}}).dump(1);
}

int bench(const BenchArgs& args) {
  if (!args.trace.empty()) check_writable(args.trace);
  if (args.threads) set_num_threads(static_cast<int>(std::min<std::int64_t>(*args.threads, ThreadPool::kMaxThreads)));
  const StepData data = step_data(args.model, args.batch_size, args.length, args.train);
  const StepView view = inspect(data.model, data.x, data.y);
  const StepProfile profile =
      ramet::profile(data.model, data.x, data.y, static_cast<int>(std::min<std::int64_t>(args.rounds, 1'000'000)));
  const double peak = cpu::measure_fma_peak(cpu::cpu_target()) * num_threads();
  double flops = 0, steps_seconds = 0;
  for (const StepTime& s : profile.steps) flops += s.flops, steps_seconds += s.seconds;
  if (!args.trace.empty()) write_file(args.trace, trace_of(profile));
  const double per_second = static_cast<double>(args.batch_size) / profile.seconds;

  if (args.json) {
    JsonArray steps;
    for (const StepTime& s : profile.steps) steps.push_back(to_json(s));
    print_json(Json(JsonObject{{"batch_size", Json(args.batch_size)},
                               {"train", Json(args.train)},
                               {"threads", Json(num_threads())},
                               {"cpu_target", Json(cpu::to_string(cpu::cpu_target()))},
                               {"seconds", Json(profile.seconds)},
                               {"samples_per_second", Json(per_second)},
                               {"flops", Json(flops)},
                               {"peak_flops_per_second", Json(peak)},
                               {"share_of_peak", Json(flops / profile.seconds / peak)},
                               {"arena_bytes", Json(view.arena_bytes)},
                               {"prepared_bytes", Json(view.prepared_bytes)},
                               {"plan_seconds", Json(view.seconds)},
                               {"slices", Json(view.slices)},
                               {"steps", Json(std::move(steps))}}));
    return 0;
  }
  Table table({">µs", ">share", ">GFLOP/s", ">of peak", ">GB/s", "kernel", "step"});
  for (const StepTime& s : profile.steps)
    table.row({fixed(s.seconds * 1e6, 2), percent(s.seconds / steps_seconds), rate(s.flops / s.seconds),
               percent(s.flops / s.seconds / peak), rate(s.bytes / s.seconds), s.kernel, s.what});
  std::cout << table.text() << '\n'
            << "step    " << fixed(profile.seconds * 1e6, 1) << " µs for a batch of " << args.batch_size << ": "
            << with_thousands(static_cast<std::int64_t>(per_second)) << " samples/s"
            << (view.slices > 1 ? cat(", in ", view.slices, " parts that fit the cache") : "") << '\n'
            << "speed   " << rate(flops / profile.seconds) << " GFLOP/s, " << percent(flops / profile.seconds / peak)
            << " of " << rate(peak) << " (" << num_threads() << " × measured FMA peak of a core, "
            << cpu::to_string(cpu::cpu_target()) << ")\n"
            << "memory  " << readable(view.arena_bytes) << " for values, " << readable(view.prepared_bytes)
            << " for prepared weights\n"
            << "plan    made in " << fixed(view.seconds * 1e3, 1) << " ms\n";
  return 0;
}

}  // namespace

constinit const Command bench_command{"bench",
                                      "time of every kernel of one step, against the machine's measured peak",
                                      kOptions,
                                      "ramet bench model.keras\n"
                                      "ramet bench model.keras --train --batch-size 128 --threads 1",
                                      "The data are random. Operations and bytes are counted from the shapes.",
                                      &run_with<BenchArgs, bench>};

}  // namespace ramet::cli
