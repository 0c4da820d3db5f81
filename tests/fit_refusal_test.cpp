// What training refuses, and in which words.
#include <doctest/doctest.h>

#include <thread>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

Model images() {
  auto in = Input({28, 28, 1}, {.name = "image"});
  return Model(in, Dense(10, {.activation = "softmax"}, {.name = "label"})(Flatten()(in)), {.name = "fashion"});
}
Model two() {
  auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  return Model({a, b}, {Dense(1, {}, {.name = "o1"})(a), Dense(2, {}, {.name = "o2"})(b)}, {.name = "two"});
}
const Array x(Shape{5, 28, 28, 1}), y(Shape{5}, DType::i32), v(Shape{5, 4});

}  // namespace

TEST_CASE("training before compile is refused") {
  Model m = images();
  CHECK_THROWS_WITH_AS(m.fit(x, y), "You must call compile() before calling fit()", UsageError);
  CHECK_THROWS_WITH_AS(m.evaluate(x, y), "You must call compile() before calling evaluate()", UsageError);
  CHECK_THROWS_WITH_AS(m.train_on_batch(x, y), "You must call compile() before calling train_on_batch()", UsageError);
}

TEST_CASE("inputs of another shape, rank or count are refused in Keras' words") {
  const Model m = images();
  CHECK_THROWS_WITH_AS(m.predict(Array::zeros({5, 28, 28, 3})),
                       "Input 0 with name 'image' of layer 'fashion' is incompatible with the layer: expected "
                       "shape=(None, 28, 28, 1), found shape=(5, 28, 28, 3)",
                       UsageError);
  CHECK_THROWS_WITH_AS(m.predict(Array::zeros({5, 784})),
                       "Input 0 with name 'image' of layer 'fashion' is incompatible with the layer: expected "
                       "shape=(None, 28, 28, 1), found shape=(5, 784)",
                       UsageError);
  CHECK(to_string(static_cast<Array>(m.predict(Array::zeros({5, 28, 28}))).shape()) == "(5, 10)");
  CHECK_THROWS_WITH_AS(m.predict({x, x}), "Layer \"fashion\" expects 1 input(s), but it received 2 input tensors.",
                       UsageError);
  CHECK_THROWS_WITH_AS(m.predict(Array::scalar(1)),
                       "input 'image' is a scalar; arrays need the samples along their first axis", UsageError);
  CHECK_THROWS_WITH_AS(m.predict(Feed()), "predict: no input data", UsageError);
  CHECK(to_string(static_cast<Array>(m.predict(Array::zeros({0, 28, 28, 1}))).shape()) == "(0, 10)");
  CHECK_THROWS_WITH_AS(m.predict(Array({5, 28, 28, 1}, DType::f16)),
                       "input 'image' is float16, which cannot be computed with yet; use float32", UsageError);
  CHECK_THROWS_WITH_AS(m.predict(x, {.batch_size = 0}), "predict: `batch_size` must be positive; got 0", UsageError);
}

TEST_CASE("names that are missing or unknown are refused") {
  Model m = two();
  CHECK_THROWS_WITH_AS(m.predict({{"a", v}, {"c", v}}),
                       "Missing data for input \"b\". You passed a data dictionary with keys ['a', 'c']. Expected the "
                       "following keys: ['a', 'b']",
                       UsageError);
  CHECK_THROWS_WITH_AS(m.predict({{"a", v}, {"b", v}, {"c", v}}),
                       "There is no input named 'c'. Expected the following keys: ['a', 'b']", UsageError);
  m.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK_THROWS_WITH_AS(m.fit({v, v}, {{"o1", y}, {"zz", y}}),
                       "fit: y has a target named 'zz'; the outputs are ['o1', 'o2']", UsageError);
  CHECK_THROWS_WITH_AS(
      m.fit({v, v}, y),
      "fit: y_true and y_pred have different structures: y holds 1 array, the model has 2 outputs ['o1', 'o2']",
      UsageError);
}

TEST_CASE("counts of samples that differ are refused") {
  Model m = images();
  m.compile({.loss = "sparse_categorical_crossentropy"});
  CHECK_THROWS_WITH_AS(m.fit(x, Array(Shape{4}, DType::i32)),
                       "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples. 'x' "
                       "sizes: 5; 'y' sizes: 4",
                       UsageError);
  CHECK_THROWS_AS(m.fit(x, y, {.sample_weight = Array::zeros({3})}), UsageError);
  CHECK_THROWS_WITH_AS(m.fit(x, y, {.validation_split = 0.99}),
                       "Training data contains 5 samples, which is not sufficient to split it into a validation and "
                       "training set as specified by `validation_split=0.99`. Either provide more data, "
                       "or a different value for the `validation_split` argument.",
                       UsageError);
}

