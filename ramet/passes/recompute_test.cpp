// recompute by text: cheap values are computed where they are read.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

TEST_CASE("recompute: a difference from a small value is computed again for its second reader") {
  CHECK(after(passes::recompute, R"(program(%0 "x" : f32[64, 4], %1 "mean" : f32[4]) {
    %2 = sub(%0, %1) : f32[64, 4]
    %3 = exp(%2) : f32[64, 4]
    %4 = square(%2) : f32[64, 4]
    return %3 "a", %4 "b"
  })") == written(R"(program(%0 "x" : f32[64, 4], %1 "mean" : f32[4]) {
    %2 = sub(%0, %1) : f32[64, 4]
    %3 = exp(%2) : f32[64, 4]
    %4 = sub(%0, %1) : f32[64, 4]
    %5 = square(%4) : f32[64, 4]
    return %3 "a", %5 "b"
  })"));
}

TEST_CASE("recompute: what is kept anyway, dear, or made of two large values is not") {
  CHECK(after(passes::recompute, R"(program(%0 "x" : f32[64, 4], %1 "mean" : f32[4]) {
    %2 = sub(%0, %1) : f32[64, 4]
    %3 = exp(%2) : f32[64, 4]
    %4 = square(%2) : f32[64, 4]
    return %2 "kept", %3 "a", %4 "b"
  })") == "unchanged");
  CHECK(after(passes::recompute, R"(program(%0 "x" : f32[64, 4], %1 "y" : f32[64, 4]) {
    %2 = sub(%0, %1) : f32[64, 4]
    %3 = exp(%2) : f32[64, 4]
    %4 = square(%2) : f32[64, 4]
    %5 = tanh(%0) : f32[64, 4]
    %6 = exp(%5) : f32[64, 4]
    %7 = square(%5) : f32[64, 4]
    return %3 "a", %4 "b", %6 "c", %7 "d"
  })") == "unchanged");
}

TEST_CASE("recompute: a chain goes back to what is in memory") {
  const std::string text =
      after(passes::recompute, R"(program(%0 "x" : f32[64, 4], %1 "mean" : f32[4], %2 "f" : f32[4]) {
    %3 = exp(%0) : f32[64, 4]
    %4 = reduce_sum(%3) {"axes": [0, 1]} : f32[]
    %5 = sub(%3, %1) : f32[64, 4]
    %6 = mul(%5, %2) : f32[64, 4]
    %7 = tanh(%6) : f32[64, 4]
    %8 = square(%6) : f32[64, 4]
    return %4 "n", %7 "a", %8 "b"
  })");
  // exp(x) is kept for the sum over everything; the two steps after it are done twice.
  CHECK(text.find("%8 = sub(%3, %1)") != std::string::npos);
  CHECK(text.find("%9 = mul(%8, %2)") != std::string::npos);
}
