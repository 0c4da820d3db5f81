// Where Ramet differs from Keras on purpose: docs/differences.md.
#include <doctest/doctest.h>

#include <cmath>

#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;

TEST_CASE("differences: training = true of a call is obeyed in predict, so dropout drops there") {
  const auto in = Input({100});
  const Model model(in, Dropout(0.5, {.seed = 1})(in, {.training = true}));
  int dropped = 0;
  for (const double v : static_cast<Array>(model.predict(Array::full({4, 100}, 1.0))).to_doubles()) dropped += v == 0;
  CHECK(dropped > 120);
  CHECK(dropped < 280);
}

TEST_CASE("differences: training = false of a call is obeyed in fit, so moving statistics stay") {
  const auto x = Input({3});
  const Model base(x, BatchNormalization()(x));
  const auto in = Input({3});
  Model model(in, Dense(1)(base(in, {.training = false})));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(Array::random_normal({16, 3}, 5, 2), Array::random_normal({16, 1}), {.verbose = 0});
  const Arrays w = base.get_weights();  // gamma, beta, mean, variance
  CHECK(w[2].identical(Array::zeros({3})));
  CHECK(w[3].identical(Array::full({3}, 1.0)));
}

TEST_CASE("differences: a frozen MultiHeadAttention stays frozen in its file, its clone and by its constructor") {
  const auto in = Input({4, 3});
  const auto attention = MultiHeadAttention(2, 2);
  const Model model(in, Dense(1)(attention(in, in)));
  attention->set_trainable(false);
  const testing::TemporaryFolder folder;
  model.save(folder / "m.keras");
  CHECK(load_model(folder / "m.keras").trainable_weights().size() == 2);
  CHECK(clone_model(model).trainable_weights().size() == 2);
  const Model made(in, MultiHeadAttention(2, 2, {}, {.trainable = false})(in, in));
  CHECK(made.trainable_weights().empty());
}

TEST_CASE("differences: a nested Sequential keeps its own flag in a file") {
  const Sequential inner(Input({3}), {Dense(2, {}, {.name = "one"}), Dense(2, {}, {.name = "two"})}, {.name = "inner"});
  inner.layer().set_trainable(false);
  inner.get_layer("two")->set_trainable(true);
  const auto in = Input({3});
  const Model back = Model::from_json(Model(in, inner(in)).to_json());
  CHECK(!back.get_layer("inner")->trainable());
  CHECK(back.trainable_weights().size() == 2);
}

TEST_CASE("differences: float64 is exact in gelu, leaky_relu and Rescaling") {
  const auto in = Input({1}, {.dtype = "float64"});
  const double x = -0.7;
  const auto predict = [&](const LayerRef& layer) {
    const Model model(in, layer->call(CallArgs{{Arg(in)}, {}}));
    return static_cast<Array>(model.predict(Array::full({1, 1}, x, DType::f64))).item();
  };
  const LayerOptions exact{.dtype = "float64"};
  CHECK(predict(Activation("gelu", exact)) == doctest::Approx(x * std::erfc(-x / std::sqrt(2.0)) / 2).epsilon(1e-15));
  CHECK(predict(Activation("leaky_relu", exact)) == doctest::Approx(0.2 * x).epsilon(1e-15));
  CHECK(predict(Rescaling(1.0 / 255, {}, exact)) == doctest::Approx(x / 255).epsilon(1e-15));
}
