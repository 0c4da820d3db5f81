// cluster by text: neighbouring pointwise instructions become one.
#include <doctest/doctest.h>

#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

TEST_CASE("cluster: pointwise instructions of one shape become one, with the values read outside as results") {
  CHECK(after(passes::cluster, R"(program(%0 "a" : f32[2, 3], %1 "b" : f32[3]) {
    %2 = add(%0, %1) : f32[2, 3]
    %3 = tanh(%2) : f32[2, 3]
    %4 = mul(%3, %0) : f32[2, 3]
    return %4 "y", %2 "z"
  })") == written(R"(program(%0 "a" : f32[2, 3], %1 "b" : f32[3]) {
    %2, %3 = cluster(%0, %1) program(%0 "x0" : f32[2, 3], %1 "x1" : f32[3]) {
      %2 = add(%0, %1) : f32[2, 3]
      %3 = tanh(%2) : f32[2, 3]
      %4 = mul(%3, %0) : f32[2, 3]
      return %2 "y2", %4 "y4"
    } : f32[2, 3], f32[2, 3]
    return %3 "y", %2 "z"
  })"));
}

TEST_CASE("cluster: two groups are joined where they meet") {
  CHECK(after(passes::cluster, R"(program(%0 "a" : f32[4], %1 "b" : f32[4]) {
    %2 = exp(%0) : f32[4]
    %3 = exp(%1) : f32[4]
    %4 = add(%2, %3) : f32[4]
    return %4 "y"
  })") == written(R"(program(%0 "a" : f32[4], %1 "b" : f32[4]) {
    %2 = cluster(%0, %1) program(%0 "x0" : f32[4], %1 "x1" : f32[4]) {
      %2 = exp(%0) : f32[4]
      %3 = exp(%1) : f32[4]
      %4 = add(%2, %3) : f32[4]
      return %4 "y4"
    } : f32[4]
    return %2 "y"
  })"));
}

TEST_CASE("cluster: a group ends where somebody outside has read from it") {
  // The sum reads exp(a); what then reads both must come after the sum, so it cannot join the first group.
  CHECK(after(passes::cluster, R"(program(%0 "a" : f32[4]) {
    %1 = exp(%0) : f32[4]
    %2 = reduce_sum(%1) {"axes": [0]} : f32[]
    %3 = div(%1, %2) : f32[4]
    return %3 "y"
  })") == written(R"(program(%0 "a" : f32[4]) {
    %1 = cluster(%0) program(%0 "x0" : f32[4]) {
      %1 = exp(%0) : f32[4]
      return %1 "y1"
    } : f32[4]
    %2 = reduce_sum(%1) {"axes": [0]} : f32[]
    %3 = cluster(%1, %2) program(%0 "x0" : f32[4], %1 "x1" : f32[]) {
      %2 = div(%0, %1) : f32[4]
      return %2 "y3"
    } : f32[4]
    return %3 "y"
  })"));
}

TEST_CASE("cluster: other shapes and other devices are other groups") {
  CHECK(after(passes::cluster, R"(program(%0 "a" : f32[3], %1 "b" : f32[2, 3]) {
    %2 = exp(%0) : f32[3]
    %3 = add(%1, %2) : f32[2, 3]
    %4 = neg(%3) @cpu:1 : f32[2, 3]
    return %4 "y"
  })") == written(R"(program(%0 "a" : f32[3], %1 "b" : f32[2, 3]) {
    %2 = cluster(%0) program(%0 "x0" : f32[3]) {
      %1 = exp(%0) : f32[3]
      return %1 "y2"
    } : f32[3]
    %3 = cluster(%1, %2) program(%0 "x0" : f32[2, 3], %1 "x1" : f32[3]) {
      %2 = add(%0, %1) : f32[2, 3]
      return %2 "y3"
    } : f32[2, 3]
    %4 = cluster(%3) @cpu:1 program(%0 "x0" : f32[2, 3]) {
      %1 = neg(%0) : f32[2, 3]
      return %1 "y4"
    } : f32[2, 3]
    return %4 "y"
  })"));
}

