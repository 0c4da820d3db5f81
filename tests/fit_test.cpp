#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

// y = 2x₀ − x₁ + noise-free offset, learnable by one Dense.
struct Line {
  Array x = Array(Shape{40, 2}), y = Array(Shape{40, 1});
  Line() {
    for (int i = 0; i < 40; ++i) {
      const float a = static_cast<float>(i % 7) / 7, b = static_cast<float>(i % 5) / 5;
      x.data<float>()[static_cast<std::size_t>(2 * i)] = a;
      x.data<float>()[static_cast<std::size_t>(2 * i + 1)] = b;
      y.data<float>()[static_cast<std::size_t>(i)] = 2 * a - b + 0.5f;
    }
  }
};

Model linear(const char* name = "line") {
  auto in = Input({2}, {.name = "x"});
  return Model(in, Dense(1, {.kernel_initializer = "zeros"}, {.name = "y"})(in), {.name = name});
}

Model classifier() {
  auto in = Input({4}, {.name = "features"});
  auto x = Dense(8, {.activation = "relu"}, {.name = "hidden"})(in);
  return Model(in, Dense(3, {.activation = "softmax"}, {.name = "label"})(x), {.name = "classes"});
}

}  // namespace

TEST_CASE("fit: learns a line and returns its history") {
  const Line d;
  Model m = linear();
  m.compile({.optimizer = SGD(0.2, {.momentum = 0.9}), .loss = "mse", .metrics = {"mae"}});
  const History h = m.fit(d.x, d.y, {.batch_size = 8, .epochs = 60, .verbose = 0});
  CHECK(h["loss"].size() == 60);
  CHECK(h["loss"].back() < 1e-4);
  CHECK(h["mae"].back() < 0.02);
  CHECK(h.epoch.size() == 60);
  const Array w = m.get_weights()[0];
  CHECK(std::abs(w.at({0, 0}) - 2) < 0.05);
  CHECK_THROWS_WITH_AS(h["accuracy"], "the history has no 'accuracy'; it has loss, mae", UsageError);
}

TEST_CASE("fit: one step is what the formulas say") {
  Model m = linear();
  m.compile({.optimizer = SGD(0.5), .loss = "mse"});
  const Array x = Array::of<float>({2, 2}, {1, 0, 0, 1}), y = Array::of<float>({2, 1}, {1, 3});
  // p = 0: loss (1 + 9)/2; dL/dp = −(1, 3); kernel += 0.5·(1, 3), bias += 0.5·4.
  CHECK(m.train_on_batch(x, y)["loss"] == 5);
  CHECK(m.get_weights()[0].to_doubles() == std::vector<double>{0.5, 1.5});
  CHECK(m.get_weights()[1].to_doubles() == std::vector<double>{2});
  CHECK(m.test_on_batch(x, y)["loss"] == doctest::Approx((1.5 * 1.5 + 0.5 * 0.5) / 2));
}

TEST_CASE("fit: validation_split takes the last samples, logs are alphabetical") {
  const Line d;
  Model m = linear();
  m.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae", metrics::RootMeanSquaredError()}});
  const History h = m.fit(d.x, d.y, {.epochs = 2, .verbose = 0, .validation_split = 0.25});
  std::vector<std::string> names;
  for (const auto& entry : h.history) names.push_back(entry.first);
  CHECK(names == std::vector<std::string>{"loss", "mae", "root_mean_squared_error", "val_loss", "val_mae",
                                          "val_root_mean_squared_error"});
  const Logs again = m.evaluate(d.x.rows(30, 40), d.y.rows(30, 40), {.verbose = 0});
  CHECK(again["loss"] == doctest::Approx(h["val_loss"].back()).epsilon(1e-6));
}

