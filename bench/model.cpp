// Whole models: what a call of predict costs beside its kernels, how long planning takes, a training step beside
// PyTorch's, what bfloat16 saves, and what a second device brings. One thread unless said otherwise.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

std::size_t allocations = 0;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The least time of a call, over at least `seconds`.
template <class F>
double least(double seconds, F&& f) {
  f();
  double best = 1e30;
  const double end = now() + seconds;
  do {
    const double start = now();
    f();
    best = std::min(best, now() - start);
  } while (now() < end);
  return best;
}

void tiny_predict() {
  const auto in = Input({32});
  const Model model(in, Dense(1)(Dense(64, {.activation = "tanh"})(in)));
  Predictor run = model.predictor({{1, 32}});
  const std::vector<float> x(32, 0.5f);
  std::vector<float> y(1);
  constexpr int kCalls = 1000;
  const auto calls = [&] {
    for (int i = 0; i < kCalls; ++i) run(x, y);
  };
  const std::size_t before = allocations;
  const double call = least(0.3, calls) / kCalls;
  const std::size_t made = allocations - before;
  double kernels = 0;
  for (const auto& step : profile(model, Array(Shape{1, 32}), {}, 2000).steps) kernels += step.seconds;
  std::printf(
      "Dense 32-64-1, batch 1   one call %.3f us, its kernels with a clock around each %.3f us, %zu allocations\n",
      call * 1e6, kernels * 1e6, made);
}

void plan_of_deep_cnn() {
  const auto in = Input({56, 56, 16});
  Tensor x = in;
  for (int i = 0; i < 25; ++i) x = BatchNormalization()(Conv2D(32, 3, {.padding = "same", .activation = "relu"})(x));
  const Model model(in, Dense(10)(GlobalAveragePooling2D()(x)));
  const Array batch({8, 56, 56, 16});
  double predict = 1e30, train = 1e30;
  Model compiled = model;
  compiled.compile({.optimizer = Adam(), .loss = "mse"});
  for (int i = 0; i < 5; ++i) {
    predict = std::min(predict, inspect(model, batch).seconds);
    train = std::min(train, inspect(compiled, batch, Array({8, 10})).seconds);
  }
  std::printf("plan of a 50-layer CNN   predict %.1f ms, training step %.1f ms\n", predict * 1e3, train * 1e3);
}

std::string peers_python() {
  if (const char* given = std::getenv("RAMET_PEERS_PYTHON")) return given;
  return std::filesystem::exists("build/peers/bin/python") ? "build/peers/bin/python" : "";
}

// The best of several processes, so that both sides see the same machine.
double torch_step() {
  const std::string python = peers_python();
  if (python.empty()) return 0;
  double best = 0;
  if (std::FILE* pipe = popen((python + " bench/torch_mlp.py").c_str(), "r")) {
    if (std::fscanf(pipe, "%lf", &best) != 1) best = 0;
    pclose(pipe);
  }
  return best;
}

void mlp_step() {
  const auto in = Input({784});
  Model model(in, Dense(10)(Dense(512, {.activation = "relu"})(Dense(512, {.activation = "relu"})(in))));
  model.compile({.optimizer = Adam(1e-3), .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const Array x = Array::random_normal({128, 784});
  Array y({128}, DType::i32);
  for (int i = 0; i < 128; ++i) y.data<std::int32_t>()[static_cast<std::size_t>(i)] = i % 10;
  const auto ours = [&] { return least(3, [&] { model.train_on_batch(x, y); }); };
  const double first = ours(), torch = torch_step(), step = std::min(first, ours());
  std::printf("MLP 784-512-512-10, batch 128, training step   %.2f ms", step * 1e3);
  if (torch > 0)
    std::printf("   PyTorch eager %.2f ms   ratio %.2f\n", torch, torch / (step * 1e3));
  else
    std::printf("   (PyTorch is not installed: make bench-peers)\n");
}

// The same MLP in float32 and mixed_bfloat16: one row is bound by the reading of its weights.
void brain_floats() {
  struct Figures {
    double row = 0, batch = 0, step = 0;
    StepView predict, train;
  };
  const auto figures = [](const std::string& dtype) {
    const LayerOptions options{.dtype = dtype};
    const auto in = Input({784});
    Tensor x = Dense(2048, {.activation = "relu"}, options)(in);
    x = Dense(2048, {.activation = "relu"}, options)(x);
    Model model(in, Dense(10, {}, {.dtype = "float32"})(x));
    model.compile({.optimizer = SGD(1e-3), .loss = "mse"});
    Figures f;
    Predictor run = model.predictor({{1, 784}});
    const std::vector<float> row(784, 0.5f);
    std::vector<float> y(10);
    f.row = least(1, [&] { run(row, y); });
    const Array batch = Array::random_normal({128, 784}), target({128, 10});
    f.batch = least(2, [&] { (void)model.predict_on_batch(batch); });
    f.step = least(3, [&] { model.train_on_batch(batch, target); });
    f.predict = inspect(model, batch.rows(0, 1));
    Tensor deep = in;
    for (int i = 0; i < 16; ++i) deep = Dense(1024, {.activation = "relu"}, options)(deep);
    Model tower(in, Dense(10, {}, {.dtype = "float32"})(deep));
    tower.compile({.optimizer = SGD(1e-3), .loss = "mse"});
    f.train = inspect(tower, Array({4096, 784}), Array({4096, 10}));
    return f;
  };
  const Figures whole = figures("float32"), brain = figures("mixed_bfloat16");
  std::printf("MLP 784-2048-2048-10, float32 and mixed_bfloat16\n");
  const auto line = [](const char* what, double a, double b, const char* unit) {
    std::printf("  %-34s %9.3f %9.3f %s   ratio %.2f\n", what, a, b, unit, a / b);
  };
  line("one row", whole.row * 1e3, brain.row * 1e3, "ms");
  line("128 rows", whole.batch * 1e3, brain.batch * 1e3, "ms");
  line("training step, 128 rows", whole.step * 1e3, brain.step * 1e3, "ms");
  const auto mb = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  line("prepared weights", mb(whole.predict.prepared_bytes), mb(brain.predict.prepared_bytes), "MB");
  line("step of 16 x Dense 1024, 4096 rows", mb(whole.train.live_bytes), mb(brain.train.live_bytes), "MB");
}

void second_device() {
  const auto in = Input({1024});
  const Model model(in, Dense(1024)(Dense(1024, {.activation = "relu"})(Dense(1024, {.activation = "relu"})(in))));
  const Model wide = replicate(model, {"cpu:0", "cpu:1"});
  const Array x = Array::random_normal({512, 1024});
  const double one = least(2, [&] { (void)model.predict_on_batch(x); }),
               two = least(2, [&] { (void)wide.predict_on_batch(x); });
  std::printf("replicate, 3 × Dense 1024, batch 512   one device %.2f ms, two devices %.2f ms   ratio %.2f\n",
              one * 1e3, two * 1e3, one / two);
}

}  // namespace

// Counts what is allocated.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
  set_num_threads(1);
  tiny_predict();
  plan_of_deep_cnn();
  mlp_step();
  brain_floats();
  second_device();
}
