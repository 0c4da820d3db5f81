// One workload of the comparison with other engines (bench/peers): opens a model and its arrays, times it, prints a
// line of JSON. bench_workload --keras F --npz F --kind infer|train|fit --batch B --threads N
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

struct Args {
  std::string keras, npz, kind = "infer";
  int batch = 1, threads = 1;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Times {
  double min_ms = 0, median_ms = 0, cpu_ms = 0;
};

// Minimum and median over samples, each of enough calls to last 0.2 ms.
template <class F>
Times measure(double seconds, F&& call) {
  call();
  double start = now();
  call();
  const int calls = std::max(1, static_cast<int>(2e-4 / (now() - start)));
  std::vector<double> samples;
  const double cpu = cpu_seconds(), end = now() + seconds;
  do {
    start = now();
    for (int i = 0; i < calls; ++i) call();
    samples.push_back((now() - start) * 1e3 / calls);
  } while (now() < end || samples.size() < 3);
  const double spent = (cpu_seconds() - cpu) * 1e3 / (calls * static_cast<double>(samples.size()));
  std::sort(samples.begin(), samples.end());
  return {samples[0], samples[samples.size() / 2], spent};
}

Times infer(const Model& model, const Arrays& x) {
  std::vector<Shape> shapes;
  std::vector<const void*> inputs;
  for (const Array& a : x) shapes.push_back(a.shape()), inputs.push_back(a.raw());
  Predictor run = model.predictor(shapes);
  std::vector<Array> results;
  std::vector<void*> outputs;
  for (const Shape& s : run.output_shapes()) results.emplace_back(s), outputs.push_back(results.back().raw());
  return measure(0.8, [&] { run.run(inputs, outputs); });
}

Times fit(Model& model, const Arrays& x, const Array& y, int batch) {
  const double steps = static_cast<double>(y.shape()[0] / batch);
  Times times = measure(3, [&] { model.fit(x, y, {.batch_size = batch, .epochs = 1, .verbose = 0}); });
  return {times.min_ms / steps, times.median_ms / steps, times.cpu_ms / steps};
}

int run(const Args& args) {
  set_num_threads(args.threads);
  Model model = load_model(args.keras);
  Arrays x;
  Array y;
  for (const auto& [name, array] : load_npz(args.npz)) {
    if (name == "y") y = array;
    if (name[0] == 'x') x.push_back(array);
  }
  const Times times = args.kind == "infer"   ? infer(model, x)
                      : args.kind == "train" ? measure(1.5, [&] { model.train_on_batch(x, y); })
                                             : fit(model, x, y, args.batch);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"modes\": {\"%s\": {\"min_ms\": %.6g, \"median_ms\": %.6g, \"cpu_ms\": %.6g}}, \"rss_mb\": %.1f}\n",
              args.kind.c_str(), times.min_ms, times.median_ms, times.cpu_ms,
              static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Args args;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i], value = argv[i + 1];
    if (flag == "--keras") args.keras = value;
    if (flag == "--npz") args.npz = value;
    if (flag == "--kind") args.kind = value;
    if (flag == "--batch") args.batch = std::stoi(value);
    if (flag == "--threads") args.threads = std::stoi(value);
  }
  if (args.keras.empty() || args.npz.empty()) {
    std::puts("bench_workload --keras F --npz F --kind infer|train|fit --batch B --threads N");
    return 0;
  }
  try {
    return run(args);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