TEST_CASE("fit: the same seed gives the same weights, bit for bit") {
  const Line d;
  std::vector<Arrays> results;
  for (const int seed : {7, 7, 8}) {
    set_random_seed(static_cast<std::uint64_t>(seed));
    auto in = Input({2});
    Model m(in, Dense(1)(Dense(4, {.activation = "tanh"})(in)));
    m.compile({.optimizer = "adam", .loss = "mse"});
    m.fit(d.x, d.y, {.batch_size = 16, .epochs = 3, .verbose = 0});
    results.push_back(m.get_weights());
  }
  CHECK(results[0][0].identical(results[1][0]));
  CHECK_FALSE(results[0][0].identical(results[2][0]));
}

TEST_CASE("fit: shuffling changes the order and nothing else; without it batches come as they are") {
  const Line d;
  // With plain SGD and the whole set as one batch the order of samples hardly matters, with small ones it does.
  const auto train = [&](Shuffle shuffle, std::int64_t batch) {
    set_random_seed(3);
    Model m = linear();
    m.compile({.optimizer = SGD(0.1), .loss = "mse"});
    m.fit(d.x, d.y, {.batch_size = batch, .epochs = 2, .verbose = 0, .shuffle = shuffle});
    return m.get_weights()[0];
  };
  CHECK(max_difference(train(true, 40), train(false, 40)) < 1e-6);
  CHECK(max_difference(train("batch", 8), train(false, 8)) < 1e-6);
  CHECK(max_difference(train(true, 8), train(false, 8)) > 1e-5);
}

TEST_CASE("fit: class_weight weighs samples by their class") {
  set_random_seed(1);
  Model m = classifier();
  m.compile({.optimizer = SGD(0.1), .loss = "sparse_categorical_crossentropy", .weighted_metrics = {"accuracy"}});
  const Array x = Array::random_normal({30, 4});
  Array y(Shape{30}, DType::i32), w(Shape{30});
  for (int i = 0; i < 30; ++i) {
    y.data<std::int32_t>()[static_cast<std::size_t>(i)] = i % 3;
    w.data<float>()[static_cast<std::size_t>(i)] = i % 3 == 1 ? 5.0f : 1.0f;
  }
  const Arrays start = m.get_weights();
  Arrays before;
  for (const Array& a : start) before.push_back(a.copy());
  const History by_class = m.fit(x, y, {.verbose = 0, .shuffle = false, .class_weight = {{1, 5.0}}});
  const Array after = m.get_weights()[0].copy();
  m.set_weights(before);
  m.compile({.optimizer = SGD(0.1)});
  const History by_sample = m.fit(x, y, {.verbose = 0, .shuffle = false, .sample_weight = w});
  CHECK(by_class["loss"] == by_sample["loss"]);
  CHECK(by_class.contains("accuracy"));
  CHECK(m.get_weights()[0].identical(after));
  CHECK_THROWS_WITH_AS(m.fit(x, y, {.class_weight = {{0, 1}}, .sample_weight = w}),
                       "You cannot `class_weight` and `sample_weight` at the same time.", UsageError);
}

TEST_CASE("fit: several outputs, inputs by name, losses by output") {
  set_random_seed(5);
  auto a = Input({3}, {.name = "a"}), b = Input({2}, {.name = "b"});
  auto joined = Concatenate()({a, b});
  auto p = Dense(1, {}, {.name = "near"})(joined), q = Dense(1, {.activation = "sigmoid"}, {.name = "same"})(joined);
  Model m({a, b}, {p, q});
  const Array xa = Array::random_normal({10, 3}), xb = Array::random_normal({10, 2}), y1 = Array::zeros({10, 1}),
              y2 = Array::full({10, 1}, 1);
  m.compile({.optimizer = "adam",
             .loss = {"mse", "binary_crossentropy"},
             .loss_weights = {0.2, 1.0},
             .metrics = {{"mae"}, {"accuracy"}},
             .weighted_metrics = {{"near", {"mae"}}}});
  const History h = m.fit({{"b", xb}, {"a", xa}}, {y1, y2}, {.verbose = 0});
  std::vector<std::string> names;
  for (const auto& entry : h.history) names.push_back(entry.first);
  CHECK(names ==
        std::vector<std::string>{"loss", "near_loss", "near_mae", "near_weighted_mae", "same_accuracy", "same_loss"});
  const Logs logs = m.evaluate({xa, xb}, {{"same", y2}, {"near", y1}}, {.verbose = 0});
  CHECK(logs["loss"] == doctest::Approx(0.2 * logs["near_loss"] + logs["same_loss"]));
  const Predictions out = m.predict({xa, xb});
  CHECK(out.size() == 2);
  CHECK(to_string(out["same"].shape()) == "(10, 1)");
  const Arrays list = out;
  CHECK(list[1].identical(out["same"]));
  CHECK_THROWS_AS(static_cast<void>(static_cast<Array>(out)), UsageError);
}

