// linear by text: products with their bias and activation.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

TEST_CASE("linear: a product takes bias and activation in") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%2, %3) : f32[2, 4]
    %5 = relu(%4) : f32[2, 4]
    return %5 "y"
  })") == written(R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = linear(%0, %1, %2) {"transpose_a": false, "transpose_b": false, "bias": true, "residual": false, "activation": "relu"} : f32[2, 4]
    return %3 "y"
  })"));
}

TEST_CASE("linear: bias alone, activation alone, transposed operands") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[3, 2], %1 "w" : f32[4, 3], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": true, "transpose_b": true} : f32[2, 4]
    %4 = add(%3, %2) : f32[2, 4]
    %5 = exp(%4) : f32[2, 4]
    return %5 "y"
  })") == written(R"(program(%0 "x" : f32[3, 2], %1 "w" : f32[4, 3], %2 "b" : f32[4]) {
    %3 = linear(%0, %1, %2) {"transpose_a": true, "transpose_b": true, "bias": true, "residual": false, "activation": "linear"} : f32[2, 4]
    %4 = exp(%3) : f32[2, 4]
    return %4 "y"
  })"));
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4]) {
    %2 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %3 = tanh(%2) : f32[2, 4]
    return %3 "y"
  })") == written(R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4]) {
    %2 = linear(%0, %1) {"transpose_a": false, "transpose_b": false, "bias": false, "residual": false, "activation": "tanh"} : f32[2, 4]
    return %2 "y"
  })"));
}

TEST_CASE("linear: a convolution does the same") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[1, 5, 2], %1 "w" : f32[3, 2, 4], %2 "b" : f32[4]) {
    %3 = conv(%0, %1) {"strides": [1], "dilation": [1], "pad_before": [1], "pad_after": [1], "groups": 1} : f32[1, 5, 4]
    %4 = add(%3, %2) : f32[1, 5, 4]
    %5 = sigmoid(%4) : f32[1, 5, 4]
    return %5 "y"
  })") == written(R"(program(%0 "x" : f32[1, 5, 2], %1 "w" : f32[3, 2, 4], %2 "b" : f32[4]) {
    %3 = conv_linear(%0, %1, %2) {"strides": [1], "dilation": [1], "pad_before": [1], "pad_after": [1], "groups": 1, "bias": true, "residual": false, "activation": "sigmoid"} : f32[1, 5, 4]
    return %3 "y"
  })"));
}

TEST_CASE("linear: a product that is read twice or is an output is left alone") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%3, %2) : f32[2, 4]
    %5 = mul(%3, %4) : f32[2, 4]
    return %5 "y"
  })") == "unchanged");
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%3, %2) : f32[2, 4]
    return %3 "logits", %4 "y"
  })") == "unchanged");
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], state %2 "s" : f32[2, 4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = relu(%3) : f32[2, 4]
    return %4 "y", %3 -> %2
  })") == "unchanged");
}

TEST_CASE("linear: the sum before the activation is an output: only the bias goes in") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%3, %2) : f32[2, 4]
    %5 = relu(%4) : f32[2, 4]
    return %4 "logits", %5 "y"
  })") == written(R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = linear(%0, %1, %2) {"transpose_a": false, "transpose_b": false, "bias": true, "residual": false, "activation": "linear"} : f32[2, 4]
    %4 = relu(%3) : f32[2, 4]
    return %3 "logits", %4 "y"
  })"));
}

TEST_CASE("linear: what is no bias, no float32 or no matrix is left alone") {
  // A summand per row.
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "c" : f32[2, 1]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%3, %2) : f32[2, 4]
    return %4 "y"
  })") == "unchanged");
  CHECK(after(passes::linear, R"(program(%0 "x" : f64[2, 3], %1 "w" : f64[3, 4], %2 "b" : f64[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f64[2, 4]
    %4 = add(%3, %2) : f64[2, 4]
    return %4 "y"
  })") == "unchanged");
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[5, 2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[5, 2, 4]
    %4 = add(%3, %2) : f32[5, 2, 4]
    return %4 "y"
  })") == "unchanged");
}

TEST_CASE("linear: a sum that broadcasts the product to another shape, or on another device, is left alone") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 1], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 1]
    %4 = add(%3, %2) : f32[2, 4]
    return %4 "y"
  })") == "unchanged");
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%3, %2) @cpu:1 : f32[2, 4]
    return %4 "y"
  })") == "unchanged");
}

TEST_CASE("linear: of two products that are added, the later takes the sum and the activation in") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "v" : f32[3, 4], %3 "b" : f32[4]) {
    %4 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %5 = matmul(%0, %2) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %6 = add(%5, %3) : f32[2, 4]
    %7 = add(%4, %6) : f32[2, 4]
    %8 = relu(%7) : f32[2, 4]
    return %8 "y"
  })") == written(R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], %2 "v" : f32[3, 4], %3 "b" : f32[4]) {
    %4 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %5 = linear(%0, %2, %3, %4) {"transpose_a": false, "transpose_b": false, "bias": true, "residual": true, "activation": "relu"} : f32[2, 4]
    return %5 "y"
  })"));
}

TEST_CASE("linear: a product added to itself is left alone") {
  CHECK(after(passes::linear, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4]) {
    %2 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %3 = add(%2, %2) : f32[2, 4]
    return %3 "y"
  })") == "unchanged");
}

TEST_CASE("linear: relu capped at six is one activation, at another number it is not") {
  const auto capped = [](const char* at) {
    return cat(R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4]) {
    %2 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %3 = relu(%2) : f32[2, 4]
    %4 = constant() {"dtype": "float32", "shape": [], "data": [)",
               at, R"(]} : f32[]
    %5 = minimum(%3, %4) : f32[2, 4]
    return %5 "y"
  })");
  };
  CHECK(after(passes::linear, capped("6.0")).find("\"activation\": \"relu6\"") != std::string::npos);
  CHECK(after(passes::linear, capped("5.0")).find("\"activation\": \"relu\"") != std::string::npos);
}
