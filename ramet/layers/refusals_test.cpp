// What layers refuse, and in which words.
#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "ramet/layers/layers.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

LayerOptions called(const char* name) { return {.name = name}; }

Json with(const char* class_name, JsonObject config) {
  return Json(JsonObject{{"class_name", Json(class_name)}, {"config", Json(std::move(config))}});
}

}  // namespace

TEST_CASE("refused arguments are named") {
  CHECK_THROWS_WITH_AS(
      Conv2D(0, 3),
      "Conv2D: Invalid value for argument `filters`. Expected a strictly positive value. Received filters=0.",
      UsageError);
  CHECK_THROWS_WITH_AS(
      Conv2D(4, {3, 3, 3}),
      "Conv2D: The `kernel_size` argument must be a tuple of 2 integers. Received kernel_size=(3, 3, 3)", UsageError);
  CHECK_THROWS_WITH_AS(Conv2D(4, {0, 3}),
                       "Conv2D: The `kernel_size` argument must be a tuple of 2 integers. Received kernel_size=(0, 3), "
                       "including values {0} that do not satisfy `value > 0`",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      Conv2D(4, 3, {.groups = 3}),
      "Conv2D: The number of filters must be evenly divisible by the number of groups. Received: groups=3, filters=4.",
      UsageError);
  CHECK_THROWS_WITH_AS(Conv2D(4, 3, {.strides = 2, .dilation_rate = 2}),
                       "Conv2D: `strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                       "strides=(2, 2) and dilation_rate=(2, 2)",
                       UsageError);
  CHECK_THROWS_WITH_AS(Conv1D(4, 3, {.padding = "causal", .data_format = "channels_first"}),
                       "Conv1D: When using `padding = \"causal\"`, the input data format should be `channels_last`. "
                       "Received: data_format=channels_first",
                       UsageError);
  CHECK_THROWS_WITH_AS(DepthwiseConv2D(3, {.depth_multiplier = 0}),
                       "DepthwiseConv2D: Invalid value for argument `depth_multiplier`. Expected a strictly positive "
                       "value. Received depth_multiplier=0.",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      Conv2DTranspose(4, 3, {.strides = 2, .output_padding = 2}),
      "Conv2DTranspose: `output_padding` must be strictly less than `strides` for all dimensions. At dimension 0, "
      "`output_padding` is 2 but `strides` is 2. Received: output_padding=(2, 2), strides=(2, 2)",
      UsageError);
  CHECK_THROWS_WITH_AS(
      Dropout(1.5),
      "Dropout: Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate=1.5",
      UsageError);
  CHECK_THROWS_WITH_AS(GaussianNoise(2),
                       "GaussianNoise: Invalid value received for argument `stddev`. Expected a float value between 0 "
                       "and 1. Received: stddev=2",
                       UsageError);
  CHECK_THROWS_WITH_AS(Embedding(0, 4), "Embedding: `input_dim` must be a positive integer. Received: input_dim=0",
                       UsageError);
  CHECK_THROWS_WITH_AS(Embedding(4, -1), "Embedding: `output_dim` must be a positive integer. Received: output_dim=-1",
                       UsageError);
  CHECK_THROWS_WITH_AS(RepeatVector(0), "RepeatVector: Argument `n` should be a positive integer. Received: n=0",
                       UsageError);
  CHECK_THROWS_WITH_AS(Reshape({-1, -1}),
                       "Reshape: There must be at most one unknown dimension (-1) in `target_shape`. Received: "
                       "target_shape=(None, None).",
                       UsageError);
  CHECK_THROWS_WITH_AS(Permute({2, 3}),
                       "Permute: Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` "
                       "must be consecutive and start from 1. Received dims=(2, 3)",
                       UsageError);
  CHECK_THROWS_WITH_AS(ReLU(-1.0), "ReLU: max_value of a ReLU layer cannot be a negative value. Received: max_value=-1",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      Dot({1, 2, 3}),
      "Dot: Invalid format for argument `axes`: it should contain two elements. Received: axes=(1, 2, 3)", UsageError);
  CHECK_THROWS_WITH_AS(Cropping2D({-1, 0}),
                       "Cropping2D: `cropping` cannot be negative. Received: cropping=[[-1, -1], [0, 0]].", UsageError);
  CHECK_THROWS_WITH_AS(UpSampling2D(2, {.interpolation = "bicubic"}),
                       "UpSampling2D: interpolation 'bicubic' is not supported; use 'nearest' or 'bilinear'",
                       UsageError);
  CHECK_THROWS_WITH_AS(BatchNormalization({.renorm = true}), "BatchNormalization: `renorm` is not supported",
                       UsageError);
  CHECK_THROWS_AS(BatchNormalization({.synchronized = true}), UsageError);
  CHECK_THROWS_WITH_AS(GroupNormalization(0),
                       "GroupNormalization: Received an invalid value for argument `groups`, expected a positive "
                       "integer (or `-1` for instance normalization). Received: groups=0",
                       UsageError);
}

TEST_CASE("arguments of Keras that we do not have are refused by name when they are on") {
  CHECK_THROWS_WITH_AS(deserialize_layer(with("Conv2D", {{"filters", 4}, {"kernel_size", 3}, {"lora_rank", 2}})),
                       "Conv2D: the argument 'lora_rank' = 2 is not supported", DataError);
  CHECK_THROWS_WITH_AS(deserialize_layer(with("Embedding", {{"input_dim", 4}, {"output_dim", 3}, {"lora_rank", 2}})),
                       "Embedding: the argument 'lora_rank' = 2 is not supported", DataError);
  CHECK_NOTHROW(
      deserialize_layer(with("Embedding", {{"input_dim", 4}, {"output_dim", 3}, {"quantization_config", nullptr}})));
  CHECK_THROWS_WITH_AS(deserialize_layer(with("Conv2D", {{"filters", 4}, {"kernel_size", 3}, {"padding", "causal"}})),
                       "Conv2D: unknown padding 'causal'; use one of 'valid', 'same'", UsageError);
}