TEST_CASE("fit: penalties count for trainable weights only, frozen layers stay") {
  auto in = Input({2});
  auto hidden = Dense(3, {.kernel_initializer = "ones", .kernel_regularizer = "l2"}, {.name = "hidden"});
  Model m(in, Dense(1, {.kernel_initializer = "zeros"})(hidden(in)));
  m.compile({.optimizer = SGD(0.1), .loss = "mse"});
  const Array x = Array::zeros({4, 2}), y = Array::zeros({4, 1});
  CHECK(m.evaluate(x, y, {.verbose = 0})["loss"] == doctest::Approx(0.06));
  hidden->set_trainable(false);
  CHECK(m.evaluate(x, y, {.verbose = 0})["loss"] == 0);
  m.compile({.optimizer = SGD(0.1)});
  m.fit(x, Array::full({4, 1}, 1), {.verbose = 0});
  CHECK(hidden->get_weights()[0].to_doubles() == std::vector<double>(6, 1.0));
  CHECK(m.optimizer_variables().size() == 2);
}

TEST_CASE("fit: constraints hold after every step") {
  auto in = Input({2});
  Model m(in, Dense(4, {.kernel_constraint = constraints::MaxNorm({.max_value = 0.5})})(in));
  m.compile({.optimizer = SGD(1.0), .loss = "mse"});
  m.fit(Array::random_normal({16, 2}), Array::full({16, 4}, 3), {.epochs = 3, .verbose = 0});
  const Array w = m.get_weights()[0];
  for (int j = 0; j < 4; ++j) CHECK(std::hypot(w.at({0, j}), w.at({1, j})) < 0.5001);
}

TEST_CASE("fit: a smaller last batch counts by its size") {
  Model m = linear();
  m.compile({.optimizer = SGD(0.0), .loss = "mse"});
  const Array x = Array::zeros({5, 2}), y = Array::of<float>({5, 1}, {1, 1, 1, 1, 3});
  CHECK(m.evaluate(x, y, {.batch_size = 4, .verbose = 0})["loss"] == doctest::Approx(13.0 / 5));
  CHECK(m.fit(x, y, {.batch_size = 4, .verbose = 0})["loss"][0] == doctest::Approx(13.0 / 5));
}

TEST_CASE("fit: integer images and labels go in as they are") {
  auto in = Input({4});
  Model m(in, Dense(3, {.activation = "softmax"})(Rescaling(1.0 / 255)(in)));
  m.compile({.optimizer = "adam", .loss = "crossentropy", .metrics = {"accuracy", "crossentropy"}});
  Array x(Shape{9, 4}, DType::u8), y(Shape{9}, DType::u8);
  for (std::size_t i = 0; i < 36; ++i) x.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7);
  for (std::size_t i = 0; i < 9; ++i) y.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i % 3);
  const History h = m.fit(x, y, {.epochs = 2, .verbose = 0});
  CHECK(h["crossentropy"].size() == 2);
}

