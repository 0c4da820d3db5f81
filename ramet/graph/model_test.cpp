#include "ramet/graph/model.h"

#include <doctest/doctest.h>

#include "ramet/graph/clone.h"
#include "ramet/graph/op_operation.h"
#include "ramet/layers/layers.h"
#include "tests/support/run_layer.h"

namespace ramet {
namespace {

using Names = std::vector<std::string>;

Names names(const Model& model) {
  Names out;
  for (const auto& layer : model.layers()) out.push_back(layer->name());
  return out;
}

Names paths(const VariableRefs& variables) {
  Names out;
  for (const auto& v : variables) out.push_back(v->path);
  return out;
}

Dense dense(const char* name, int units = 4) { return Dense(units, LayerOptions{.name = name}); }

std::vector<double> predict(const Model& model, const Nest<Array>& x) {
  std::vector<double> out;
  for (const Array& y : testing::run_layer(model, {.inputs = x}).outputs)
    for (const double v : y.to_doubles()) out.push_back(v);
  return out;
}

void check_round_trip(const Model& model) {
  const Model again = Model::from_json(model.to_json());
  CHECK(again.to_json() == model.to_json());
  CHECK(names(again) == names(model));
  CHECK(paths(again.weights()) == paths(model.weights()));
}

// ---- names
// ------------------------------------------------------------------------------------------------------------------------
TEST_CASE("names are the class in snake case, numbered from the second on") {
  reset_names();
  auto x = Input({4});
  CHECK(x.name() == "keras_tensor");
  CHECK(x.node()->operation->name() == "input_layer");
  CHECK(Dense(2)->name() == "dense");
  CHECK(Dense(2)->name() == "dense_1");
  CHECK(MultiHeadAttention(1, 2)->name() == "multi_head_attention");
  CHECK(Model(x, Dense(2)(x)).name() == "functional");
  CHECK(Sequential().name() == "sequential");
  CHECK(Input({4}, {.name = "image"}).node()->operation->name() == "image");
  CHECK_THROWS_WITH_AS(dense("a/b"), "layer name 'a/b' must not contain '/'", UsageError);
}

TEST_CASE("a layer is found by name and by index, or the names there are are told") {
  auto x = Input({4}, {.name = "x"});
  const Model model(x, dense("head")(dense("body")(x)));
  CHECK(model.get_layer("body") == model.get_layer(1));
  CHECK_THROWS_WITH_AS(model.get_layer("neck"), "No such layer: neck. Existing layers are: ['x', 'body', 'head'].",
                       UsageError);
  CHECK_THROWS_WITH_AS(model.get_layer(3), "Was asked to retrieve layer at index 3 but model only has 3 layers.",
                       UsageError);
  CHECK_THROWS_WITH_AS(Model().name(), "an empty Model was used; make one with Model(inputs, outputs) or Sequential",
                       UsageError);
}

TEST_CASE("output names are the operations', in flat order") {
  auto x = Input({4}, {.name = "x"});
  const Model model(x, Arg{{"z", dense("q")(x)}, {"y", dense("r")(x)}});
  CHECK(model.output_names() == Names{"r", "q"});
  CHECK(model.output()["z"] == model.outputs()[1]);
}

// ---- inputs and outputs
// -----------------------------------------------------------------------------------------------------------
TEST_CASE("a model called on other tensors shares its layers") {
  auto x = Input({4}, {.name = "x"});
  const Model inner(x, dense("d", 4)(x), {.name = "inner"});
  auto a = Input({4}, {.name = "a"});
  const Model outer(a, inner(inner(a)), {.name = "outer"});
  CHECK(names(outer) == Names{"a", "inner"});
  CHECK(outer.weights() == inner.weights());
  const Array v = Array::of<float>({1, 4}, {1, 2, 3, 4});
  const Array once = testing::run_layer(inner, {.inputs = v}).outputs[0];
  CHECK(predict(outer, v) == predict(inner, once));
}

TEST_CASE("intermediate tensors may be a model's inputs") {
  auto x = Input({4}, {.name = "x"});
  auto h = dense("h", 3)(x), y = dense("y", 2)(h);
  const Model whole(x, y), tail(h, y), head(x, h);
  CHECK(tail.get_layer("y") == whole.get_layer("y"));
  CHECK(tail.inputs()[0].name() == h.name() + "CLONE");
  const Array v = Array::of<float>({1, 4}, {1, 2, 3, 4});
  CHECK(predict(tail, testing::run_layer(head, {.inputs = v}).outputs[0]) == predict(whole, v));
}

TEST_CASE("repeated, intermediate and passed-through outputs come as they were asked for") {
  auto x = Input({2}, {.name = "x"});
  auto y = ops::square(x);
  const Model model(x, {y, x, y});
  CHECK(predict(model, Array::of<float>({1, 2}, {2, 3})) == std::vector<double>{4, 9, 2, 3, 4, 9});
}

TEST_CASE("inputs are matched by name when they come as a dict") {
  auto a = Input({1}, {.name = "a"}), b = Input({1}, {.name = "b"});
  const Model model({a, b}, a - b);
  const auto one = [](float v) { return Nest<Array>(Array::of<float>({1, 1}, {v})); };
  CHECK(predict(model, Nest<Array>(Nest<Array>::Dict{{"b", one(1)}, {"a", one(5)}})) == std::vector<double>{4});
  CHECK(predict(model, Nest<Array>(Nest<Array>::List{one(1), one(5)})) == std::vector<double>{-4});
  CHECK_THROWS_WITH_AS(predict(model, Nest<Array>(Nest<Array>::Dict{{"a", one(5)}})),
                       doctest::Contains("missing an input named 'b'"), UsageError);
  CHECK_THROWS_WITH_AS(predict(model, Nest<Array>(Nest<Array>::List{one(1)})),
                       doctest::Contains("expected 2 input(s). Received 1 instead."), UsageError);
}

TEST_CASE("a wrong shape is refused in Keras' words, a trailing one is fixed") {
  auto x = Input({3}, {.name = "x"});
  const Model model(x, ops::square(x), {.name = "m"});
  CHECK_THROWS_WITH_AS(predict(model, Array::zeros({2, 4}, DType::f32)),
                       doctest::Contains("Input 0 with name 'x' of layer 'm' is incompatible with the layer: expected "
                                         "shape=(None, 3), found shape=(2, 4)"),
                       UsageError);
  CHECK(predict(model, Array::zeros({2, 3, 1}, DType::f32)).size() == 6);
}

TEST_CASE("an optional input may be left out where its taker can do without") {
  auto x = Input({2}, {.name = "x"});
  auto bias = Input({2}, {.name = "bias", .optional = true});
  auto y = Lambda([](const LambdaInputs& in) { return in.inputs.size() > 1 && in[1] ? in[0] + in[1] : in[0]; },
                  LayerOptions{.name = "maybe"})({x, bias});
  const Model model({x, bias}, y);
  CHECK(predict(model, Nest<Array>(Nest<Array>::List{Nest<Array>(Array::of<float>({1, 2}, {1, 2})),
                                                     Nest<Array>(Array::of<float>({1, 2}, {10, 20}))})) ==
        std::vector<double>{11, 22});
  const auto* layer = dynamic_cast<const InputLayer*>(model.get_layer("bias").get());
  CHECK(layer->config().optional);
  check_round_trip(Model({x, bias}, Add(LayerOptions{.name = "sum"})({x, bias})));
}

// ---- weights and trainable
// ----------------------------------------------------------------------------------------------------------
TEST_CASE("weights come in the order of the layers, own trainable ones first, shared ones once") {
  auto x = Input({4}, {.name = "x"});
  auto shared = dense("shared");
  auto y = dense("head", 1)(BatchNormalization(LayerOptions{.name = "norm"})(shared(shared(x))));
  const Model model(x, y);
  CHECK(paths(model.weights()) == Names{"shared/kernel", "shared/bias", "norm/gamma", "norm/beta", "norm/moving_mean",
                                        "norm/moving_variance", "head/kernel", "head/bias"});
  CHECK(paths(model.trainable_weights()) ==
        Names{"shared/kernel", "shared/bias", "norm/gamma", "norm/beta", "head/kernel", "head/bias"});
  CHECK(paths(model.non_trainable_weights()) == Names{"norm/moving_mean", "norm/moving_variance"});
  CHECK(model.count_params() == 20 + 16 + 5);
}

TEST_CASE("trainable reaches all levels; a frozen model trains nothing whatever its layers say") {
  auto i = Input({4}, {.name = "i"});
  Model inner(i, dense("b")(dense("a")(i)), {.name = "inner"});
  auto x = Input({4}, {.name = "x"});
  Model outer(x, dense("c")(inner(x)), {.name = "outer"});
  inner.get_layer("a")->set_trainable(false);
  CHECK(paths(outer.trainable_weights()) == Names{"b/kernel", "b/bias", "c/kernel", "c/bias"});
  outer.freeze();
  CHECK(outer.trainable_weights().empty());
  CHECK_FALSE(inner.get_layer("b")->trainable());
  inner.get_layer("b")->set_trainable(true);
  CHECK(outer.trainable_weights().empty());
  CHECK(outer.non_trainable_weights().size() == 6);
  outer.set_trainable(true);
  CHECK(outer.trainable_weights().size() == 6);
  CHECK(inner.get_layer("a")->trainable());
}

TEST_CASE("trainable survives the configuration at every level") {
  auto i = Input({4}, {.name = "i"});
  Model inner(i, dense("b")(dense("a")(i)), {.name = "inner"});
  auto x = Input({4}, {.name = "x"});
  Model outer(x, dense("c")(inner(x)), {.name = "outer"});
  inner.get_layer("a")->set_trainable(false);
  CHECK(paths(Model::from_json(outer.to_json()).trainable_weights()) ==
        Names{"b/kernel", "b/bias", "c/kernel", "c/bias"});
  inner.freeze();
  CHECK(paths(Model::from_json(outer.to_json()).trainable_weights()) == Names{"c/kernel", "c/bias"});
  outer.freeze();
  CHECK_FALSE(Model::from_json(outer.to_json()).trainable());
  CHECK_FALSE(clone_model(outer).trainable());
}

TEST_CASE("set_weights refuses other counts and shapes and leaves the weights alone") {
  auto x = Input({4}, {.name = "x"});
  Model model(x, dense("d", 2)(x), {.name = "m"});
  const Arrays before = model.get_weights();
  CHECK_THROWS_WITH_AS(model.set_weights({before[0]}),
                       "You called `set_weights(weights)` on layer 'm' with a weight list of length 1, but the layer "
                       "was expecting 2 weights.",
                       UsageError);
  CHECK_THROWS_WITH_AS(model.set_weights({Array::zeros({4, 2}, DType::f32), Array::zeros({3}, DType::f32)}),
                       "Layer m weight shape (2,) is not compatible with provided weight shape (3,). (weight 'd/bias')",
                       UsageError);
  CHECK(model.get_weights()[0].identical(before[0]));
  model.set_weights({Array::full({4, 2}, 1), Array::zeros({2}, DType::f32)});
  CHECK(predict(model, Array::full({1, 4}, 1)) == std::vector<double>{4, 4});
}

TEST_CASE("paths of weights go through a Sequential, not through a Functional") {
  auto i = Input({4}, {.name = "i"});
  const Model inner(i, dense("a")(i), {.name = "inner"});
  const Sequential tail(Input({4}), {dense("b"), Sequential({dense("c")}, {.name = "deep"})}, {.name = "tail"});
  auto x = Input({4}, {.name = "x"});
  CHECK(paths(Model(x, tail(inner(x))).weights()) ==
        Names{"a/kernel", "a/bias", "tail/b/kernel", "tail/b/bias", "tail/deep/c/kernel", "tail/deep/c/bias"});
}

// Keras 3 fills `mask` by itself only when one argument alone holds tensors; Keras 2 always did.
TEST_CASE("an RNN with an initial state sees only a mask it is given") {
  auto x = Input({2, 1}, {.name = "x"}), h = Input({1}, {.name = "h"});
  auto m = Masking(LayerOptions{.name = "mask"})(x);
  const SimpleRNN sum(1,
                      {.activation = "linear",
                       .use_bias = false,
                       .kernel_initializer = "ones",
                       .recurrent_initializer = initializers::Constant(2.0)},
                      {.name = "sum"});
  Model automatic({x, h}, sum(m, {.initial_state = {h}}));
  const Nest<Array> fed(
      Nest<Array>::List{Nest<Array>(Array::of<float>({1, 2, 1}, {3, 0})), Nest<Array>(Array::of<float>({1, 1}, {1}))});
  CHECK(predict(automatic, fed) == std::vector<double>{10});  // (2·1 + 3)·2 + 0: the masked step runs
  auto seen = ops::not_equal(ops::squeeze(x, -1), 0);
  CHECK(predict(Model({x, h}, sum(m, {.initial_state = {h}, .mask = seen})), fed) == std::vector<double>{5});
}

// ---- configuration
// ------------------------------------------------------------------------------------------------------------------
TEST_CASE("configurations make the round trip: shared layers, several calls, operators") {
  auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  auto shared = dense("shared");
  auto h = Concatenate(LayerOptions{.name = "join"})({shared(b), shared(a), shared(shared(a))});
  auto y = ops::get_item(h, {kAll, {1, 9}}) * 2.0;
  check_round_trip(Model({a, b}, {y, h}, {.name = "m"}));
}

TEST_CASE("configurations make the round trip: dicts, nested models, call arguments, several outputs") {
  auto i = Input({5, 3}, {.name = "i"});
  auto [seq, h, c] = LSTM(4, {.return_sequences = true, .return_state = true}, {.name = "encoder"})(i).unpack<3>();
  const Model inner(i, {seq, h, c}, {.name = "inner"});
  auto x = Input({5, 3}, {.name = "x"});
  auto [s, sh, sc] = inner(x).unpack<3>();
  auto y = LSTM(4, LayerOptions{.name = "decoder"})(s, {.initial_state = {sh, sc}, .training = true});
  check_round_trip(Model(Arg{{"in", x}}, Arg{{"out", y}, {"state", sh}}, {.name = "m"}));
}

TEST_CASE("a configuration that cannot be is refused by layer name") {
  auto x = Input({4}, {.name = "x"});
  const std::string good = Model(x, dense("d")(x), {.name = "m"}).to_json();
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  CHECK_THROWS_WITH_AS(Model::from_json(with("\"Dense\"", "\"Dence\"")),
                       doctest::Contains("layer 'd' (Dence): unknown layer class 'Dence' (did you mean 'Dense'?)"),
                       DataError);
  CHECK_THROWS_WITH_AS(Model::from_json(with("[\"x\", 0, 0]", "[\"z\", 0, 0]")),
                       doctest::Contains("a tensor of layer 'z' is used, but there is no such layer"), DataError);
  CHECK_THROWS_WITH_AS(Model::from_json(with("[\"d\", 0, 0]", "[\"d\", 7, 0]")),
                       doctest::Contains("the model names call 7 of layer 'd', which does not exist"), DataError);
  CHECK_THROWS_AS(Model::from_json("{"), DataError);
}

// ---- Sequential
// ---------------------------------------------------------------------------------------------------------------------
TEST_CASE("a Sequential grows and shrinks") {
  Sequential model(Input({4}, {.name = "x"}), {dense("a", 3)}, {.name = "s"});
  model.add(dense("b", 2));
  CHECK(names(model) == Names{"a", "b"});
  CHECK(to_string(model.output().shape()) == "(None, 2)");
  model.pop();
  CHECK(to_string(model.output().shape()) == "(None, 3)");
  CHECK(model.weights().size() == 2);
  model.pop();
  CHECK_THROWS_WITH_AS(model.pop(), "Sequential 's': there is no layer to remove", UsageError);
}

TEST_CASE("a Sequential without an input waits for its shape") {
  Sequential model({dense("a", 3), dense("b", 2)}, {.name = "s"});
  CHECK(model.weights().empty());
  CHECK_THROWS_WITH_AS(
      model.inputs(),
      "Sequential 's' has not been built yet; begin it with Input(…), call build(input_shape), or call it on a tensor",
      UsageError);
  model.build({None, 5});
  CHECK(model.weights().size() == 4);
  CHECK(to_string(model.output().shape()) == "(None, 2)");

  Sequential called({dense("c", 3)}, {.name = "t"});
  CHECK(to_string(called(Input({7})).shape()) == "(None, 3)");
  CHECK(called.count_params() == 24);
}

TEST_CASE("a Sequential that could not be built is as it was") {
  Sequential model({Reshape({7}, LayerOptions{.name = "r"})}, {.name = "s"});
  CHECK_THROWS_AS(model.build({None, 5}), UsageError);
  model.build({None, 7, 1});
  CHECK(to_string(model.output().shape()) == "(None, 7)");
  CHECK_THROWS_AS(model.add(Reshape({8})), UsageError);
  CHECK(names(model) == Names{"r"});
}

TEST_CASE("a Sequential refuses equal names, a second input and layers with several outputs") {
  Sequential model(Input({4}, {.name = "x"}), {dense("a")}, {.name = "s"});
  CHECK_THROWS_WITH_AS(model.add(dense("a")),
                       "All layers added to a Sequential model should have unique names. Name 'a' is already the name "
                       "of a layer in 's'.",
                       UsageError);
  CHECK_THROWS_WITH_AS(model.add(Input({4})),
                       "Sequential 's' has already been configured to use an input; an Input must come first",
                       UsageError);
  CHECK_THROWS_WITH_AS(model.add(Lambda(
                           [](Value v) {
                             return Values{v, v};
                           },
                           LayerOptions{.name = "fork"})),
                       "Sequential 's': every layer must have one output; Lambda 'fork' returned 2", UsageError);
  CHECK(names(model) == Names{"a"});
}

TEST_CASE("a Sequential makes the round trip, built, deferred and nested") {
  const Sequential built(Input({4}, {.name = "x"}), {dense("a"), Dropout(0.5, LayerOptions{.name = "drop"})},
                         {.name = "built"});
  check_round_trip(built);
  const Sequential deferred({dense("a"), dense("b")}, {.name = "deferred"});
  check_round_trip(deferred);
  auto x = Input({4}, {.name = "in"});
  check_round_trip(Model(x, built(x), {.name = "outer"}));
}

}  // namespace

TEST_CASE("symbolic: an open size that meets a fixed one is taken to be that") {
  const auto open = Input({None, 3}), fixed = Input({4, 3});
  CHECK(Add()({open, fixed}).shape() == Shape{None, 4, 3});
  CHECK(Reshape({2, 6})(open).shape() == Shape{None, 2, 6});
  const auto batch = Input({.batch_shape = {{5, 3}}});
  CHECK(Add()({Input({3}), batch}).shape() == Shape{5, 3});
  CHECK_THROWS_WITH_AS(Add()({Input({None, 2}), Input({4, 3})}), doctest::Contains("(None, None, 2) and (None, 4, 3)"),
                       UsageError);
}

}  // namespace ramet
