#include "ramet/graph/surgery.h"

#include <doctest/doctest.h>

#include "ramet/graph/op_operation.h"
#include "ramet/layers/layers.h"
#include "tests/support/run_layer.h"

namespace ramet {
namespace {

const Array kX = Array::of<float>({2, 3}, {1, -2, 3, 0.5, 0, -1});

std::vector<double> predict(const Model& model, const Nest<Array>& x = kX) {
  std::vector<double> out;
  for (const Array& y : testing::run_layer(model, {.inputs = x}).outputs)
    for (const double v : y.to_doubles()) out.push_back(v);
  return out;
}

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> out;
  for (const auto& layer : model.layers()) out.push_back(layer->name());
  return out;
}
using Names = std::vector<std::string>;

// image → conv → pool → predictions
Model chain() {
  auto x = Input({3}, {.name = "image"});
  auto h = Dense(4, {.activation = "tanh"}, {.name = "conv"})(x);
  auto p = Dense(4, {.name = "pool"})(h);
  return Model(x, Dense(2, {.name = "predictions"})(p), {.name = "base"});
}

// left, right → encode (shared) → join → score
Model siamese() {
  auto l = Input({3}, {.name = "left"}), r = Input({3}, {.name = "right"});
  Dense encode(4, {.name = "encode"});
  auto a = encode(l), b = encode(r);
  return Model({l, r}, Dense(2, {.name = "score"})(Concatenate(LayerOptions{.name = "join"})({b, a})),
               {.name = "siamese"});
}

// x → both → (a, b)
Model two_outputs() {
  auto x = Input({3}, {.name = "x"});
  auto [a, b] = Lambda([](Value v) { return Values{v + 1.0, v * 2.0}; }, LayerOptions{.name = "both"})(x).unpack<2>();
  return Model(x, {Dense(2, {.name = "first"})(a), Dense(2, {.name = "second"})(b)}, {.name = "two"});
}

Model nested() {
  auto i = Input({3}, {.name = "inner_in"});
  Model inner(i, Dense(3, {.name = "deep"})(i), {.name = "inner"});
  auto x = Input({3}, {.name = "x"});
  return Model(x, Dense(2, {.name = "head"})(inner(x)), {.name = "outer"});
}

TEST_CASE("extract takes what lies between an input and a layer, with the source's own layers") {
  const Model base = chain();
  const auto before = base.get_config();
  const Model trunk = extract(base, "image", "pool");
  CHECK(names(trunk) == Names{"image", "conv", "pool"});
  CHECK(trunk.get_layer("pool") == base.get_layer("pool"));
  CHECK(trunk.input() == base.input());
  CHECK(base.get_config() == before);
  CHECK(trunk.weights().size() == 4);
}

TEST_CASE("a trunk can be frozen and grown into a new model") {
  const Model base = chain();
  Model trunk = extract(base, "image", "pool");
  trunk.freeze();
  auto y = Dense(5, {.activation = "softmax"}, {.name = "flowers"})(trunk.output());
  const Model mine(trunk.input(), y);
  CHECK(names(mine) == Names{"image", "conv", "pool", "flowers"});
  CHECK(mine.trainable_weights().size() == 2);
  CHECK(mine.get_layer("flowers")->get_weights()[0].shape() == Shape{4, 5});
  CHECK(predict(mine).size() == 10);
}

TEST_CASE("extract from the middle feeds the layer by a new input") {
  const Model base = chain();
  const Model tail = extract(base, "pool", "predictions");
  CHECK(names(tail) == Names{"pool_input", "pool", "predictions"});
  CHECK(to_string(tail.input().shape()) == "(None, 4)");
  const Model head = extract(base, "image", "conv");
  const Array middle = testing::run_layer(head, {.inputs = kX}).outputs[0];
  CHECK(predict(tail, middle) == predict(base));
}

TEST_CASE("extract knows the calls of a shared layer") {
  const Model base = siamese();
  const Array other = Array::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto pair = [](const Array& a, const Array& b) {
    return Nest<Array>(Nest<Array>::List{Nest<Array>(a), Nest<Array>(b)});
  };
  const Model one = extract(base, "left", "encode");
  CHECK(one.inputs().size() == 1);
  CHECK(one.outputs().size() == 1);
  const Model both = extract(base, {"left", "right"}, "encode");
  CHECK(both.outputs().size() == 2);
  CHECK(both.layers().size() == 3);
  const Model from_encode = extract(base, "encode", "score");
  CHECK(names(from_encode) == Names{"encode_input_1", "encode_input_0", "encode", "join", "score"});
  CHECK(predict(from_encode, pair(kX, other)) == predict(base, pair(kX, other)));
}

TEST_CASE("extract keeps the structure of a layer with several outputs") {
  const Model base = two_outputs();
  const Model part = extract(base, "x", "both");
  CHECK(part.outputs().size() == 2);
  CHECK(predict(part, Array::of<float>({1, 3}, {1, 2, 3})) == std::vector<double>{2, 3, 4, 2, 4, 6});
  const Model ends = extract(base, "x", {"second", "first"});
  CHECK(ends.output_names() == Names{"second", "first"});
  CHECK(names(extract(base, {"first", "second"}, {"first", "second"})) ==
        Names{"first_input", "second_input", "first", "second"});
}

TEST_CASE("extract refuses what cannot be connected") {
  const Model base = siamese();
  CHECK_THROWS_WITH_AS(extract(base, "left", "score"),
                       "extract: 'score' also needs the input 'right', which nothing in `from` stands for", UsageError);
  CHECK_THROWS_WITH_AS(extract(base, "lefd", "score"),
                       "extract: model 'siamese' has no layer 'lefd'; did you mean 'left'? (its layers: right, left, "
                       "encode, join, score)",
                       UsageError);
  CHECK_THROWS_WITH_AS(extract(base, {"left", "right"}, LayerNames(Names{})),
                       "extract: names of layers to begin and to end with are needed", UsageError);
  CHECK_THROWS_WITH_AS(extract(chain(), "predictions", "pool"), "extract: 'pool' lies before the layers of `from`",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      extract(chain(), {"image", "pool"}, "predictions"),
      "extract: the output of predictions does not depend on InputLayer 'image'; leave it out of `from`", UsageError);
}

TEST_CASE("replace_layer puts a layer in another's place and shares the rest") {
  const Model base = chain();
  const auto before = predict(base);
  const Model odd = replace_layer(base, "predictions", Dense(7, {.name = "seven"}));
  CHECK(names(odd) == Names{"image", "conv", "pool", "seven"});
  CHECK(to_string(odd.output().shape()) == "(None, 7)");
  CHECK(odd.name() == "base");
  CHECK(odd.get_layer("conv") == base.get_layer("conv"));
  CHECK(predict(base) == before);
  CHECK(names(base) == Names{"image", "conv", "pool", "predictions"});
}

TEST_CASE("with copied weights nothing is shared") {
  const Model base = chain();
  const Model odd =
      replace_layer(base, "predictions", Dense(2, {.name = "other"}), {.weights = Weights::copy, .name = "odd"});
  CHECK(odd.name() == "odd");
  CHECK(odd.get_layer("conv") != base.get_layer("conv"));
  CHECK(odd.get_layer("conv")->get_weights()[0].to_doubles() == base.get_layer("conv")->get_weights()[0].to_doubles());
  CHECK(odd.get_layer("conv")->weights()[0]->identity() != base.get_layer("conv")->weights()[0]->identity());
}

TEST_CASE("replace_layer replaces every call of a shared layer") {
  const Model base = siamese();
  const Model next = replace_layer(base, "encode", Dense(4, {.name = "encode"}));
  CHECK(next.layers().size() == base.layers().size());
  CHECK(next.get_layer("encode") != base.get_layer("encode"));
  CHECK(next.layer().graph().nodes_of(*next.get_layer("encode")).size() == 2);
  CHECK(next.get_config() == base.get_config());  // the calls keep their numbers
}

TEST_CASE("replace_layer says what does not fit, and where") {
  const Model base = chain();
  CHECK_THROWS_WITH_AS(
      replace_layer(base, "pool", Dense(5, {.name = "wide"})),
      doctest::Contains("replace_layer: Dense 'predictions' cannot take the output (None, 5) of Dense 'wide': "),
      UsageError);
  CHECK_THROWS_WITH_AS(replace_layer(base, "image", Dense(5)),
                       "replace_layer: 'image' is an input; clone_model takes other inputs in `input_tensors`",
                       UsageError);
  CHECK_THROWS_WITH_AS(replace_layer(base, "pool", Dense(4, {.name = "conv"})),
                       "replace_layer: model 'base' has a layer named 'conv' already; choose another name", UsageError);
  CHECK_THROWS_WITH_AS(replace_layer(base, "pool", nullptr), "replace_layer: no layer was given for 'pool'",
                       UsageError);
  CHECK_THROWS_WITH_AS(replace_layer(base, "conv",
                                     Lambda(
                                         [](Value v) {
                                           return Values{v, v};
                                         },
                                         LayerOptions{.name = "fork"})),
                       "replace_layer: Lambda 'fork': the new call returned 2 outputs, the old one 1", UsageError);
  Dense built(4, {.name = "built"});
  built(Input({9}));
  CHECK_THROWS_WITH_AS(
      replace_layer(base, "conv", built),
      doctest::Contains("replace_layer: Dense 'built' cannot stand for 'conv', which takes (None, 3): "), UsageError);
}

TEST_CASE("insert_after lets all users of an output take the new layer's") {
  const Model base = chain();
  const Model more = insert_after(base, "conv", Lambda([](Value v) { return v * 0.0; }, LayerOptions{.name = "zero"}));
  CHECK(names(more) == Names{"image", "conv", "zero", "pool", "predictions"});
  const auto bias = base.get_layer("predictions")->get_weights()[1].to_doubles();
  CHECK(predict(more)[0] == doctest::Approx(bias[0]));
  CHECK(names(insert_after(base, "predictions", Dense(1, {.name = "last"}))) ==
        Names{"image", "conv", "pool", "predictions", "last"});
}

TEST_CASE("insert_after works behind an input and behind every call of a shared layer") {
  const Model first = insert_after(chain(), "image", Dense(3, {.name = "scale"}));
  CHECK(names(first) == Names{"image", "scale", "conv", "pool", "predictions"});
  const Model twice = insert_after(siamese(), "encode", Dense(4, {.name = "then"}));
  CHECK(twice.layer().graph().nodes_of(*twice.get_layer("then")).size() == 2);
}

TEST_CASE("insert_after refuses several outputs and shapes that do not fit") {
  CHECK_THROWS_WITH_AS(insert_after(two_outputs(), "both", Dense(3, {.name = "n"})),
                       "insert_after: Lambda 'both' has 2 outputs; a layer can be inserted after one with one output",
                       UsageError);
  CHECK_THROWS_WITH_AS(insert_after(chain(), "conv", Dense(9, {.name = "n"})),
                       doctest::Contains("insert_after: Dense 'pool' cannot take the output (None, 9) of Dense 'n': "),
                       UsageError);
  CHECK_THROWS_WITH_AS(insert_after(chain(), "conv",
                                    Lambda(
                                        [](Value v) {
                                          return Values{v, v};
                                        },
                                        LayerOptions{.name = "fork"})),
                       "insert_after: Lambda 'fork' returned 2 tensors; a layer with one output can be inserted",
                       UsageError);
}

TEST_CASE("remove connects the neighbours of a layer") {
  const Model base = chain();
  const Model less = remove(base, "pool");
  CHECK(names(less) == Names{"image", "conv", "predictions"});
  CHECK(names(remove(base, "predictions")) == Names{"image", "conv", "pool"});
  CHECK(names(base).size() == 4);
}

TEST_CASE("remove refuses inputs, joints and layers whose neighbours do not fit") {
  CHECK_THROWS_WITH_AS(remove(chain(), "image"), "remove: 'image' is an input of model 'base' and cannot be removed",
                       UsageError);
  CHECK_THROWS_WITH_AS(remove(siamese(), "join"),
                       "remove: Concatenate 'join' has 2 inputs and 1 outputs; a layer with one of each can be removed",
                       UsageError);
  CHECK_THROWS_WITH_AS(remove(two_outputs(), "both"),
                       "remove: Lambda 'both' has 1 inputs and 2 outputs; a layer with one of each can be removed",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      remove(chain(), "conv"),
      doctest::Contains("remove: Dense 'pool' cannot take the input (None, 3) of Dense 'conv', which was removed: "),
      UsageError);
}

TEST_CASE("rename gives new names to layers and inputs, on the same weights") {
  const Model base = siamese();
  const Model other = rename(base, {{"encode", "twin"}, {"left", "l"}});
  CHECK(names(other) == Names{"right", "l", "twin", "join", "score"});
  CHECK(other.inputs()[0].name() == "l");
  CHECK(other.get_layer("twin")->weights()[0]->identity() == base.get_layer("encode")->weights()[0]->identity());
  CHECK(other.get_layer("twin")->weights()[0]->path == "twin/kernel");
  CHECK(names(base) == Names{"right", "left", "encode", "join", "score"});
  CHECK(names(rename(chain(), {{"conv", "pool"}, {"pool", "conv"}})) == Names{"image", "pool", "conv", "predictions"});
}

TEST_CASE("operations without state are renamed and removed like layers") {
  auto x = Input({3}, {.name = "x"});
  const Model base(x, ops::square(x) * 3.0);
  const std::string square = base.layer().graph().operations()[1]->name();
  const Model other = rename(base, {{square, "twice"}});
  CHECK(other.layer().graph().operations()[1]->name() == "twice");
  CHECK(predict(other) == predict(base));
  CHECK(predict(remove(base, square), Array::of<float>({1, 3}, {1, 2, 3})) == std::vector<double>{3, 6, 9});
  CHECK_THROWS_WITH_AS(freeze(base, square), doctest::Contains("has no weights"), UsageError);
}

TEST_CASE("rename refuses names that are taken or cannot be") {
  CHECK_THROWS_WITH_AS(rename(chain(), {{"conv", "pool"}}),
                       "rename: The name \"pool\" is used 2 times in the model. All operation names should be unique.",
                       UsageError);
  CHECK_THROWS_WITH_AS(rename(chain(), {{"conv", "a/b"}}), "rename: 'a/b' cannot be the name of a layer", UsageError);
}

TEST_CASE("freeze and unfreeze change who is trained in the new model alone") {
  const Model base = chain();
  const Model cold = freeze(base, {"conv", "pool"});
  CHECK(cold.trainable_weights().size() == 2);
  CHECK(base.trainable_weights().size() == 6);
  CHECK(predict(cold) == predict(base));
  base.get_layer("conv")->weights()[0]->assign(Array::zeros({3, 4}, DType::f32));
  CHECK(predict(cold) == predict(base));  // the same weights still
  CHECK(unfreeze(cold, "pool").trainable_weights().size() == 4);
  CHECK_THROWS_WITH_AS(freeze(base, "image"), "freeze: InputLayer 'image' has no weights", UsageError);
}

TEST_CASE("layers of nested models are reached by their paths") {
  const Model base = nested();
  const Model other = replace_layer(base, "inner/deep", Dense(3, {.name = "deeper"}));
  CHECK(names(other) == Names{"x", "inner", "head"});
  CHECK(std::dynamic_pointer_cast<ModelLayer>(other.get_layer("inner"))->get_layer("deeper") != nullptr);
  CHECK(other.get_layer("head") == base.get_layer("head"));
  CHECK(freeze(base, "inner/deep").trainable_weights().size() == 2);
  CHECK(freeze(base, "inner").trainable_weights().size() == 2);
  CHECK(base.trainable_weights().size() == 4);
  CHECK_THROWS_WITH_AS(replace_layer(base, "head/deep", Dense(3)),
                       "replace_layer: Dense 'head' is not a model, it has no layer 'deep'", UsageError);
  CHECK_THROWS_WITH_AS(
      replace_layer(base, "inner/deep", Dense(9, {.name = "wide"})),
      doctest::Contains("replace_layer: Dense 'head' cannot take the output (None, 9) of Functional 'inner': "),
      UsageError);
  CHECK(names(remove(base, "inner")) == Names{"x", "head"});
}

TEST_CASE("a Sequential stays one, built or not") {
  const Sequential built(Input({3}, {.name = "x"}),
                         {Dense(4, {.name = "a"}), Dense(4, {.name = "b"}), Dense(2, {.name = "c"})}, {.name = "s"});
  const Model odd = replace_layer(built, "c", Dense(5, {.name = "d"}));
  CHECK(odd.layer().class_name() == "Sequential");
  CHECK(names(odd) == Names{"a", "b", "d"});
  CHECK(names(remove(built, "b")) == Names{"a", "c"});
  CHECK(names(insert_after(built, "x", Dense(3, {.name = "zero"}))) == Names{"zero", "a", "b", "c"});
  CHECK(freeze(built, "a").trainable_weights().size() == 4);
  CHECK(rename(built, {{"x", "image"}}).inputs()[0].name() == "image");
  CHECK(names(extract(built, "b", "c")) == Names{"b_input", "b", "c"});
  CHECK_THROWS_WITH_AS(replace_layer(built, "b", Dense(9, {.name = "n"})),
                       doctest::Contains("replace_layer: Dense 'c' cannot take the output (None, 9) of Dense 'n': "),
                       UsageError);
  CHECK_THROWS_WITH_AS(
      remove(built, "a"),
      doctest::Contains("remove: Dense 'b' cannot take the input (None, 3) of Dense 'a', which was removed: "),
      UsageError);

  const Sequential deferred({Dense(4, {.name = "a"}), Dense(2, {.name = "b"})}, {.name = "later"});
  CHECK(names(insert_after(deferred, "a", Dense(3, {.name = "n"}))) == Names{"a", "n", "b"});
  CHECK_THROWS_WITH_AS(extract(deferred, "a", "b"), doctest::Contains("has not been built yet"), UsageError);
}

TEST_CASE("masks and call arguments go where they went") {
  auto x = Input({2, 3}, {.name = "x"}), state = Input({4}, {.name = "state"});
  auto m = Masking(LayerOptions{.name = "mask"})(x);
  auto y =
      GRU(4, LayerOptions{.name = "gru"})(Dense(3, {.name = "d"})(m), {.initial_state = {state}, .training = false});
  const Model base({x, state}, y, {.name = "masked"});
  const Model other = replace_layer(base, "d", Dense(3, {.name = "e"}));
  const auto node = other.layer().graph().nodes_of(*other.get_layer("gru"))[0];
  CHECK(node->arguments.find("training") != nullptr);
  REQUIRE(node->arguments.tensors().size() == 2);
  CHECK(node->arguments.tensors()[0].masked());
  CHECK(node->arguments.tensors()[1].name() == "state");
  const Model plain = remove(base, "mask");
  CHECK_FALSE(plain.layer().graph().nodes_of(*plain.get_layer("gru"))[0]->arguments.tensors()[0].masked());
  CHECK(names(extract(base, "gru", "gru")) == Names{"gru_input_0", "gru_input_1", "gru"});
  CHECK_THROWS_WITH_AS(remove(base, "gru"),
                       "remove: GRU 'gru' has 2 inputs and 1 outputs; a layer with one of each can be removed",
                       UsageError);
  CHECK_THROWS_WITH_AS(replace_layer(base, "gru", Dense(4, {.name = "n"})),
                       doctest::Contains("call has no argument 'initial_state'"), UsageError);
}

}  // namespace
}  // namespace ramet
