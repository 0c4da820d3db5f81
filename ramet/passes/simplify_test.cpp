// place, fold, cse and dce by text: what they do, what they must not do, what they leave alone.
#include <doctest/doctest.h>

#include "ramet/passes/pass_manager.h"
#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

TEST_CASE("fold: a product with one and a difference with zero are the other operand") {
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[2, 3]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [1.0]} : f32[]
    %2 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %3 = mul(%1, %0) : f32[2, 3]
    %4 = sub(%3, %2) : f32[2, 3]
    %5 = div(%4, %1) : f32[2, 3]
    %6 = tanh(%5) : f32[2, 3]
    return %6 "y"
  })") == written(R"(program(%0 "x" : f32[2, 3]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [1.0]} : f32[]
    %2 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %3 = tanh(%0) : f32[2, 3]
    return %3 "y"
  })"));
}

TEST_CASE("fold: one that is broadcast, and zero added to integers, fold too") {
  CHECK(after(passes::fold, R"(program(%0 "x" : i32[2, 3]) {
    %1 = constant() {"dtype": "int32", "shape": [], "data": [1]} : i32[]
    %2 = broadcast_to(%1) {"shape": [2, 3]} : i32[2, 3]
    %3 = constant() {"dtype": "int32", "shape": [1], "data": [0]} : i32[1]
    %4 = mul(%0, %2) : i32[2, 3]
    %5 = add(%3, %4) : i32[2, 3]
    %6 = neg(%5) : i32[2, 3]
    return %6 "y"
  })") == written(R"(program(%0 "x" : i32[2, 3]) {
    %1 = constant() {"dtype": "int32", "shape": [], "data": [1]} : i32[]
    %2 = broadcast_to(%1) {"shape": [2, 3]} : i32[2, 3]
    %3 = constant() {"dtype": "int32", "shape": [1], "data": [0]} : i32[1]
    %4 = neg(%0) : i32[2, 3]
    return %4 "y"
  })"));
}

TEST_CASE("fold: a pointwise op reads the smaller operand of a broadcast itself") {
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[2, 3], %1 "b" : f32[3]) {
    %2 = broadcast_to(%1) {"shape": [2, 3]} : f32[2, 3]
    %3 = maximum(%0, %2) : f32[2, 3]
    return %3 "y"
  })") == written(R"(program(%0 "x" : f32[2, 3], %1 "b" : f32[3]) {
    %2 = broadcast_to(%1) {"shape": [2, 3]} : f32[2, 3]
    %3 = maximum(%0, %1) : f32[2, 3]
    return %3 "y"
  })"));
}

TEST_CASE("fold: what would change a value, a shape or a sign is left alone") {
  // -0 + 0 is +0, so a sum of floats with 0 stays.
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %2 = add(%0, %1) : f32[2]
    return %2 "y"
  })") == "unchanged");
  // The one has the larger shape.
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[1]) {
    %1 = constant() {"dtype": "float32", "shape": [1], "data": [1.0]} : f32[1]
    %2 = broadcast_to(%1) {"shape": [4, 1]} : f32[4, 1]
    %3 = mul(%0, %2) : f32[4, 1]
    return %3 "y"
  })") == "unchanged");
  // 0 - x is not x, 1 / x neither.
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %2 = constant() {"dtype": "float32", "shape": [], "data": [1.0]} : f32[]
    %3 = sub(%1, %0) : f32[2]
    %4 = div(%2, %3) : f32[2]
    return %4 "y"
  })") == "unchanged");
  // A broadcast that alone gives the shape.
  CHECK(after(passes::fold, R"(program(%0 "a" : f32[3], %1 "b" : f32[3]) {
    %2 = broadcast_to(%1) {"shape": [2, 3]} : f32[2, 3]
    %3 = add(%0, %2) : f32[2, 3]
    return %3 "y"
  })") == "unchanged");
}

TEST_CASE("fold: an output keeps its name and its place, whatever computes it") {
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[2], state %1 "s" : f32[2]) {
    %2 = constant() {"dtype": "float32", "shape": [], "data": [1.0]} : f32[]
    %3 = mul(%0, %2) : f32[2]
    %4 = mul(%1, %2) : f32[2]
    return %3 "first", %0 "second", %4 -> %1
  })") == written(R"(program(%0 "x" : f32[2], state %1 "s" : f32[2]) {
    %2 = constant() {"dtype": "float32", "shape": [], "data": [1.0]} : f32[]
    return %0 "first", %0 "second", %1 -> %1
  })"));
}

TEST_CASE("fold: the inputs of a cluster stay as its body expects them") {
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[2, 3], %1 "b" : f32[3]) {
    %2 = broadcast_to(%1) {"shape": [2, 3]} : f32[2, 3]
    %3 = cluster(%0, %2) program(%0 "a" : f32[2, 3], %1 "b" : f32[2, 3]) {
      %2 = add(%0, %1) : f32[2, 3]
      return %2 "y"
    } : f32[2, 3]
    return %3 "y"
  })") == "unchanged");
}

