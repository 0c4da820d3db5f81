// One model over several devices: equal to the model itself, whatever the batch.
#include <doctest/doctest.h>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

std::vector<Device> devices(int count) {
  std::vector<Device> list;
  for (int i = 0; i < count; ++i) list.emplace_back(Device::Kind::cpu, i);
  return list;
}

Model two_outputs() {
  const Tensor in = Input({5});
  const Tensor hidden = Dense(6, {.activation = "tanh"})(in);
  return Model(in, {Dense(3)(hidden), Dense(1, {.activation = "sigmoid"})(hidden)});
}

}  // namespace

// Each row is computed by the same kernels from the same numbers; only the way a product is cut differs, so float32
// rounding of sums of at most six terms below 3 bounds the difference: 1e-6.
TEST_CASE("replicate: predictions equal the model's for batches 1 to 17 over 2, 3 and 4 devices") {
  const Model model = two_outputs();
  for (const int count : {2, 3, 4}) {
    const Model wide = replicate(model, devices(count));
    for (std::int64_t batch = 1; batch <= 17; ++batch) {
      const Array x = Array::random_normal({batch, 5});
      const Arrays a = model.predict(x), b = wide.predict(x);
      REQUIRE(b.size() == 2);
      for (std::size_t i = 0; i < 2; ++i) CHECK(max_difference(a[i], b[i]) < 1e-6);
    }
  }
}

// The gradient of a weight is a sum over the batch, cut into parts: at most 17 terms of order 1, after a step of 0.1
// below 1e-6.
TEST_CASE("replicate: a training step equals the model's for batches 1 to 17 over 2, 3 and 4 devices") {
  for (const int count : {2, 3, 4})
    for (std::int64_t batch = 1; batch <= 17; ++batch) {
      Model alone = two_outputs();
      const Model source = clone_model(alone, {.weights = Weights::copy});
      Model wide = replicate(source, devices(count));
      const Array x = Array::random_normal({batch, 5}), y = Array::random_normal({batch, 3}),
                  z = Array::random_uniform({batch, 1});
      for (Model* m : {&alone, &wide}) {
        m->compile({.optimizer = SGD(0.1), .loss = {"mse", "mse"}});
        m->train_on_batch(x, {y, z});
      }
      const Arrays a = alone.get_weights(), b = source.get_weights();
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(max_difference(a[i], b[i]) < 1e-6);
    }
}

TEST_CASE("replicate: fewer than two devices, devices that are not there and repeated ones are refused") {
  const Model model = two_outputs();
  CHECK_THROWS_AS(replicate(model, {"cpu:0"}), UsageError);
  CHECK_THROWS_AS(replicate(model, {"cpu:0", "cpu:99"}), UsageError);
  CHECK_THROWS_AS(replicate(model, {"cpu:1", "cpu:1"}), UsageError);
  CHECK_THROWS_WITH_AS(
      multi_gpu_model(model, 1),
      "For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. Received: `gpus=1`", UsageError);
}

TEST_CASE("replicate: penalties on activations and added losses are those of the whole batch") {
  const auto in = Input({4});
  const auto x = Dense(3, {.kernel_initializer = "ones", .activity_regularizer = regularizers::L2(0.1)})(in);
  const auto y = ActivityRegularization({.l1 = 0.2, .l2 = 0.3})(x);
  Model model(in, Dense(2)(y));
  for (const std::int64_t batch : {1, 2, 7, 12}) {
    const Array a = Array::random_normal({batch, 4}), b = Array::random_normal({batch, 2});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    const double alone = model.evaluate(a, b, {.batch_size = batch, .verbose = 0})["loss"];
    for (const int count : {2, 3}) {
      Model wide = replicate(model, devices(count));
      wide.compile({.optimizer = "sgd", .loss = "mse"});
      CAPTURE(batch);
      CAPTURE(count);
      CHECK(wide.evaluate(a, b, {.batch_size = batch, .verbose = 0})["loss"] == doctest::Approx(alone).epsilon(1e-6));
    }
  }
}

TEST_CASE("replicate: names that the model, its inputs and its outputs share do not collide") {
  const auto in = Input({3}, {.name = "same"});
  const Array x = Array::random_normal({5, 3});
  const Model named_alike(in, Dense(2, {}, {.name = "head"})(in), {.name = "head"});
  const Model wide = replicate(named_alike, devices(2));
  CHECK(wide.output_names() == std::vector<std::string>{"head_1"});
  CHECK(max_difference(wide.predict(x), named_alike.predict(x)) == 0);

  const Model passes(in, {in, Dense(2, {}, {.name = "y"})(in)});
  const Model both = replicate(passes, devices(3));
  CHECK(both.output_names() == std::vector<std::string>{"same_1", "y"});
  const Arrays a = both.predict(x), b = passes.predict(x);
  for (std::size_t i = 0; i < 2; ++i) CHECK(max_difference(a[i], b[i]) == 0);
}

TEST_CASE("replicate: a fixed batch size is refused by name") {
  const auto in = Input({3}, {.batch_size = 8, .name = "x"});
  const Model model(in, Dense(2)(in), {.name = "fixed"});
  CHECK_THROWS_WITH_AS(replicate(model, devices(2)),
                       "replicate: model 'fixed' has the fixed batch size 8 (input 'x'), which its replicas would not "
                       "get; build it without `batch_size`",
                       UsageError);
}
