// What is trained: decided by the variables' own flags, as Keras 3.15 does it. The numbers of weights are Keras'.
#include <doctest/doctest.h>

#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;

namespace {

std::string paths(const Model& model) {
  std::vector<std::string> out;
  for (const auto& v : model.trainable_weights()) out.push_back(v->path);
  return join(out);
}

// A frozen base of two layers, the second opened again, and a head.
struct OpenedBase {
  Model base, model;
  OpenedBase() {
    auto x = Input({3});
    base = Model(x, Dense(4, {}, {.name = "b"})(Dense(4, {}, {.name = "a"})(x)), {.name = "base"});
    base.set_trainable(false);
    base.get_layer("b")->set_trainable(true);
    auto in = Input({3});
    model = Model(in, Dense(1, {}, {.name = "h"})(base(in)));
  }
};

Model with(const LayerRef& layer, const Shape& shape) {
  auto in = Input(shape);
  return Model(in, layer->call(CallArgs{{Arg(in)}, {}}));
}

std::size_t open_weights(const Model& model) { return model.trainable_weights().size(); }

}  // namespace

TEST_CASE("trainable: the opened last block of a frozen base is trained, in the model, its clone and its file") {
  const OpenedBase opened;
  const Model &model = opened.model, &base = opened.base;
  const std::string expected = "b/kernel, b/bias, h/kernel, h/bias";
  CHECK(paths(model) == expected);
  CHECK(base.trainable_weights().empty());  // the base's own flag
  CHECK(base.non_trainable_weights().size() == 4);
  CHECK(model.non_trainable_weights().size() == 2);
  CHECK(paths(clone_model(model)) == expected);
  CHECK(paths(Model::from_json(model.to_json())) == expected);
  const testing::TemporaryFolder folder;
  model.save(folder / "m.keras");
  const Model loaded = load_model(folder / "m.keras");
  CHECK(paths(loaded) == expected);
  CHECK(!loaded.get_layer("base")->trainable());
}

TEST_CASE("trainable: training changes just what is open, and the optimizer has variables for that alone") {
  OpenedBase opened;
  Model& model = opened.model;
  model.compile({.optimizer = "adam", .loss = "mse"});
  const Arrays before = model.get_weights();
  model.train_on_batch(Array::random_normal({8, 3}), Array::random_normal({8, 1}));
  const Arrays after = model.get_weights();
  REQUIRE(after.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(after[i].identical(before[i]) == (i < 2));
  CHECK(model.optimizer_variables().size() == 2 + 2 * 4);  // iteration, learning rate, two moments for each
}

TEST_CASE("trainable: setting the flag again freezes what was opened") {
  OpenedBase opened;
  opened.base.set_trainable(false);
  CHECK(paths(opened.model) == "h/kernel, h/bias");
  opened.model.set_trainable(true);
  CHECK(open_weights(opened.model) == 6);
}

TEST_CASE("trainable: a frozen model trains nothing, whatever its layers say") {
  OpenedBase opened;
  opened.model.set_trainable(false);
  opened.model.get_layer("h")->set_trainable(true);
  CHECK(open_weights(opened.model) == 0);
  CHECK(open_weights(Model::from_json(opened.model.to_json())) == 0);
}

TEST_CASE("trainable: a constructor's flag is the model's own and freezes no layer inside") {
  auto x = Input({3});
  const Model inner(x, Dense(2)(x), {.trainable = false});
  CHECK(inner.trainable_weights().empty());
  CHECK(inner.layers()[1]->trainable());
  auto in = Input({3});
  CHECK(open_weights(Model(in, inner(in))) == 2);
}

TEST_CASE("trainable: the layer inside a frozen wrapper can be opened again") {
  struct Case {
    LayerRef layer;
    LayerRef (*inner)(const LayerRef&);
    std::size_t open, open_in_clone;
  };
  const auto first = [](const LayerRef& l) { return l->sublayers().at(0); };
  const Case cases[] = {
      {TimeDistributed(Dense(2)), first, 2, 2},
      {Bidirectional(LSTM(2)), first, 3, 3},
      {RNN(LSTMCell(2)), first, 3, 3},
      {LSTM(2), first, 3, 0},  // its cell has the flag of the layer
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.layer->class_name()));
    const Model model = with(c.layer, {4, 3});
    c.layer->set_trainable(false);
    CHECK(open_weights(model) == 0);
    CHECK(open_weights(clone_model(model)) == 0);
    c.inner(c.layer)->set_trainable(true);
    CHECK(open_weights(model) == c.open);
    CHECK(c.layer->trainable_weights().empty());
    CHECK(open_weights(clone_model(model)) == c.open_in_clone);
    CHECK(open_weights(Model::from_json(model.to_json())) == c.open_in_clone);
  }
}

TEST_CASE("trainable: a wrapper frozen by its constructor leaves the layer inside open") {
  CHECK(open_weights(with(Bidirectional(LSTM(2), {}, {.trainable = false}), {4, 3})) == 6);
  CHECK(open_weights(with(TimeDistributed(Dense(2), {}, {.trainable = false}), {4, 3})) == 2);
  CHECK(open_weights(with(LSTM(2, {}, {.trainable = false}), {4, 3})) == 0);
}

TEST_CASE("trainable: a layer made frozen can be opened, and moving statistics never are") {
  const LayerRef layer = BatchNormalization({}, {.name = "norm", .trainable = false});
  const Model model = with(layer, {3});
  CHECK(open_weights(model) == 0);
  layer->set_trainable(true);
  CHECK(paths(model) == "norm/gamma, norm/beta");
  CHECK(model.weights().size() == 4);
}

TEST_CASE("trainable: regularization counts for open variables alone") {
  auto x = Input({3});
  const auto dense =
      Dense(2, {.use_bias = false, .kernel_initializer = "ones", .kernel_regularizer = regularizers::L2(0.5)});
  Model inner(x, dense(x));
  inner.set_trainable(false);
  auto in = Input({3});
  Model model(in, inner(in));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array zeros({2, 3}), y({2, 2});
  CHECK(model.evaluate(zeros, y, {.verbose = 0})["loss"] == 0);
  dense->set_trainable(true);  // Σ w² / 2 over six ones
  CHECK(model.evaluate(zeros, y, {.verbose = 0})["loss"] == doctest::Approx(3));
}