TEST_CASE("cse: equal instructions are computed once, operands of a commutative one in any order") {
  CHECK(after(passes::cse, R"(program(%0 "a" : f32[2], %1 "b" : f32[2]) {
    %2 = add(%0, %1) : f32[2]
    %3 = add(%1, %0) : f32[2]
    %4 = mul(%2, %3) : f32[2]
    return %4 "y"
  })") == written(R"(program(%0 "a" : f32[2], %1 "b" : f32[2]) {
    %2 = add(%0, %1) : f32[2]
    %3 = mul(%2, %2) : f32[2]
    return %3 "y"
  })"));
}

TEST_CASE("cse: equal small constants are one") {
  CHECK(after(passes::cse, R"(program(%0 "a" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [0.5]} : f32[]
    %2 = constant() {"dtype": "float32", "shape": [], "data": [0.5]} : f32[]
    %3 = add(%0, %1) : f32[2]
    %4 = add(%0, %2) : f32[2]
    return %3 "y", %4 "z"
  })") == written(R"(program(%0 "a" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [0.5]} : f32[]
    %2 = add(%0, %1) : f32[2]
    return %2 "y", %2 "z"
  })"));
}

TEST_CASE("cse: another order, other attributes, another type or another device are another value") {
  CHECK(after(passes::cse, R"(program(%0 "a" : f32[2], %1 "b" : f32[2]) {
    %2 = sub(%0, %1) : f32[2]
    %3 = sub(%1, %0) : f32[2]
    return %2 "y", %3 "z"
  })") == "unchanged");
  CHECK(after(passes::cse, R"(program(%0 "a" : f32[2, 2]) {
    %1 = reduce_sum(%0) {"axes": [0]} : f32[2]
    %2 = reduce_sum(%0) {"axes": [1]} : f32[2]
    return %1 "y", %2 "z"
  })") == "unchanged");
  CHECK(after(passes::cse, R"(program(%0 "a" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %2 = constant() {"dtype": "float32", "shape": [], "data": [-0.0]} : f32[]
    %3 = constant() {"dtype": "float64", "shape": [], "data": [0.0]} : f64[]
    %4 = constant() {"dtype": "float32", "shape": [1], "data": [0.0]} : f32[1]
    return %1 "p", %2 "q", %3 "r", %4 "s"
  })") == "unchanged");
  CHECK(after(passes::cse, R"(program(%0 "a" : f32[2]) {
    %1 = tanh(%0) : f32[2]
    %2 = tanh(%0) @cpu:1 : f32[2]
    return %1 "y", %2 "z"
  })") == "unchanged");
}

TEST_CASE("cse: random numbers of one state are the same numbers, of another state are not") {
  CHECK(after(passes::cse, R"(program(%0 "s" : i64[2], %1 "t" : i64[2]) {
    %2 = random_uniform(%0) {"shape": [3], "dtype": "float32"} : f32[3]
    %3 = random_uniform(%1) {"shape": [3], "dtype": "float32"} : f32[3]
    return %2 "y", %3 "z"
  })") == "unchanged");
}

TEST_CASE("dce: what nobody reads is dropped, with what only it read") {
  CHECK(after(passes::dce, R"(program(%0 "x" : f32[2], %1 "unused" : f32[2]) {
    %2 = exp(%1) : f32[2]
    %3 = tanh(%2) : f32[2]
    %4 = tanh(%0) : f32[2]
    %5 = add(%3, %4) : f32[2]
    return %4 "y"
  })") == written(R"(program(%0 "x" : f32[2], %1 "unused" : f32[2]) {
    %2 = tanh(%0) : f32[2]
    return %2 "y"
  })"));
}

TEST_CASE("dce: new state is observed as an output is, and inputs stay") {
  CHECK(after(passes::dce, R"(program(%0 "x" : f32[2], state %1 "s" : f32[2], %2 "unused" : f32[2]) {
    %3 = add(%0, %1) : f32[2]
    %4 = tanh(%0) : f32[2]
    return %4 "y", %3 -> %1
  })") == "unchanged");
}

TEST_CASE("dce: a loop stays when one of its results is read") {
  const char* text = R"(program(%0 "h" : f32[1], %1 "x" : f32[2, 1]) {
    %2, %3, %4 = scan(%0, %1) {"length": 2, "carries": 1, "sequences": 1, "reverse": false} program(%0 "c" : f32[1], %1 "x" : f32[1]) {
      %2 = add(%0, %1) : f32[1]
      return %2 "c", %2 "y"
    } : f32[1], f32[2, 1], f32[2, 1]
    return %3 "y"
  })";
  CHECK(after(passes::dce, text) == "unchanged");
}

