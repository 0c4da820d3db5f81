// How layers are written in C++: what a Keras user types, with braces.
#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "ramet/layers/layers.h"

using namespace ramet;

TEST_CASE("arguments by position and by name") {
  const Tensor image = Input({8, 8, 3});
  CHECK(to_string(Conv2D(32, 3, {.activation = "relu"})(image).shape()) == "(None, 6, 6, 32)");
  CHECK(to_string(Conv2D(32, {3, 5})(image).shape()) == "(None, 6, 4, 32)");
  CHECK(to_string(Conv2D(32, {3, 5}, {.padding = "same"}, {.name = "x"})(image).shape()) == "(None, 8, 8, 32)");
  CHECK(to_string(Conv2D({.filters = 4, .kernel_size = {1, 2}})(image).shape()) == "(None, 8, 7, 4)");
  CHECK(Conv2D(32, 3, {.name = "stem"})->name() == "stem");
  CHECK(to_string(MaxPooling2D(2)(image).shape()) == "(None, 4, 4, 3)");
  CHECK(to_string(MaxPooling2D()(image).shape()) == "(None, 4, 4, 3)");
  CHECK(to_string(MaxPooling2D({2, 4})(image).shape()) == "(None, 4, 2, 3)");
  CHECK(to_string(MaxPooling2D({.pool_size = 3, .strides = 1})(image).shape()) == "(None, 6, 6, 3)");
  CHECK(to_string(ZeroPadding2D({{1, 2}, {3, 4}})(image).shape()) == "(None, 11, 15, 3)");
  CHECK(to_string(ZeroPadding2D({1, 2})(image).shape()) == "(None, 10, 12, 3)");
  CHECK(to_string(ZeroPadding2D()(image).shape()) == "(None, 10, 10, 3)");
  CHECK(to_string(Cropping2D({{1, 2}, {3, 4}})(image).shape()) == "(None, 5, 1, 3)");
  CHECK(to_string(UpSampling2D({2, 3})(image).shape()) == "(None, 16, 24, 3)");
  CHECK(to_string(Flatten()(image).shape()) == "(None, 192)");
  CHECK(to_string(Reshape({4, 48})(image).shape()) == "(None, 4, 48)");
  CHECK(to_string(Reshape({-1, 2})(image).shape()) == "(None, 96, 2)");
  CHECK(to_string(Permute({3, 1, 2})(image).shape()) == "(None, 3, 8, 8)");
  CHECK(to_string(GlobalAveragePooling2D()(image).shape()) == "(None, 3)");
  CHECK(to_string(GlobalMaxPooling2D({.keepdims = true})(image).shape()) == "(None, 1, 1, 3)");
  CHECK(Dropout(0.25, {.name = "d"})->name() == "d");
  CHECK(Dropout(0)->config().rate == 0);
  CHECK(Rescaling(1.0 / 255)->config().scale.values()[0] == 1.0 / 255);
  CHECK(Rescaling({0.5, 0.25, 2}, {.offset = -1.0})->config().scale.values().size() == 3);
  CHECK(Dot(1, {.normalize = true})->config().normalize);
  CHECK(Dot({1, 2})->config().axes.values() == std::vector<std::int64_t>{1, 2});
  CHECK_FALSE(ReLU()->config().max_value);
  CHECK(ReLU(6.0)->config().max_value == 6.0);
  CHECK(Activation("relu")->config().activation.name() == "relu");
  CHECK(to_string((image | Activation("tanh") | Softmax()).shape()) == "(None, 8, 8, 3)");
  CHECK(Embedding(100, 8, {.mask_zero = true})(Input({5}, {.dtype = "int32"})).masked());
}

TEST_CASE("merges take lists") {
  const Tensor a = Input({8}), b = Input({8});
  CHECK(to_string(Concatenate()({a, b}).shape()) == "(None, 16)");
  CHECK(to_string(Concatenate({.axis = 1})({a, b}).shape()) == "(None, 16)");
  CHECK(Concatenate({}, {.name = "c"})->name() == "c");
  CHECK(Add({.name = "sum"})->name() == "sum");
  CHECK(to_string(add({a, b}).shape()) == "(None, 8)");
  CHECK(to_string(multiply({a, b, a}).shape()) == "(None, 8)");
  CHECK(to_string(concatenate({a, b}, {.axis = -1}).shape()) == "(None, 16)");
  CHECK(to_string(dot({a, b}, 1).shape()) == "(None, 1)");
}