TEST_CASE("cluster: integers, doubles and what is not pointwise are left alone") {
  CHECK(after(passes::cluster, R"(program(%0 "a" : i32[4], %1 "b" : f64[4], %2 "c" : f32[2, 2]) {
    %3 = add(%0, %0) : i32[4]
    %4 = tanh(%1) : f64[4]
    %5 = transpose(%2) {"axes": [1, 0]} : f32[2, 2]
    %6 = reduce_max(%5) {"axes": [0]} : f32[2]
    return %3 "x", %4 "y", %6 "z"
  })") == "unchanged");
}

TEST_CASE("cluster: comparisons, logic and select of floats go in") {
  CHECK(after(passes::cluster, R"(program(%0 "a" : f32[4], %1 "m" : bool[4]) {
    %2 = greater(%0, %0) : bool[4]
    %3 = and(%2, %1) : bool[4]
    %4 = select(%3, %0, %0) : f32[4]
    %5 = cast(%3) {"dtype": "float32"} : f32[4]
    %6 = add(%4, %5) : f32[4]
    return %6 "y"
  })") == written(R"(program(%0 "a" : f32[4], %1 "m" : bool[4]) {
    %2 = cluster(%0, %1) program(%0 "x0" : f32[4], %1 "x1" : bool[4]) {
      %2 = greater(%0, %0) : bool[4]
      %3 = and(%2, %1) : bool[4]
      %4 = select(%3, %0, %0) : f32[4]
      %5 = cast(%3) {"dtype": "float32"} : f32[4]
      %6 = add(%4, %5) : f32[4]
      return %6 "y6"
    } : f32[4]
    return %2 "y"
  })"));
}

TEST_CASE("cluster: new state is a result, and what nobody reads is dropped") {
  CHECK(after(passes::cluster, R"(program(%0 "g" : f32[4], state %1 "w" : f32[4]) {
    %2 = square(%0) : f32[4]
    %3 = sub(%1, %0) : f32[4]
    return %3 -> %1
  })") == written(R"(program(%0 "g" : f32[4], state %1 "w" : f32[4]) {
    %2 = cluster(%1, %0) program(%0 "x0" : f32[4], %1 "x1" : f32[4]) {
      %2 = sub(%0, %1) : f32[4]
      return %2 "y3"
    } : f32[4]
    return %2 -> %1
  })"));
}

TEST_CASE("cluster: sums over rows and over columns end a group, and what reads them begins another") {
  CHECK(after(passes::cluster, R"(program(%0 "x" : f32[6, 4], %1 "y" : f32[6, 4]) {
    %2 = mul(%0, %1) : f32[6, 4]
    %3 = reduce_sum(%2) {"axes": [0]} : f32[4]
    %4 = reduce_sum(%2) {"axes": [1]} : f32[6]
    %5 = sub(%0, %3) : f32[6, 4]
    return %4 "rows", %5 "z"
  })") == written(R"(program(%0 "x" : f32[6, 4], %1 "y" : f32[6, 4]) {
    %2, %3 = cluster(%0, %1) program(%0 "x0" : f32[6, 4], %1 "x1" : f32[6, 4]) {
      %2 = mul(%0, %1) : f32[6, 4]
      %3 = reduce_sum(%2) {"axes": [0]} : f32[4]
      %4 = reduce_sum(%2) {"axes": [1]} : f32[6]
      return %3 "y3", %4 "y4"
    } : f32[4], f32[6]
    %4 = cluster(%0, %2) program(%0 "x0" : f32[6, 4], %1 "x1" : f32[4]) {
      %2 = sub(%0, %1) : f32[6, 4]
      return %2 "y5"
    } : f32[6, 4]
    return %3 "rows", %4 "z"
  })"));
}

TEST_CASE("cluster: a sum over other axes, or of what no group makes, stays by itself") {
  const std::string text = after(passes::cluster, R"(program(%0 "x" : f32[6, 4, 2]) {
    %1 = exp(%0) : f32[6, 4, 2]
    %2 = reduce_sum(%1) {"axes": [1]} : f32[6, 2]
    %3 = reduce_sum(%0) {"axes": [2]} : f32[6, 4]
    return %2 "a", %3 "b"
  })");
  CHECK(text.find("%2 = reduce_sum(%1)") != std::string::npos);
  CHECK(text.find("%3 = reduce_sum(%0)") != std::string::npos);
}
