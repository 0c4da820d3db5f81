// Who owns weights and who may change them: arrays handed out are the caller's, threads see old weights or new ones.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;

namespace {

struct BlockConfig {
  std::int64_t units = 4;
  static constexpr auto fields = Fields{field("units", &BlockConfig::units)};
};

// Holds two layers and builds them, without naming them anywhere.
class BlockLayer final : public LayerOf<BlockLayer, BlockConfig> {
 public:
  static constexpr std::string_view kClassName = "Block";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override {
    b.build(first_, x);
    b.build(second_, Spec{{None, config().units}, x.dtype});
  }
  Value call(const CallContext& ctx, Value x) const override { return ctx.call(second_, ctx.call(first_, x)); }

 private:
  LayerRef first_ = Dense(config().units, {.activation = "relu"}), second_ = Dense(2);
};
using Block = Handle<BlockLayer>;

Model with_block() {
  auto in = Input({3});
  return Model(in, Dense(1)(Block()(in)));
}

bool all_equal(const Array& a, double value) {
  for (const double v : a.to_doubles())
    if (v != value) return false;
  return true;
}

// Σ of the inputs times one weight, layer after layer: every output tells which weights it was made with.
Model chain(int depth) {
  const auto in = Input({16});
  Tensor x = in;
  for (int i = 0; i < depth; ++i) x = Dense(16, {.use_bias = false, .kernel_initializer = "identity"})(x);
  return Model(in, x);
}

}  // namespace

TEST_CASE("a layer of one's own: layers that it builds count as its own without being named") {
  Model model = with_block();
  CHECK(model.weights().size() == 6);
  CHECK(model.trainable_weights().size() == 6);
  const Array x = Array::random_normal({8, 3});

  const Model copy = clone_model(model, {.weights = Weights::copy});
  CHECK(max_difference(copy.predict(x), model.predict(x)) == 0);

  register_object<BlockLayer>("tests");
  const testing::TemporaryFolder folder;
  model.save(folder / "m.keras");
  const Model loaded = load_model(folder / "m.keras");
  CHECK(max_difference(loaded.predict(x), model.predict(x)) == 0);

  const Arrays before = model.get_weights();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.train_on_batch(x, Array::random_normal({8, 1}));
  const Arrays after = model.get_weights();
  for (std::size_t i = 0; i < 6; ++i) CHECK(!after[i].identical(before[i]));

  model.layers()[1]->set_trainable(false);
  CHECK(model.trainable_weights().size() == 2);
  CHECK(clone_model(model).trainable_weights().size() == 2);  // frozen before it is built
}

TEST_CASE("the value of a variable is a copy: writing to it changes nothing, training does not change it") {
  Model model = with_block();
  const Array x = Array::random_normal({8, 3}), expected = model.predict(x);
  Array w = model.weights()[0]->value();
  const Array before = w.copy();
  for (float& v : w.data<float>()) v = 100;
  CHECK(model.get_weights()[0].identical(before));
  CHECK(max_difference(model.predict(x), expected) == 0);

  const Array kept = model.weights()[0]->value();
  model.compile({.optimizer = SGD(0.5), .loss = "mse"});
  model.train_on_batch(x, Array::random_normal({8, 1}));
  CHECK(kept.identical(before));
}

TEST_CASE("clone: weights that the clone stores in another type cannot be shared, those of a mixed policy can") {
  const Model model = with_block();
  CHECK_THROWS_AS(clone_model(model, {.weights = Weights::share, .dtype = "float64"}), UsageError);
  const Model mixed = clone_model(model, {.weights = Weights::share, .dtype = "mixed_bfloat16"});
  CHECK(mixed.weights()[0]->identity() == model.weights()[0]->identity());
}

TEST_CASE("set_weights while concurrent threads predict: every prediction is of the old weights or of the new") {
  Model model = chain(12);
  Arrays ones = model.get_weights(), twos = model.get_weights();
  for (Array& w : twos)
    for (float& v : w.data<float>()) v *= 2;
  const Array x = Array::full({70, 16}, 1.0);
  std::atomic<bool> done = false;
  std::atomic<int> predictions = 0, mixed = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t)
    callers.emplace_back([&] {
      while (!done) {
        const Array y = model.predict(x);  // in three batches
        mixed += !all_equal(y, 1) && !all_equal(y, 4096);
        ++predictions;
      }
    });
  for (int i = 0; i < 300; ++i) model.set_weights(i % 2 ? ones : twos);
  while (predictions < 20) std::this_thread::yield();
  done = true;
  for (auto& caller : callers) caller.join();
  CHECK(mixed == 0);
}

TEST_CASE("predict during a concurrent fit waits for the step that runs and sees whole weights") {
  Model model = chain(6);
  model.compile({.optimizer = SGD(0.0), .loss = "mse"});
  const Array x = Array::full({64, 16}, 1.0);
  std::atomic<bool> done = false;
  std::atomic<int> right = 0, wrong = 0;
  std::thread caller([&] {
    while (!done) ++(all_equal(model.predict(x), 1) ? right : wrong);
  });
  model.fit(x, x, {.batch_size = 8, .epochs = 20, .verbose = 0});
  while (right == 0 && wrong == 0) std::this_thread::yield();
  done = true;
  caller.join();
  CHECK(wrong == 0);
}