TEST_CASE("fit: EMA averages end in the weights; the learning rate follows its schedule") {
  const Line d;
  Model m = linear();
  m.compile({.optimizer = SGD(schedules::ExponentialDecay(0.1, 5, 0.5), {.use_ema = true}), .loss = "mse"});
  CHECK(m.learning_rate() == doctest::Approx(0.1));
  m.fit(d.x, d.y, {.batch_size = 8, .verbose = 0});
  CHECK(m.learning_rate() == doctest::Approx(0.05));
  CHECK(m.get_weights()[0].identical(m.optimizer_variables()[1]->value()));
  CHECK_THROWS_AS(m.set_learning_rate(0.1), UsageError);
}

TEST_CASE("compile: what is not given again stays, the optimizer begins anew") {
  const Line d;
  Model m = linear();
  m.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  m.fit(d.x, d.y, {.verbose = 0});
  CHECK(m.optimizer_variables()[0]->value().item() == 2);
  m.compile({.optimizer = Adam(0.5)});
  const History h = m.fit(d.x, d.y, {.verbose = 0});
  CHECK(h.contains("mae"));
  CHECK(m.optimizer_variables()[0]->value().item() == 2);
  const JsonObject config = m.get_compile_config();
  CHECK(config.at("optimizer").at("config").at("learning_rate").as_double() == 0.5);
  Model other = linear();
  other.compile_from_config(config);
  CHECK(other.get_compile_config() == config);
}

TEST_CASE("predict: eight threads concurrently give the same bits") {
  set_random_seed(2);
  const Model m = classifier();
  const Array x = Array::random_normal({100, 4});
  const Array want = m.predict(x, {.batch_size = 17});
  // A clone has no plans yet, so that the threads also race for making them.
  const Model fresh = clone_model(m, {.weights = Weights::copy});
  std::vector<int> same(8, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < same.size(); ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        const Array got = fresh.predict(x, {.batch_size = 17});
        const Array other = fresh.predict(x, {.batch_size = static_cast<std::int64_t>(20 + t)});
        same[t] += got.identical(want) && max_difference(other, want) < 1e-6;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(same == std::vector<int>(8, 20));
}

TEST_CASE("predictor: fixed shapes, plain spans, sees new weights") {
  set_random_seed(2);
  Model m = classifier();
  Predictor run = m.predictor({{1, 4}});
  const Array x = Array::random_normal({1, 4});
  std::vector<float> out(3);
  run(x.data<float>(), out);
  const Array want = m.predict(x);
  for (int i = 0; i < 3; ++i) CHECK(out[static_cast<std::size_t>(i)] == want.at({0, i}));
  Arrays w = m.get_weights();
  for (Array& a : w) a = Array::zeros(a.shape());
  m.set_weights(w);
  run(x.data<float>(), out);
  CHECK(out[0] == doctest::Approx(1.0 / 3));
  CHECK_THROWS_AS(run(x.data<float>(), std::span<float>(out).first(2)), UsageError);
  CHECK_THROWS_AS(m.predictor({{1, 5}}), UsageError);
}

TEST_CASE("Sequential without an input is built by the data") {
  Sequential m({Dense(4, {.activation = "relu"}), Dense(1)});
  m.compile({.loss = "mse"});
  const History h = m.fit(Array::random_normal({8, 3}), Array::zeros({8, 1}), {.verbose = 0});
  CHECK(h["loss"].size() == 1);
  CHECK(m.count_params() == 21);
}

TEST_CASE("fit, evaluate and predict: a batch size far beyond the data is one batch") {
  const Line d;
  Model m = linear();
  m.compile({.optimizer = SGD(0.1), .loss = "mse"});
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(m.fit(d.x, d.y, {.batch_size = huge, .verbose = 0})["loss"].size() == 1);
  CHECK(m.evaluate(d.x, d.y, {.batch_size = huge, .verbose = 0})["loss"] ==
        doctest::Approx(m.evaluate(d.x, d.y, {.batch_size = 40, .verbose = 0})["loss"]));
  CHECK(max_difference(m.predict(d.x, {.batch_size = huge}), m.predict(d.x)) == 0);
}

TEST_CASE("fit: class_weight is for training alone, also when validation_split makes the validation data") {
  const auto in = Input({1});
  Model model(in, Dense(1, {.activation = "sigmoid", .kernel_initializer = "zeros"})(in));
  model.compile({.optimizer = SGD(0.0), .loss = "binary_crossentropy"});
  const Array x = Array::random_normal({20, 1}), y = Array::full({20, 1}, 1.0);
  const History h =
      model.fit(x, y, {.batch_size = 5, .verbose = 0, .validation_split = 0.5, .class_weight = {{0, 1.0}, {1, 10.0}}});
  CHECK(h["loss"][0] == doctest::Approx(10 * std::log(2.0)));
  CHECK(h["val_loss"][0] == doctest::Approx(std::log(2.0)));
}

TEST_CASE("evaluate: losses of single outputs count every batch alike, the loss counts it by its size") {
  const auto in = Input({1});
  const auto zero = [](const char* name) { return Dense(1, {.kernel_initializer = "zeros"}, {.name = name}); };
  Model model(in, {zero("a")(in), zero("b")(in)});
  model.compile({.optimizer = "sgd", .loss = {"mse", "mse"}});
  // Batches of 4, 4 and 2: the squares are 1, 1 and 9.
  const Array x({10, 1}), b({10, 1}), a = Array::of<float>({10, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 3, 3});
  const Logs logs = model.evaluate(x, {a, b}, {.batch_size = 4, .verbose = 0});
  CHECK(logs["a_loss"] == doctest::Approx((1 + 1 + 9) / 3.0));
  CHECK(logs["b_loss"] == 0);
  CHECK(logs["loss"] == doctest::Approx((4 + 4 + 2 * 9) / 10.0));
}

namespace {

struct NoArguments {
  static constexpr Fields fields{};
};
// Adds a loss of one number for each element.
class AddsLossLayer final : public LayerOf<AddsLossLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "AddsLoss";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override {
    ctx.add_loss(x * 0.0 + 2.0);
    return x;
  }
};

}  // namespace

