// Model files cut short and changed at random, through load_model: a model that works, or a DataError.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/attacks.h"
#include "tests/support/model_mutants.h"
#include "tests/support/mutants.h"

namespace ramet::testing {
namespace {

// Small, with much that can go wrong: two inputs, a nested model called twice, a mask and, where the older form is not
// asked for, an op.
Model busy_model(bool op = true) {
  const auto a = Input({4}, {.name = "a"}), ids = Input({3}, {.dtype = "int32", .name = "ids"});
  const auto in = Input({4}, {.name = "in"});
  const Model inner(in, Dense(4, {.activation = "relu"}, {.name = "d"})(in), {.name = "inner"});
  const auto words = Embedding(5, 2, {.mask_zero = true}, {.name = "words"})(ids);
  const auto x = Concatenate({}, {.name = "join"})({inner(inner(a)), LSTM(2, {}, {.name = "lstm"})(words)});
  const auto y = op ? ops::sum(x, -1, true) : x;
  return Model({a, ids}, Dense(1, {}, {.name = "out"})(y), {.name = "busy"});
}

Model image_model() {
  Sequential model({Conv2D(2, {2, 2}, {.padding = "same"}, {.name = "conv"}),
                    Conv2D(2, {1, 1}, {.strides = {2, 2}}, {.name = "strided"}),
                    Conv2D(2, {1, 1}, {.strides = {2, 2}, .padding = "same"}, {.name = "more"}),
                    MaxPooling2D(2, {}, {.name = "pool"}), BatchNormalization({}, {.name = "norm"}),
                    Flatten({}, {.name = "flat"}), Dropout(0.5, {}, {.name = "drop"}), Dense(1, {}, {.name = "out"})},
                   {.name = "image"});
  model.build({None, 8, 8, 1});
  return model;
}

std::vector<Model> seeds(bool op = true) {
  std::vector<Model> out{busy_model(op), image_model()};
  for (Model& model : out) model.compile({.optimizer = SGD(), .loss = "mse"});
  return out;
}

Parts parts_of(const Model& model) {
  const TemporaryFolder folder;
  model.save_weights(folder / "w.weights.h5");
  JsonObject config = Json::parse(model.to_json()).as_object();
  config.set("compile_config", Json(model.get_compile_config()));
  return {Json(config).dump(), R"({"keras_version": "3.15.1"})", content_of(folder / "w.weights.h5")};
}

std::string older_form_of(const Model& model) {
  const TemporaryFolder folder;
  model.save(folder / "m.h5");
  return content_of(folder / "m.h5");
}

std::int64_t elements(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto size : shape)
    if (size != None && __builtin_mul_overflow(count, size, &count)) return INT64_MAX;
  return count;
}

// Runs a model of moderate size on zeros: kernels meet only what shape inference has let through.
void use(const Model& model) {
  if (!model.layer().has_graph()) return;
  for (const NodeRef& node : model.layer().graph().nodes())
    for (const auto& output : node->outputs)
      if (elements(output.spec.shape) > 10'000) return;
  Arrays inputs;
  for (const Tensor& t : model.layer().graph().flat_inputs()) {
    Shape shape = t.shape();
    for (auto& size : shape) size = size == None ? 2 : size;
    inputs.push_back(Array(shape, t.dtype()));
  }
  try {
    (void)model.predict(Feed(inputs));
  } catch (const UsageError&) {  // a size that was open is refused when it is known
  } catch (const DataError&) {}
}

struct Count {
  std::size_t refused = 0, opened = 0, long_lines = 0;
  ~Count() { CHECK(long_lines == 0); }
};

// Whatever else happens ends the test program: another exception, a signal, or a minute gone by.
void open_mutant(const std::string& file, Count& count, bool and_use = true) {
  alarm(60);
  try {
    const Model model = load_model(bytes_of(file));
    ++count.opened;
    if (and_use) use(model), (void)save_to_memory(model);
  } catch (const DataError& error) {
    ++count.refused;
    count.long_lines += !is_one_short_line(error.what());
  }
  alarm(0);
}

// RAMET_MUTANTS multiplies the counts, for long runs.
int times() {
  const char* more = std::getenv("RAMET_MUTANTS");
  return more ? std::atoi(more) : 1;
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// No growth beyond what a small file is allowed. A sanitizer keeps freed memory.
struct MemoryBound {
  const long before = peak_kilobytes();
  ~MemoryBound() {
#ifndef __SANITIZE_ADDRESS__
    CHECK(peak_kilobytes() - before < 200 * 1024);
#endif
  }
};

}  // namespace

TEST_CASE("model mutants: a model file cut at any byte is refused") {
  const Model model = busy_model(false);
  for (const std::string& whole : {text_of(save_to_memory(model)), older_form_of(model)}) {
    CHECK_NOTHROW(load_model(bytes_of(whole)));
    std::size_t refused = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) try {
        load_model(bytes_of(whole).first(size));
      } catch (const DataError&) { ++refused; }
    CHECK(refused == whole.size());
  }
}

TEST_CASE("model mutants: 40000 archives with changed bytes") {
  const MemoryBound bound;
  for (const Model& model : seeds()) {
    const std::string sound = text_of(save_to_memory(model));
    Count count;
    for (int i = 0; i < 20'000 * times(); ++i) open_mutant(mutant(sound, 1'000'000 + i), count);
    CHECK(count.refused > 15'000);
  }
}

TEST_CASE("model mutants: 20000 weights files with changed bytes, in archives that are sound") {
  const MemoryBound bound;
  for (const Model& model : seeds()) {
    const Parts sound = parts_of(model);
    Count count;
    for (int i = 0; i < 10'000 * times(); ++i) {
      Parts parts = sound;
      parts.weights = mutant(sound.weights, 2'000'000 + i);
      open_mutant(archive_of(parts), count, i % 8 == 0);  // what changes are numbers
    }
    CHECK(count.refused > 1'000);
    CHECK(count.opened > 100);
  }
}

TEST_CASE("model mutants: 20000 older files with changed bytes") {
  const MemoryBound bound;
  for (const Model& model : seeds(false)) {
    const std::string sound = older_form_of(model);
    Count count;
    for (int i = 0; i < 10'000 * times(); ++i) open_mutant(mutant(sound, 3'000'000 + i), count, i % 4 == 0);
    CHECK(count.refused > 1'000);
    CHECK(count.opened > 100);
  }
}

TEST_CASE("model mutants: 20000 configs with changed values, keys and subtrees") {
  const MemoryBound bound;
  for (const Model& model : seeds()) {
    const Parts sound = parts_of(model);
    const Json config = Json::parse(sound.config), metadata = Json::parse(R"({"keras_version": "3.15.1", "a": [1]})");
    Count count;
    for (int i = 0; i < 10'000 * times(); ++i) {
      JsonMutator mutator(4'000'000 + static_cast<std::uint64_t>(i));
      Parts parts = sound;
      parts.config = mutator.mutant(config).dump();
      if (i % 16 == 0) parts.metadata = mutator.mutant(metadata).dump();
      open_mutant(archive_of(parts), count);
    }
    CHECK(count.refused > 1'000);
    CHECK(count.opened > 100);
  }
}

}  // namespace ramet::testing
