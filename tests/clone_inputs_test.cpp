// What a clone begins with: arrays it carries, flags it keeps, and how it was compiled.
#include <doctest/doctest.h>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

const InputLayer& input_layer(const Model& model, std::size_t i) {
  return static_cast<const InputLayer&>(*model.inputs()[i].node()->operation);
}

Array counted(Shape shape) {
  Array out(std::move(shape));
  for (std::int64_t i = 0; i < out.size(); ++i)
    out.data<float>()[static_cast<std::size_t>(i)] = 0.25f * static_cast<float>(i);
  return out;
}

Model two_inputs() {
  const auto a = Input({3}, {.name = "a"}), b = Input({3}, {.name = "b"});
  return Model({a, b}, Dense(2, {}, {.name = "d"})(Add()({a, b})));
}

}  // namespace

TEST_CASE("clone: an array as an input tensor is carried and need not be fed") {
  const Model model = two_inputs();
  const Array a = counted({4, 3}), b = counted({4, 3});
  const Array want = model.predict({a, b});

  const Model all = clone_model(model, {.input_tensors = {a, b}, .weights = Weights::copy});
  CHECK(all.inputs()[0].name() == "input_wrapper_for_a");
  CHECK(all.inputs()[1].name() == "input_wrapper_for_b");
  CHECK(Array(all.predict(Feed{})).to_doubles() == want.to_doubles());

  const Model half =
      clone_model(model, {.input_tensors = {Input({3}, {.name = "fresh"}), b}, .weights = Weights::copy});
  CHECK(Array(half.predict(a)).to_doubles() == want.to_doubles());
  CHECK(Array(half.predict({{"fresh", a}})).to_doubles() == want.to_doubles());

  // What is fed all the same wins.
  const Array other = model.predict({a, a});
  CHECK(Array(half.predict({a, a})).to_doubles() == other.to_doubles());
  CHECK_THROWS_WITH_AS(half.predict({a, a, a}), doctest::Contains("expects 1 input(s), but it received 3"), UsageError);
  CHECK_THROWS_WITH_AS(half.predict(counted({5, 3})), doctest::Contains("cardinality"), UsageError);
  CHECK_THROWS_WITH_AS(two_inputs().predict(Feed{}), doctest::Contains("no input data"), UsageError);
}

TEST_CASE("clone: a Sequential takes one array") {
  const Model model = Sequential({Dense(2)});
  const Array x = counted({4, 3});
  const Array want = model.predict(x);
  const Model twin = clone_model(model, {.input_tensors = {x}, .weights = Weights::copy});
  CHECK(Array(twin.predict(Feed{})).to_doubles() == want.to_doubles());
}

TEST_CASE("clone: batch size, dtype and the sparse flag of an input are kept") {
  const auto in = Input({3}, {.batch_size = 4, .dtype = "int32", .sparse = true, .name = "i"});
  const Model model(in, Embedding(10, 2)(in));
  const Model twin = clone_model(model);
  CHECK(input_layer(twin, 0).config().sparse);
  CHECK(twin.inputs()[0].shape() == Shape{4, 3});
  CHECK(twin.inputs()[0].dtype() == DType::i32);
}

TEST_CASE("Input: a tensor gives shape and type, and what contradicts it is refused") {
  const auto y = Dense(3)(Input({4}));
  const Tensor like = Input({.name = "z", .tensor = y});
  CHECK(like.shape() == Shape{None, 3});
  CHECK(like.name() == "z");
  const Model model(like, Dense(1)(like));  // begins at z: the layers before it are not part of it
  CHECK(model.layers().size() == 2);
  CHECK_THROWS_WITH_AS(Input({.dtype = "int32", .tensor = y}), doctest::Contains("incompatible `dtype`"), UsageError);
  CHECK_THROWS_WITH_AS(Input({5}, {.tensor = y}), doctest::Contains("incompatible `shape`"), UsageError);
  CHECK_THROWS_WITH_AS(Input({.batch_size = 5, .tensor = y}), doctest::Contains("incompatible `batch_size`"),
                       UsageError);
  CHECK_THROWS_WITH_AS(Input({.tensor = Array::scalar(1)}), doctest::Contains("needs a batch axis"), UsageError);
}

TEST_CASE("clone: compiled as the source, with the optimizer's state when the weights come along") {
  const Array x = counted({8, 3}), y = counted({8, 2});
  Model model = two_inputs();
  model.compile({.optimizer = Adam(0.125), .loss = "mse", .metrics = {"mae"}});
  model.train_on_batch({x, x}, y);

  CHECK_FALSE(clone_model(model).compiled());
  Model fresh = clone_model(model, {.compile = true});
  CHECK(fresh.compiled());
  CHECK(fresh.optimizer_variables()[0]->value().item() == 0);

  Model copy = clone_model(model, {.weights = Weights::copy, .compile = true});
  CHECK(copy.optimizer_variables()[0]->value().item() == 1);
  model.train_on_batch({x, x}, y), copy.train_on_batch({x, x}, y);
  for (std::size_t i = 0; i < model.get_weights().size(); ++i)
    CHECK(model.get_weights()[i].to_doubles() == copy.get_weights()[i].to_doubles());
  copy.train_on_batch({x, x}, y);  // and separate from then on
  CHECK(copy.optimizer_variables()[0]->value().item() == 3);
  CHECK(model.optimizer_variables()[0]->value().item() == 2);
}