TEST_CASE("evaluate: an added loss that is not a scalar is summed") {
  const auto in = Input({3});
  Model model(in, Handle<AddsLossLayer>()(in));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array x({10, 3});
  CHECK(model.evaluate(x, x, {.verbose = 0})["loss"] == doctest::Approx(60));
}

TEST_CASE("fit: a BatchNormalization shared by three towers is updated in Keras' order") {
  const auto order = [](const std::function<Tensor(Tensor, Tensor, Tensor)>& join) {
    const auto a = Input({1}), b = Input({1}), c = Input({1});
    const auto norm = BatchNormalization({.momentum = 0.5});
    Model model({a, b, c}, join(norm(a), norm(b), norm(c)));
    model.compile({.optimizer = SGD(0.0), .loss = "mse"});
    const auto batch = [](double v) { return Array::full({4, 1}, v); };
    const auto width = model.outputs()[0].shape().back();
    model.train_on_batch({batch(1), batch(2), batch(4)}, Array::zeros({4, width}));
    return norm->weights()[2]->value().item();
  };
  // mean ← mean / 2 + batch / 2, three times
  CHECK(order([](Tensor a, Tensor b, Tensor c) {
          return Concatenate()({a, Dense(1)(b), Dense(1)(Dense(1)(c))});
        }) == doctest::Approx(((1 / 2.0 + 4) / 2 + 2) / 2));  // a, c, b
  CHECK(order([](Tensor a, Tensor b, Tensor c) {
          return Concatenate()({a - c, a - b});
        }) == doctest::Approx(((1 / 2.0 + 2) / 2 + 4) / 2));  // a, b, c
  CHECK(order([](Tensor a, Tensor b, Tensor c) {
          return Concatenate()({c, a, b});
        }) == doctest::Approx(((4 / 2.0 + 1) / 2 + 2) / 2));  // c, a, b
}
