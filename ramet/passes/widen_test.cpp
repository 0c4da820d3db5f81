// widen by text: where brain floats become floats.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

TEST_CASE("widen: a program without brain floats stays as it is") {
  CHECK(after(passes::widen, R"(program(%0 "x" : f32[4]) {
    %1 = exp(%0) : f32[4]
    return %1 "y"
  })") == "unchanged");
}

TEST_CASE("widen: an op computes in float32 and its result is rounded") {
  CHECK(after(passes::widen, R"(program(%0 "x" : bf16[4], %1 "z" : bf16[4]) {
    %2 = mul(%0, %1) : bf16[4]
    %3 = exp(%2) : bf16[4]
    return %3 "y"
  })") == written(R"(program(%0 "x" : bf16[4], %1 "z" : bf16[4]) {
    %2 = cast(%0) {"dtype": "float32"} : f32[4]
    %3 = cast(%1) {"dtype": "float32"} : f32[4]
    %4 = mul(%2, %3) : f32[4]
    %5 = cast(%4) {"dtype": "bfloat16"} : bf16[4]
    %6 = cast(%5) {"dtype": "float32"} : f32[4]
    %7 = exp(%6) : f32[4]
    %8 = cast(%7) {"dtype": "bfloat16"} : bf16[4]
    return %8 "y"
  })"));
}

TEST_CASE("widen: elements that only move stay brain floats") {
  const char* text = R"(program(%0 "x" : bf16[2, 3]) {
    %1 = transpose(%0) {"axes": [1, 0]} : bf16[3, 2]
    %2 = reshape(%1) {"shape": [6]} : bf16[6]
    return %2 "y"
  })";
  CHECK(after(passes::widen, text) == written(text));
}

TEST_CASE("widen: zeros around an image are float32 for the convolution that reads them") {
  CHECK(after(passes::widen, R"(program(%0 "x" : bf16[4]) {
    %1 = pad(%0) {"before": [1], "after": [2], "inside": [0]} : bf16[7]
    %2 = exp(%1) : bf16[7]
    return %2 "y"
  })") == written(R"(program(%0 "x" : bf16[4]) {
    %1 = cast(%0) {"dtype": "float32"} : f32[4]
    %2 = pad(%1) {"before": [1], "after": [2], "inside": [0]} : f32[7]
    %3 = cast(%2) {"dtype": "bfloat16"} : bf16[7]
    %4 = exp(%2) : f32[7]
    %5 = cast(%4) {"dtype": "bfloat16"} : bf16[7]
    return %5 "y"
  })"));
}

TEST_CASE("recompute: what two products read stays in brain floats between them") {
  CHECK(after(passes::recompute, R"(program(%0 "x" : bf16[4, 4], %1 "w" : f32[4, 4]) {
    %2 = cast(%0) {"dtype": "float32"} : f32[4, 4]
    %3 = matmul(%2, %1) {"transpose_a": false, "transpose_b": false} : f32[4, 4]
    %4 = matmul(%3, %2) {"transpose_a": false, "transpose_b": false} : f32[4, 4]
    return %4 "y"
  })") == written(R"(program(%0 "x" : bf16[4, 4], %1 "w" : f32[4, 4]) {
    %2 = cast(%0) {"dtype": "float32"} : f32[4, 4]
    %3 = matmul(%2, %1) {"transpose_a": false, "transpose_b": false} : f32[4, 4]
    %4 = cast(%0) {"dtype": "float32"} : f32[4, 4]
    %5 = matmul(%3, %4) {"transpose_a": false, "transpose_b": false} : f32[4, 4]
    return %5 "y"
  })"));
}

TEST_CASE("widen: other types are reached through float32") {
  CHECK(after(passes::widen, R"(program(%0 "x" : bf16[4], %1 "n" : i32[4]) {
    %2 = cast(%0) {"dtype": "int32"} : i32[4]
    %3 = cast(%1) {"dtype": "bfloat16"} : bf16[4]
    return %2 "i", %3 "b"
  })") == written(R"(program(%0 "x" : bf16[4], %1 "n" : i32[4]) {
    %2 = cast(%0) {"dtype": "float32"} : f32[4]
    %3 = cast(%2) {"dtype": "int32"} : i32[4]
    %4 = cast(%1) {"dtype": "float32"} : f32[4]
    %5 = cast(%4) {"dtype": "bfloat16"} : bf16[4]
    return %3 "i", %5 "b"
  })"));
}

TEST_CASE("linear: fixed weights of brain floats are read as they are, others are widened") {
  const char* text = R"(program(%0 "x" : f32[1, 3], state %1 "w" : f32[3, 8]) {
    %2 = cast(%1) {"dtype": "bfloat16"} : bf16[3, 8]
    %3 = cast(%2) {"dtype": "float32"} : f32[3, 8]
    %4 = matmul(%0, %3) {"transpose_a": false, "transpose_b": false} : f32[1, 8]
    return %4 "y"
  })";
  CHECK(after(passes::linear, text) == "unchanged");
  CHECK(after(passes::linear, text, {.frozen_state = true, .skip = {}}) ==
        written(R"(program(%0 "x" : f32[1, 3], state %1 "w" : f32[3, 8]) {
    %2 = cast(%1) {"dtype": "bfloat16"} : bf16[3, 8]
    %3 = cast(%2) {"dtype": "float32"} : f32[3, 8]
    %4 = linear(%0, %2) {"transpose_a": false, "transpose_b": false, "bias": false, "residual": false, "activation": "linear"} : f32[1, 8]
    return %4 "y"
  })"));
}

TEST_CASE("widen: cannot be left out, for kernels count on it") {
  const auto program = [] {
    return parse_program(R"(program(%0 "x" : bf16[3]) {
      %1 = square(%0) : bf16[3]
      return %1 "y"
    })",
                         ops::find_op);
  };
  CHECK(optimize(program(), {.skip = {"widen", "cluster"}})->instrs().size() == 3);
  CHECK(lower(program())->instrs().size() == 3);
}
