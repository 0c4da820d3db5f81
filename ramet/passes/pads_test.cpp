// pads by text: zeros around an image become a convolution's or a pooling's own.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

namespace {

std::string convolved(const std::string& pad) {
  return after(passes::pads, cat(R"(program(%0 "x" : f32[1, 4, 2], %1 "w" : f32[3, 2, 5]) {
    %2 = pad(%0) )",
                                 pad, R"(
    %3 = conv(%2, %1) {"strides": [2], "dilation": [1], "pad_before": [1], "pad_after": [0], "groups": 1} : f32[1, 3, 5]
    return %3 "y"
  })"));
}

// Of 4 elements with 1 zero before and 2 behind them.
std::string pooled(const std::string& function, int window, const std::string& also = "") {
  return after(passes::pads, cat(R"(program(%0 "x" : f32[1, 4, 2]) {
    %1 = )",
                                 function, R"((%0) : f32[1, 4, 2]
    %2 = pad(%1) {"before": [0, 1, 0], "after": [0, 2, 0], "inside": [0, 0, 0]} : f32[1, 7, 2]
    %3 = max_pool(%2) {"window": [)",
                                 window, R"(], "strides": [2], "pad_before": [0], "pad_after": [0]} : f32[1, 3, 2]
    return %3 "y")",
                                 also, "}"));
}

}  // namespace

TEST_CASE("pads: a convolution pads by itself") {
  const std::string text =
      convolved(R"({"before": [0, 1, 0], "after": [0, 2, 0], "inside": [0, 0, 0]} : f32[1, 7, 2])");
  CHECK(text.find(R"(conv(%0, %1) {"strides": [2], "dilation": [1], "pad_before": [2], "pad_after": [2])") !=
        std::string::npos);
}

TEST_CASE("pads: zeros between the elements stay an instruction") {
  CHECK(convolved(R"({"before": [0, 0, 0], "after": [0, 0, 0], "inside": [0, 1, 0]} : f32[1, 7, 2])") == "unchanged");
}

TEST_CASE("pads: the gradients of a padded convolution never see the padded image") {
  const std::string text =
      after(passes::pads, R"(program(%0 "x" : f32[1, 4, 2], %1 "w" : f32[3, 2, 5], %2 "dy" : f32[1, 4, 5]) {
    %3 = pad(%0) {"before": [0, 1, 0], "after": [0, 1, 0], "inside": [0, 0, 0]} : f32[1, 6, 2]
    %4 = conv_kernel_grad(%3, %2) {"shape": [3, 2, 5], "strides": [1], "dilation": [1], "pad_before": [0], "groups": 1} : f32[3, 2, 5]
    %5 = conv_input_grad(%2, %1) {"shape": [1, 6, 2], "strides": [1], "dilation": [1], "pad_before": [0], "groups": 1} : f32[1, 6, 2]
    %6 = slice(%5) {"begin": [0, 1, 0], "end": [1, 5, 2], "step": [1, 1, 1]} : f32[1, 4, 2]
    return %4 "dw", %6 "dx"
  })");
  CHECK(text.find(
            R"(conv_kernel_grad(%0, %2) {"shape": [3, 2, 5], "strides": [1], "dilation": [1], "pad_before": [1])") !=
        std::string::npos);
  CHECK(text.find(R"({"shape": [1, 4, 2], "strides": [1], "dilation": [1], "pad_before": [1], "groups": 1})") !=
        std::string::npos);
}

TEST_CASE("pads: max pooling of a relu pads by itself, where every window sees the image and nobody else the zeros") {
  CHECK(pooled("relu", 3).find(
            R"(max_pool(%1) {"window": [3], "strides": [2], "pad_before": [1], "pad_after": [2]} : f32[1, 3, 2])") !=
        std::string::npos);
  CHECK(pooled("relu", 2) == "unchanged");
  CHECK(pooled("tanh", 3) == "unchanged");
  CHECK(pooled("relu", 3, R"(, %2 "padded")") == "unchanged");
}
