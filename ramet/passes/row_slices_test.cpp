// Which programs may run a batch in parts.
#include "ramet/passes/row_slices.h"

#include <doctest/doctest.h>

#include "ramet/ir/text.h"
#include "ramet/ops/op_list.h"

using namespace ramet;

namespace {

bool apart(std::string_view text) { return rows_stay_apart(*parse_program(text, ops::find_op)); }

constexpr const char* kHead = R"(program(%0 "x" : f32[4, 6], state %1 "w" : f32[6, 4], state %2 "b" : f32[4]) {)";

// A program of one input f32[4, 6], a matrix, a vector, and these lines.
bool lines_apart(const std::string& lines) { return apart(kHead + lines + "}"); }

// One convolution of `rows` images of 32 x 32 with 64 channels (2^18 bytes an image), 3 x 3 filters: 75 MFLOP an image.
std::int64_t slices(int rows, int threads = 1) {
  const std::string n = std::to_string(rows);
  return row_slices(*parse_program("program(%0 \"x\" : f32[" + n + R"(, 32, 32, 64], state %1 "k" : f32[3, 3, 64, 64]) {
    %2 = conv(%0, %1) {"strides": [1, 1], "dilation": [1, 1], "pad_before": [1, 1], "pad_after": [1, 1], "groups": 1} : f32[)" +
                                       n + R"(, 32, 32, 64]
    return %2 "y"
  })",
                                   ops::find_op),
                    threads);
}

}  // namespace

TEST_CASE("row slices: rows stay apart in products, sums within rows and what is the same for all rows") {
  CHECK(lines_apart(R"(
    %3 = matmul(%0, %1) {"transpose_a": false, "transpose_b": false} : f32[4, 4]
    %4 = add(%3, %2) : f32[4, 4]
    %5 = softmax(%4) : f32[4, 4]
    return %5 "y")"));
  CHECK(lines_apart(R"(
    %3 = reduce_sum(%0) {"axes": [1]} : f32[4]
    %4 = reshape(%3) {"shape": [4, 1]} : f32[4, 1]
    %5 = mul(%0, %4) : f32[4, 6]
    %6 = concat(%5, %0) {"axis": 1} : f32[4, 12]
    return %6 "y")"));
  CHECK(lines_apart(R"(
    %3 = reshape(%0) {"shape": [4, 2, 3]} : f32[4, 2, 3]
    %4 = transpose(%3) {"axes": [0, 2, 1]} : f32[4, 3, 2]
    return %4 "y")"));
}

TEST_CASE("row slices: rows meet in sums over the batch, joins along it, and by order of memory") {
  CHECK_FALSE(
      lines_apart("%3 = reduce_sum(%0) {\"axes\": [0]} : f32[6]\n%4 = sub(%0, %3) : f32[4, 6]\nreturn %4 \"y\""));
  CHECK_FALSE(lines_apart("%3 = concat(%0, %0) {\"axis\": 0} : f32[8, 6]\nreturn %3 \"y\""));
  CHECK_FALSE(lines_apart("%3 = transpose(%0) {\"axes\": [1, 0]} : f32[6, 4]\nreturn %3 \"y\""));
  CHECK_FALSE(lines_apart("%3 = reshape(%0) {\"shape\": [2, 12]} : f32[2, 12]\nreturn %3 \"y\""));
  CHECK_FALSE(lines_apart("%3 = reverse(%0) {\"axes\": [0]} : f32[4, 6]\nreturn %3 \"y\""));
  // The second factor varies with the rows.
  CHECK_FALSE(
      lines_apart("%3 = matmul(%0, %0) {\"transpose_a\": false, \"transpose_b\": true} : f32[4, 4]\nreturn %3 \"y\""));
  // A vector that happens to have as many elements as there are rows, and a matrix with a value per row.
  CHECK_FALSE(lines_apart("%3 = reduce_sum(%0) {\"axes\": [1]} : f32[4]\n%4 = add(%3, %2) : f32[4]\nreturn %4 \"y\""));
  CHECK_FALSE(apart(R"(program(%0 "x" : f32[4, 6], state %1 "w" : f32[4, 6]) {
    %2 = add(%0, %1) : f32[4, 6]
    return %2 "y"
  })"));
}

TEST_CASE("row slices: what leaves without rows, state that changes, inputs of different lengths") {
  CHECK_FALSE(lines_apart("%3 = relu(%1) : f32[6, 4]\nreturn %3 \"y\""));
  CHECK_FALSE(apart(R"(program(%0 "x" : f32[4, 6], %1 "z" : f32[2, 6]) {
    %2 = relu(%0) : f32[4, 6]
    return %2 "y"
  })"));
  CHECK_FALSE(apart(R"(program(%0 "x" : f32[4, 6], state %1 "n" : f32[]) {
    %2 = add(%1, %1) : f32[]
    %3 = relu(%0) : f32[4, 6]
    return %3 "y", %2 -> %1
  })"));
}

TEST_CASE("row slices: parts fit a second cache of 1 MiB, and are equal") {
  CHECK(slices(1) == 1);
  CHECK(slices(2) == 1);   // 1 MiB in and out: nothing is won
  CHECK(slices(16) == 8);  // 2 images: 512 KiB in, as many out
  CHECK(slices(7) == 7);   // no other part is equal
  CHECK(slices(12) == 6);
  CHECK(slices(16, 2) == 4);  // two cores, two second caches
}
