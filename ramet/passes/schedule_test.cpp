// schedule by text: what ends lifetimes runs early.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

TEST_CASE("schedule: an update runs right after its gradient, once nobody reads the old state any more") {
  CHECK(
      after(
          passes::schedule,
          R"(program(%0 "x" : f32[4, 4], state %1 "a" : f32[4, 4], state %2 "b" : f32[4, 4], state %3 "rate" : f32[]) {
    %4 = matmul(%0, %1) : f32[4, 4]
    %5 = matmul(%4, %2) : f32[4, 4]
    %6 = matmul(%4, %5) : f32[4, 4]
    %7 = matmul(%5, %2) : f32[4, 4]
    %8 = matmul(%0, %7) : f32[4, 4]
    %9 = neg(%3) : f32[]
    %10 = mul(%8, %9) : f32[4, 4]
    %11 = mul(%6, %9) : f32[4, 4]
    return %5 "y", %10 -> %1, %11 -> %2
  })") ==
      written(
          R"(program(%0 "x" : f32[4, 4], state %1 "a" : f32[4, 4], state %2 "b" : f32[4, 4], state %3 "rate" : f32[]) {
    %4 = neg(%3) : f32[]
    %5 = matmul(%0, %1) : f32[4, 4]
    %6 = matmul(%5, %2) : f32[4, 4]
    %7 = matmul(%5, %6) : f32[4, 4]
    %8 = matmul(%6, %2) : f32[4, 4]
    %9 = mul(%7, %4) : f32[4, 4]
    %10 = matmul(%0, %8) : f32[4, 4]
    %11 = mul(%10, %4) : f32[4, 4]
    return %6 "y", %11 -> %1, %9 -> %2
  })"));
}
