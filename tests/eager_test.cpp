// Layers and models called on arrays.
#include <doctest/doctest.h>

#include "ramet/ramet.h"

using namespace ramet;

TEST_CASE("A layer called on an array is built and gives what the model gives") {
  set_random_seed(3);
  const Array x = Array::random_normal({5, 4});
  Dense dense(3, {.activation = "tanh"});
  const Array y = dense(x);
  CHECK((y.shape() == Shape{5, 3}));
  CHECK(dense->node_count() == 0);
  const Tensor in = Input({4});
  CHECK(Array(Model(in, dense(in)).predict(x)).identical(y));
  CHECK(max_difference(dense(x[Slice(0, 2)]), y[Slice(0, 2)]) < 1e-6);  // another batch size
  CHECK(Array(dense(x.astype(DType::f64))).dtype() == DType::f32);
}

TEST_CASE("Layers of several inputs and outputs are called on arrays") {
  const Array a = Array::of<float>({2, 2}, {1, 2, 3, 4}), b = Array::of<float>({2, 2}, {10, 20, 30, 40});
  CHECK(Array(Add()({a, b})).identical(a + b));
  CHECK((Array(Concatenate()({a, b})).shape() == Shape{2, 4}));
  const Array sequence = Array::random_normal({2, 3, 4});
  const Predictions states = LSTM(5, {.return_state = true})(sequence);
  REQUIRE(states.size() == 3);
  CHECK(states[0].identical(states[1]));
  CHECK((Array(MultiHeadAttention(2, 3)(sequence, sequence)).shape() == Shape{2, 3, 4}));
}

TEST_CASE("A call on arrays is not in training unless it says so") {
  const Array x = Array::of<float>({2, 3}, {1, 2, 3, 5, 6, 7});
  CHECK(Array(Dropout(0.5)(x)).identical(x));
  CHECK(!Array(Dropout(0.9, {.seed = 1})(x, {.training = true})).identical(x));
  BatchNormalization norm;
  const Array before = norm(x);
  CHECK(norm->get_weights()[2].identical(Array::of<float>({3}, {0, 0, 0})));
  const Array normal = norm(x, {.training = true});
  CHECK(ops::max(ops::abs(ops::mean(normal, 0))).item() < 1e-6);
  CHECK(norm->get_weights()[2].at({0}) == doctest::Approx(0.03));  // 0.01 of the mean, 3
}

TEST_CASE("A model called on arrays predicts") {
  const Tensor a = Input({2}, {.name = "a"}), b = Input({2}, {.name = "b"});
  const Model model({a, b}, Dense(2)(a + b));
  const Array x = Array::random_normal({3, 2}), y = Array::random_normal({3, 2});
  const Array expected = model.predict({x, y});
  CHECK(Array(model({x, y})).identical(expected));
  CHECK(Array(model({{"b", y}, {"a", x}})).identical(expected));
  CHECK(max_difference(model({x, y}, {.training = true}), expected) < 1e-6);
}

TEST_CASE("What a layer cannot take is refused with its name and leaves it unbuilt") {
  Dense dense(3, {.name = "d"});
  CHECK_THROWS_WITH_AS(dense(Array()), doctest::Contains("Dense 'd'"), UsageError);
  CHECK_THROWS_WITH_AS(dense(Array::scalar(1)), doctest::Contains("'d'"), UsageError);
  CHECK(!dense->built());
  CHECK_THROWS_WITH_AS((Add({.name = "s"})({Array({2, 3}), Array({2, 4})})), doctest::Contains("'s'"), UsageError);
  CHECK_THROWS_WITH_AS(LSTM(2, {.name = "l"})(Array({1, 3, 2}), {.mask = Input({3}, {.dtype = "bool"})}),
                       doctest::Contains("cannot be a Tensor"), UsageError);
}

TEST_CASE("No samples predict an empty result") {
  const Tensor a = Input({4}), b = Input({None, 2});
  const Model model({a, b}, {Dense(3)(a), LSTM(5, {.return_sequences = true})(b)});
  const Arrays out = model.predict({Array({0, 4}), Array({0, 7, 2})});
  REQUIRE(out.size() == 2);
  CHECK((out[0].shape() == Shape{0, 3}));
  CHECK((out[1].shape() == Shape{0, 7, 5}));
  CHECK((Array(Model(a, Dense(2)(a)).predict_on_batch(Array({0, 4}))).shape() == Shape{0, 2}));
  CHECK((Array(Dense(2)(Array({0, 4}))).shape() == Shape{0, 2}));
  CHECK(ops::sum(Array({0, 4})).item() == 0);
  CHECK_THROWS_WITH_AS(Model(a, Dense(2)(a)).predict(Array({0, 5})), doctest::Contains("expected shape=(None, 4)"),
                       UsageError);
}