TEST_CASE("place: a value read on another device is brought there, once for all its readers") {
  CHECK(after(passes::place, R"(program(%0 "x" : f32[2]) {
    %1 = tanh(%0) : f32[2]
    %2 = exp(%1) @cpu:1 : f32[2]
    %3 = neg(%1) @cpu:1 : f32[2]
    %4 = add(%2, %3) @cpu:1 : f32[2]
    return %4 "y"
  })") == written(R"(program(%0 "x" : f32[2]) {
    %1 = tanh(%0) : f32[2]
    %2 = transfer(%1) {"to": "cpu:1", "from": "cpu:0"} @cpu:1 : f32[2]
    %3 = exp(%2) @cpu:1 : f32[2]
    %4 = neg(%2) @cpu:1 : f32[2]
    %5 = add(%3, %4) @cpu:1 : f32[2]
    return %5 "y"
  })"));
}

TEST_CASE("place: one device needs no transfer") {
  CHECK(after(passes::place, R"(program(%0 "x" : f32[2]) {
    %1 = tanh(%0) @cpu:1 : f32[2]
    %2 = exp(%1) @cpu:1 : f32[2]
    return %2 "y"
  })") == "unchanged");
}

TEST_CASE("place: inputs and constants are read where they are") {
  CHECK(after(passes::place, R"(program(%0 "x" : f32[2]) {
    %1 = exp(%0) @cpu:1 : f32[2]
    %2 = exp(%0) @cpu:2 : f32[2]
    return %1 "y", %2 "z"
  })") == "unchanged");
  const char* text = R"(program(%0 "x" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [], "data": [2.0]} : f32[]
    %2 = mul(%0, %1) @cpu:1 : f32[2]
    return %2 "y"
  })";
  CHECK((after(passes::place, text) == "unchanged" || after(passes::place, text) == written(text)));
}

TEST_CASE("place: a transfer that is there already is not made again") {
  CHECK(after(passes::place, R"(program(%0 "x" : f32[2]) {
    %1 = tanh(%0) : f32[2]
    %2 = transfer(%1) {"to": "cpu:1", "from": "cpu:0"} : f32[2]
    %3 = exp(%2) @cpu:1 : f32[2]
    return %3 "y"
  })") == "unchanged");
}

TEST_CASE("passes: one that is named in skip does not run") {
  const char* text = R"(program(%0 "x" : f32[2]) {
    %1 = tanh(%0) : f32[2]
    %2 = tanh(%0) : f32[2]
    return %1 "y", %2 "z"
  })";
  const auto count = [&](std::vector<std::string_view> skip) {
    return optimize(parse_program(text, ops::find_op), {.skip = std::move(skip)})->instrs().size();
  };
  CHECK(count({"cluster"}) == 1);
  CHECK(count({"cluster", "cse"}) == 2);
}

TEST_CASE("passes: the bodies of loops are optimized too") {
  const char* text = R"(program(%0 "h" : f32[1], %1 "x" : f32[2, 1]) {
    %2, %3, %4 = scan(%0, %1) {"length": 2, "carries": 1, "sequences": 1, "reverse": false} program(%0 "c" : f32[1], %1 "x" : f32[1]) {
      %2 = tanh(%0) : f32[1]
      %3 = tanh(%0) : f32[1]
      %4 = exp(%1) : f32[1]
      return %2 "c", %3 "y"
    } : f32[1], f32[2, 1], f32[2, 1]
    return %3 "y"
  })";
  CHECK(to_text(*optimize(parse_program(text, ops::find_op), {.skip = {"cluster"}})) ==
        written(R"(program(%0 "h" : f32[1], %1 "x" : f32[2, 1]) {
    %2, %3, %4 = scan(%0, %1) {"length": 2, "carries": 1, "sequences": 1, "reverse": false} program(%0 "c" : f32[1], %1 "x" : f32[1]) {
      %2 = tanh(%0) : f32[1]
      return %2 "c", %2 "y"
    } : f32[1], f32[2, 1], f32[2, 1]
    return %3 "y"
  })"));
}

TEST_CASE("fold: a factor that is the same for all summands leaves the sum, and so does a sign") {
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[6, 4], %1 "c" : f32[1, 4]) {
    %2 = mul(%0, %1) : f32[6, 4]
    %3 = neg(%2) : f32[6, 4]
    %4 = reduce_sum(%3) {"axes": [0]} : f32[4]
    return %4 "y"
  })")
            .find("reduce_sum(%0)") != std::string::npos);
  CHECK(after(passes::fold, R"(program(%0 "x" : f32[6, 4], %1 "c" : f32[6, 1]) {
    %2 = mul(%0, %1) : f32[6, 4]
    %3 = reduce_sum(%2) {"axes": [0]} : f32[4]
    return %3 "y"
  })") == "unchanged");
}