TEST_CASE("compile refuses what it cannot mean") {
  Model m = two();
  CHECK_THROWS_AS(m.compile({.loss = "msee"}), UsageError);
  CHECK_THROWS_AS(m.compile({.optimizer = "adamm", .loss = "mse"}), UsageError);
  CHECK_THROWS_WITH_AS(m.compile({.loss = {{"o1", "mse"}, {"zz", "mse"}}}),
                       "Expected keys ['o1', 'o2'] in loss dict, but found loss.keys()=['o1', 'zz']", UsageError);
  CHECK_THROWS_WITH_AS(m.compile({.loss = {"mse", "mse", "mse"}}),
                       "compile: `loss` has 3 entries for 2 outputs ['o1', 'o2']", UsageError);
  CHECK_THROWS_AS(m.compile({.loss = "mse", .metrics = {"mae"}}), UsageError);
  CHECK_THROWS_AS(m.compile({.loss = "mse", .metrics = {{"mae"}, {"accuracyy"}}}), UsageError);
  m.compile({.optimizer = "sgd"});
  CHECK_THROWS_WITH_AS(m.fit({v, v}, {y, y}, {.verbose = 0}),
                       "No loss to compute. Provide a `loss` argument in `compile()`.", UsageError);
  CHECK_THROWS_AS(SGD(0.1, {.clipnorm = 1.0, .clipvalue = 1.0}), UsageError);
}

TEST_CASE("a label out of range is a DataError, and the model stays as it was") {
  set_random_seed(4);
  Model m = images();
  m.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  const Array start = m.get_weights()[0].copy();
  const Array images_in = Array::random_normal({5, 28, 28, 1});
  CHECK_THROWS_AS(m.fit(images_in, Array::of<std::int32_t>({5}, {0, 1, 10, 2, 3}), {.verbose = 0}), DataError);
  CHECK_THROWS_AS(m.fit(images_in, Array::of<std::int32_t>({5}, {0, 1, -1, 2, 3}), {.verbose = 0}), DataError);
  CHECK(m.get_weights()[0].identical(start));
  CHECK(m.fit(images_in, y, {.verbose = 0})["loss"].size() == 1);
}

TEST_CASE("a target that does not fit its loss is refused by output name") {
  Model m = images();
  m.compile({.loss = "categorical_crossentropy"});
  try {
    m.fit(x, y, {.verbose = 0});
    FAIL("accepted");
  } catch (const UsageError& e) {
    CHECK(std::string(e.what()).starts_with(
        "loss of output 'label' (target i32[5], prediction f32[5, 10]): CategoricalCrossentropy: Arguments `target` "
        "and `output` must have the same shape."));
  }
}

TEST_CASE("a callback that throws ends fit and leaves the model usable") {
  Model m = images();
  m.compile({.loss = "sparse_categorical_crossentropy"});
  const auto boom = LambdaCallback({.on_epoch_end = [](std::int64_t, Logs&) { throw std::runtime_error("boom"); }});
  CHECK_THROWS_WITH_AS(m.fit(x, y, {.verbose = 0, .callbacks = {boom}}), "boom", std::runtime_error);
  CHECK(m.fit(x, y, {.verbose = 0})["loss"].size() == 1);
}

TEST_CASE("training by two threads at once is refused; concurrent readers see the weights between two steps") {
  Model m = images();
  m.compile({.loss = "sparse_categorical_crossentropy"});
  std::string refused;
  bool same = false;
  const auto look = LambdaCallback({.on_train_batch_begin = [&](std::int64_t) {
    Array there;
    std::thread([&] {
      there = m.predict(x);
      try {
        m.fit(x, y);
      } catch (const UsageError& e) { refused = e.what(); }
    }).join();
    same = there.identical(m.predict(x));  // on this thread
  }});
  m.fit(x, y, {.verbose = 0, .callbacks = {look}});
  CHECK(refused ==
        "fit: model 'fashion' is being trained or compiled already; wait for that, or give each thread its own clone");
  CHECK(same);
}
