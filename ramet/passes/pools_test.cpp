// pools by text: what follows the gradient of max pooling goes in front of it.
#include <doctest/doctest.h>

#include "ramet/exec/executable.h"
#include "tests/support/pass_text.h"

using namespace ramet;
using ramet::testing::after;
using ramet::testing::written;

namespace {

constexpr const char* kPool = R"({"window": [2, 2], "strides": [2, 2], "pad_before": [0, 0], "pad_after": [0, 0]} : )";

std::string pool(const char* type) { return std::string(kPool) + type + "\n"; }

const std::string kInputs = "program(%0 \"y\" : f32[3, 4, 4, 5], %1 \"dy\" : f32[3, 2, 2, 5]) {\n";

}  // namespace

TEST_CASE("pools: the mask of a relu and the sum for a bias are taken over the pooled elements") {
  CHECK(after(passes::pools, kInputs + "%2 = max_pool_grad(%0, %1) " + pool("f32[3, 4, 4, 5]") +
                                 R"(%3 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %4 = greater(%0, %3) : bool[3, 4, 4, 5]
    %5 = select(%4, %2, %3) : f32[3, 4, 4, 5]
    %6 = reduce_sum(%5) {"axes": [0, 1, 2]} : f32[5]
    return %5 "dz", %6 "db"
  })") == written(kInputs + "%2 = max_pool_grad(%0, %1) " + pool("f32[3, 4, 4, 5]") +
                  R"(%3 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %4 = greater(%0, %3) : bool[3, 4, 4, 5]
    %5 = max_pool(%0) )" +
                  pool("f32[3, 2, 2, 5]") +
                  R"(%6 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %7 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %8 = greater(%5, %7) : bool[3, 2, 2, 5]
    %9 = select(%8, %1, %6) : f32[3, 2, 2, 5]
    %10 = max_pool_grad(%0, %9) )" +
                  pool("f32[3, 4, 4, 5]") +
                  R"(%11 = reduce_sum(%9) {"axes": [0, 1, 2]} : f32[5]
    return %10 "dz", %11 "db"
  })"));
}

TEST_CASE("pools: other masks, other sums and gradients that others read stay") {
  const auto stays = [](const std::string& lines) {
    return after(passes::pools,
                 kInputs + "%2 = max_pool_grad(%0, %1) " + pool("f32[3, 4, 4, 5]") +
                     "%3 = constant() {\"dtype\": \"float32\", \"shape\": [], \"data\": [0.0]} : f32[]\n" + lines +
                     "}") == "unchanged";
  };
  const std::string positive = "%4 = greater(%0, %3) : bool[3, 4, 4, 5]\n";
  const std::string masked = "%5 = select(%4, %2, %3) : f32[3, 4, 4, 5]\n";
  CHECK_FALSE(stays(positive + masked + "return %5 \"dz\""));
  CHECK(stays(positive + masked + "return %5 \"dz\", %2 \"also\""));
  CHECK(stays("%4 = less(%0, %3) : bool[3, 4, 4, 5]\n" + masked + "return %5 \"dz\""));
  CHECK(stays("%4 = greater(%2, %3) : bool[3, 4, 4, 5]\n%5 = select(%4, %2, %3) : f32[3, 4, 4, 5]\nreturn %5 \"dz\""));
  CHECK(stays(positive + "%5 = select(%4, %2, %0) : f32[3, 4, 4, 5]\nreturn %5 \"dz\""));
  CHECK(stays("%4 = reduce_sum(%2) {\"axes\": [0, 1]} : f32[4, 5]\nreturn %4 \"s\""));
  CHECK(stays("%4 = reduce_sum(%2) {\"axes\": [1, 2, 3]} : f32[3]\nreturn %4 \"s\""));
}

// Overlapping windows with padding, equal elements, windows without a positive one.
TEST_CASE("pools: the numbers stay") {
  const auto program = parse_program(R"(program(%0 "z" : f32[2, 7, 7, 3], %1 "dy" : f32[2, 4, 4, 3]) {
    %2 = relu(%0) : f32[2, 7, 7, 3]
    %3 = max_pool_grad(%2, %1) {"window": [3, 3], "strides": [2, 2], "pad_before": [1, 1], "pad_after": [1, 1]} : f32[2, 7, 7, 3]
    %4 = constant() {"dtype": "float32", "shape": [], "data": [0.0]} : f32[]
    %5 = greater(%2, %4) : bool[2, 7, 7, 3]
    %6 = select(%5, %3, %4) : f32[2, 7, 7, 3]
    %7 = reduce_sum(%6) {"axes": [0, 1, 2]} : f32[3]
    return %6 "dz", %7 "db"
  })",
                                     ops::find_op);
  const auto moved = passes::pools(*program, {});
  REQUIRE(moved);
  Array z({2, 7, 7, 3}), dy({2, 4, 4, 3});
  for (std::size_t i = 0; i < z.data<float>().size(); ++i)
    z.data<float>()[i] = static_cast<float>(static_cast<int>(i * 31 % 11) - 7);
  for (std::size_t i = 0; i < dy.data<float>().size(); ++i) dy.data<float>()[i] = static_cast<float>(i % 13) - 6;
  const Arrays before = evaluate_plainly(*program, {z, dy}), then = evaluate_plainly(*moved, {z, dy});
  double largest = 0;
  for (std::size_t k = 0; k < before.size(); ++k)  // small whole numbers: sums are exact in any order
    for (std::size_t i = 0; i < before[k].to_doubles().size(); ++i) {
      CHECK(before[k].to_doubles()[i] == then[k].to_doubles()[i]);
      largest = std::max(largest, before[k].to_doubles()[i]);
    }
  CHECK(largest > 0);
}
