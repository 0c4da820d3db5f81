// strides by text: what 1 x 1 convolutions skip is not computed.
#include <doctest/doctest.h>

#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

namespace {

std::string conv(const std::string& inputs, int stride, int pad = 0) {
  return cat("conv(", inputs, R"() {"strides": [)", stride, R"(], "dilation": [1], "pad_before": [)", pad,
             R"(], "pad_after": [)", pad, R"(], "groups": 1})");
}

// The end of a stage: a window of three, a residual that is read elsewhere too, and what reads the sum.
std::string stage(const std::string& readers) {
  return cat(R"(program(%0 "x" : f32[1, 7, 2], %1 "w" : f32[3, 2, 2], %2 "v" : f32[1, 2, 2], %3 "b" : f32[2]) {
    %4 = )",
             conv("%0, %1", 1, 1), R"( : f32[1, 7, 2]
    %5 = add(%4, %3) : f32[1, 7, 2]
    %6 = relu(%5) : f32[1, 7, 2]
    %7 = )",
             conv("%6, %2", 1), R"( : f32[1, 7, 2]
    %8 = add(%7, %0) : f32[1, 7, 2]
    )",
             readers, "}");
}

}  // namespace

TEST_CASE("strides: convolutions and sums give what is read of them") {
  const std::string readers = cat("%9 = ", conv("%8, %2", 2), " : f32[1, 4, 2]\n %10 = ", conv("%8, %2", 2),
                                  R"( : f32[1, 4, 2]
    return %9 "y", %10 "z")");
  CHECK(after(passes::strides, stage(readers)) ==
        written(cat(R"(program(%0 "x" : f32[1, 7, 2], %1 "w" : f32[3, 2, 2], %2 "v" : f32[1, 2, 2], %3 "b" : f32[2]) {
    %4 = )",
                    conv("%0, %1", 2, 1), R"( : f32[1, 4, 2]
    %5 = add(%4, %3) : f32[1, 4, 2]
    %6 = relu(%5) : f32[1, 4, 2]
    %7 = )",
                    conv("%6, %2", 1), R"( : f32[1, 4, 2]
    %8 = slice(%0) {"begin": [0, 0, 0], "end": [1, 7, 2], "step": [1, 2, 1]} : f32[1, 4, 2]
    %9 = add(%7, %8) : f32[1, 4, 2]
    %10 = )",
                    conv("%9, %2", 1), R"( : f32[1, 4, 2]
    %11 = )",
                    conv("%9, %2", 1), R"( : f32[1, 4, 2]
    return %10 "y", %11 "z"
  })")));
}

TEST_CASE("strides: readers that skip differently get what they have in common") {
  const std::string readers = cat("%9 = ", conv("%8, %2", 2), " : f32[1, 4, 2]\n %10 = ", conv("%8, %2", 4),
                                  R"( : f32[1, 2, 2]
    return %9 "y", %10 "z")");
  const std::string text = after(passes::strides, stage(readers));
  CHECK(text.find(conv("%9, %2", 1) + " : f32[1, 4, 2]") != std::string::npos);
  CHECK(text.find(conv("%9, %2", 2) + " : f32[1, 2, 2]") != std::string::npos);
}

TEST_CASE("strides: one reader of every place, a window of its own, or nothing but copies to gain, and all stays") {
  const std::string skipping = cat("%9 = ", conv("%8, %2", 2), " : f32[1, 4, 2]\n");
  CHECK(after(passes::strides, stage(skipping + R"(return %9 "y", %8 "s")")) == "unchanged");
  CHECK(after(passes::strides, stage(cat("%9 = ", conv("%8, %1", 2, 1), R"( : f32[1, 4, 2]
    return %9 "y")"))) == "unchanged");
  CHECK(after(passes::strides, stage(cat("%9 = ", conv("%8, %2", 2, 1), R"( : f32[1, 5, 2]
    return %9 "y")"))) == "unchanged");
  CHECK(after(passes::strides, cat(R"(program(%0 "x" : f32[1, 7, 2], %1 "v" : f32[1, 2, 2]) {
    %2 = relu(%0) : f32[1, 7, 2]
    %3 = )",
                                   conv("%2, %1", 2), R"( : f32[1, 4, 2]
    return %3 "y"
  })")) == "unchanged");
}

TEST_CASE("strides: a chain of 20,000 functions without a convolution before them is given up at once") {
  Program program;
  Value x = program.input("x", {{1, 7, 2}, DType::f32});
  const Value kernel = program.input("w", {{1, 2, 2}, DType::f32});
  for (int i = 0; i < 20'000; ++i) x = ops::relu(x);
  program.output("y", ops::conv(x, kernel, {{2}, {1}, {0}, {0}}));
  CHECK(passes::strides(program, {}) == nullptr);
}

TEST_CASE("strides: those that reach past the image stay where they are") {
  Program program;
  Value x = program.input("x", {{1, 5, 2}, DType::f32});
  const Value kernel = program.input("w", {{1, 2, 2}, DType::f32});
  for (const std::int64_t stride : {std::int64_t{1} << 30, std::int64_t{1} << 30, std::int64_t{16}})
    x = ops::conv(x, kernel, {{stride}, {1}, {0}, {0}});  // their product is 2^64
  program.output("y", x);
  CHECK(passes::strides(program, {}) == nullptr);
}