TEST_CASE("inputs of a wrong rank or size are refused") {
  CHECK_THROWS_WITH_AS(Conv2D(4, 3, called("c"))(Input({8, 3})),
                       "Input 0 of layer 'c' is incompatible with the layer: expected min_ndim=4, "
                       "found ndim=3. Full shape received: (None, 8, 3)",
                       UsageError);
  CHECK_THROWS_WITH_AS(MaxPooling2D(2, called("p"))(Input({8, 3})),
                       "Input 0 of layer 'p' is incompatible with the layer: expected ndim=4, found "
                       "ndim=3. Full shape received: (None, 8, 3)",
                       UsageError);
  CHECK_THROWS_WITH_AS(Conv2D(4, 3, called("c"))(Input({2, 2, 3})),
                       "Conv2D 'c': Computed output size would be zero or negative. Received `inputs shape=(None, 2, "
                       "2, 3)`, `kernel_size=(3, 3)`, `dilation_rate=(1, 1)`, `strides=(1, 1)`, `padding=valid`; use "
                       "padding = \"same\" or a larger input",
                       UsageError);
  CHECK_THROWS_AS(MaxPooling1D(4)(Input({3, 2})), UsageError);
  CHECK_THROWS_WITH_AS(Conv2D(4, 3, {.groups = 2}, called("c"))(Input({8, 8, 3})),
                       "Conv2D 'c': The number of input channels must be evenly divisible by the number of groups. "
                       "Received groups=2, but the input has 3 channels (full input shape is (None, 8, 8, 3)).",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      Reshape({5}, called("r"))(Input({2, 3})),
      "Reshape 'r': The total size of the tensor must be unchanged. Received: input_shape=(2, 3), target_shape=(5,)",
      UsageError);
  CHECK_THROWS_AS(RepeatVector(2)(Input({2, 3})), UsageError);
  CHECK_THROWS_AS(Cropping1D(2)(Input({4, 3})), UsageError);
  CHECK_THROWS_WITH_AS(LayerNormalization({.axis = 3}, called("n"))(Input({4})),
                       "LayerNormalization 'n': Axis 3 is out of bounds for input shape (None, 4). Received: axis=3",
                       UsageError);
  CHECK_THROWS_AS(GroupNormalization(3)(Input({4, 8})), UsageError);
}

TEST_CASE("a built layer refuses other channels") {
  const Conv2D conv(4, 3, called("c"));
  conv(Input({8, 8, 3}));
  CHECK_THROWS_WITH_AS(conv(Input({8, 8, 1})),
                       "Input 0 of layer 'c' is incompatible with the layer: expected axis -1 of "
                       "input shape to have value 3, but received input with shape (None, 8, 8, 1)",
                       UsageError);
  const BatchNormalization bn({}, called("b"));
  bn(Input({4}));
  CHECK_THROWS_AS(bn(Input({5})), UsageError);
}

TEST_CASE("a layer refused at its first call can be called again") {
  const Conv2D conv(4, {3, 3});
  CHECK_THROWS_AS(conv(Input({2, 2, 3})), UsageError);
  CHECK(to_string(conv(Input({8, 8, 1})).shape()) == "(None, 6, 6, 4)");
}

TEST_CASE("merges say which shapes do not go together") {
  const Tensor a = Input({8}), b = Input({7});
  CHECK_THROWS_WITH_AS(Add(called("add_1"))({a, b}),
                       "Add 'add_1': inputs must have the same shape or broadcast: got (None, 8) and (None, 7)",
                       UsageError);
  CHECK_THROWS_WITH_AS(Subtract(called("s"))({a, a, a}),
                       "Subtract 's': A `Subtract` layer should be called on exactly 2 inputs. Received: "
                       "input_shape=[(None, 8), (None, 8), (None, 8)]",
                       UsageError);
  CHECK_THROWS_WITH_AS(Add(called("s"))(a),
                       "Add 's': A merge layer should be called on a list of at least 1 input. Received: "
                       "input_shape=(None, 8) (not a list of shapes)",
                       UsageError);
  CHECK_THROWS_WITH_AS(Concatenate({.axis = 1}, called("c"))({Input({2, 3}), Input({2, 4})}),
                       "Concatenate 'c': A `Concatenate` layer requires inputs with matching shapes except for the "
                       "concatenation axis. Received: input_shape=[(None, 2, 3), (None, 2, 4)]",
                       UsageError);
  CHECK_THROWS_WITH_AS(Dot(1, called("d"))({a, b}),
                       "Dot 'd': Incompatible input shapes: axis values 8 (at axis 1) != 7 (at axis 1). Full input "
                       "shapes: (None, 8), (None, 7)",
                       UsageError);
}

TEST_CASE("an embedding id out of range is the data's fault") {
  const Embedding embedding(3, 2);
  CHECK_THROWS_AS(run_layer(embedding, {.inputs = Array::of<std::int32_t>({2}, {0, 3})}), DataError);
  CHECK_THROWS_AS(run_layer(embedding, {.inputs = Array::of<std::int32_t>({2}, {-1, 0})}), DataError);
}
