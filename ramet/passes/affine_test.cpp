// affine by text: factors and shifts per channel go into fixed weights.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

namespace {

constexpr const char* kNormalized =
    R"(program(%0 "x" : f32[2, 3], state %1 "w" : f32[3, 4], state %2 "m" : f32[1, 4], state %3 "f" : f32[1, 4], state %4 "s" : f32[4]) {
    %5 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %6 = sub(%5, %2) : f32[2, 4]
    %7 = mul(%6, %3) : f32[2, 4]
    %8 = add(%7, %4) : f32[2, 4]
    return %8 "y"
  })";

}  // namespace

TEST_CASE("affine: normalization with fixed statistics becomes weights and one bias") {
  CHECK(
      after(passes::affine, kNormalized, {.frozen_state = true, .skip = {}}) ==
      written(
          R"(program(%0 "x" : f32[2, 3], state %1 "w" : f32[3, 4], state %2 "m" : f32[1, 4], state %3 "f" : f32[1, 4], state %4 "s" : f32[4]) {
    %5 = reshape(%2) {"shape": [4]} : f32[4]
    %6 = neg(%5) : f32[4]
    %7 = reshape(%3) {"shape": [4]} : f32[4]
    %8 = mul(%6, %7) : f32[4]
    %9 = add(%8, %4) : f32[4]
    %10 = mul(%1, %7) : f32[3, 4]
    %11 = matmul(%0, %10) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %12 = add(%11, %9) : f32[2, 4]
    return %12 "y"
  })"));
}

TEST_CASE("affine: nothing is folded where state changes between runs") {
  CHECK(after(passes::affine, kNormalized) == "unchanged");
  CHECK(after(passes::affine, R"(program(%0 "x" : f32[2, 3], %1 "w" : f32[3, 4], state %2 "f" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = mul(%3, %2) : f32[2, 4]
    return %4 "y"
  })",
              {.frozen_state = true, .skip = {}}) == "unchanged");
}

TEST_CASE("affine: a bias alone, a factor per row and a value that is read twice are left alone") {
  const PassOptions frozen{.frozen_state = true, .skip = {}};
  CHECK(after(passes::affine, R"(program(%0 "x" : f32[2, 3], state %1 "w" : f32[3, 4], state %2 "b" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = add(%3, %2) : f32[2, 4]
    return %4 "y"
  })",
              frozen) == "unchanged");
  CHECK(after(passes::affine, R"(program(%0 "x" : f32[2, 3], state %1 "w" : f32[3, 4], state %2 "f" : f32[2, 1]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = mul(%3, %2) : f32[2, 4]
    return %4 "y"
  })",
              frozen) == "unchanged");
  CHECK(after(passes::affine, R"(program(%0 "x" : f32[2, 3], state %1 "w" : f32[3, 4], state %2 "f" : f32[4]) {
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[2, 4]
    %4 = mul(%3, %2) : f32[2, 4]
    return %3 "z", %4 "y"
  })",
              frozen) == "unchanged");
}

TEST_CASE("affine: a number for all channels, and a transposed right factor") {
  const std::string text = after(passes::affine, R"(program(%0 "x" : f32[2, 3], state %1 "w" : f32[4, 3]) {
    %2 = matmul(%0, %1) {"transpose_a": false, "transpose_b": true} : f32[2, 4]
    %3 = constant() {"dtype": "float32", "shape": [], "data": [2.0]} : f32[]
    %4 = mul(%2, %3) : f32[2, 4]
    return %4 "y"
  })",
                                 {.frozen_state = true, .skip = {}});
  CHECK(text.find("mul(%1, %") != std::string::npos);
  CHECK(text.find(": f32[4, 1]") != std::string::npos);
}
