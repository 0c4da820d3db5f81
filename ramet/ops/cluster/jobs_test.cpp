// Which instructions share a loop, and that reads moved into a later loop keep their input from being overwritten.
#include "ramet/ops/cluster/jobs.h"

#include <doctest/doctest.h>

#include "ramet/base/error.h"
#include "ramet/ir/text.h"
#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/op_list.h"

namespace ramet::ops {
namespace {

// Every job as the first letter of its kind, its links as signs, what it reads and what it gives.
std::string jobs(const std::string& text) {
  const std::unique_ptr<Program> body = parse_program(text, find_op);
  std::string out;
  for (const Job& job : jobs_of(*body)) {
    out += out.empty() ? "" : ", ";
    constexpr std::string_view kinds[] = {"single", "chain ", "choose", "round", "descend", "adam", "adam_of_rounded"},
                               signs[] = {"+", "-", "*"};
    out += kinds[static_cast<int>(job.kind)];
    for (const Link link : job.links) out += signs[static_cast<int>(link)];
    for (const int v : job.inputs) out += cat(" ", v);
    out += " =";
    for (const int v : job.results) out += cat(" ", v);
  }
  return out;
}

}  // namespace

TEST_CASE("jobs: a step of Adam is one loop, unless something else reads its means") {
  const std::string inputs =
      R"(program(%0 "x" : f32[8], %1 "m" : f32[8], %2 "s" : f32[], %3 "v" : f32[8], %4 "w" : f32[8]) {
    %5 = cast(%0) {"dtype": "bfloat16"} : bf16[8]
    %6 = cast(%5) {"dtype": "float32"} : f32[8])";
  const auto step = [](const std::string& g) {
    return "%7 = sub(" + g + ", %1) : f32[8]" + R"(
    %8 = mul(%7, %2) : f32[8]
    %9 = add(%1, %8) : f32[8]
    %10 = square()" +
           g + R"() : f32[8]
    %11 = sub(%10, %3) : f32[8]
    %12 = mul(%11, %2) : f32[8]
    %13 = add(%3, %12) : f32[8]
    %14 = sqrt(%13) : f32[8]
    %15 = add(%14, %2) : f32[8]
    %16 = mul(%9, %2) : f32[8]
    %17 = div(%16, %15) : f32[8]
    %18 = sub(%4, %17) : f32[8]
    )";
  };
  const std::string outputs = R"(return %9 "m", %13 "v", %18 "w")";
  CHECK(jobs(inputs + step("%0") + outputs + "}") == "round 0 = 6, adam 0 1 2 3 2 4 2 2 = 9 13 18");
  CHECK(jobs(inputs + step("%6") + outputs + "}") == "adam_of_rounded 0 1 2 3 2 4 2 2 = 9 13 18");
  CHECK(jobs(inputs + step("%6") + outputs + R"(, %6 "g"})") == "round 0 = 6, adam 6 1 2 3 2 4 2 2 = 9 13 18");
  CHECK(jobs(inputs + step("%0") + "%19 = neg(%13) : f32[8]\n" + outputs + R"(, %19 "n"})") ==
        "round 0 = 6, chain -*+ 0 1 2 1 = 9, chain *-*+ 0 0 3 2 3 = 13, descend 4 9 2 13 2 = 18, single 13 = 19");
}

TEST_CASE("jobs: to a brain float and back is one loop, unless the brain float is wanted") {
  const std::string there = R"(program(%0 "x" : f32[8]) {
    %1 = cast(%0) {"dtype": "bfloat16"} : bf16[8]
    %2 = cast(%1) {"dtype": "float32"} : f32[8]
  )";
  CHECK(jobs(there + R"(return %2 "y" })") == "round 0 = 2");
  CHECK(jobs(there + R"(return %1 "b", %2 "y" })") == "single 0 = 1, single 1 = 2");
}

TEST_CASE("jobs: a descent takes no part of a longer chain") {
  CHECK(jobs(R"(program(%0 "m" : f32[8], %1 "v" : f32[8], %2 "e" : f32[8], %3 "w" : f32[8]) {
    %4 = add(%2, %3) : f32[8]
    %5 = sqrt(%1) : f32[8]
    %6 = add(%5, %4) : f32[8]
    %7 = mul(%0, %2) : f32[8]
    %8 = div(%7, %6) : f32[8]
    %9 = sub(%3, %8) : f32[8]
    return %9 "w"
  })") == "single 1 = 5, chain ++ 2 3 5 = 6, single 0 2 = 7, single 7 6 = 8, single 3 8 = 9");
}

TEST_CASE("jobs: a chain ends at a value with two readers, at an output, before its fifth link and at c - x") {
  CHECK(jobs(R"(program(%0 "a" : f32[8], %1 "b" : f32[8]) {
    %2 = add(%0, %1) : f32[8]
    %3 = mul(%2, %1) : f32[8]
    %4 = add(%3, %2) : f32[8]
    return %4 "y"
  })") == "single 0 1 = 2, chain *+ 2 1 2 = 4");
  CHECK(jobs(R"(program(%0 "a" : f32[8], %1 "b" : f32[8]) {
    %2 = add(%0, %1) : f32[8]
    %3 = mul(%2, %1) : f32[8]
    %4 = sub(%0, %3) : f32[8]
    return %2 "x", %4 "y"
  })") == "single 0 1 = 2, single 2 1 = 3, single 0 3 = 4");
  CHECK(jobs(R"(program(%0 "a" : f32[8], %1 "b" : f32[8]) {
    %2 = add(%0, %1) : f32[8]
    %3 = add(%2, %1) : f32[8]
    %4 = add(%3, %1) : f32[8]
    %5 = add(%4, %1) : f32[8]
    %6 = add(%5, %1) : f32[8]
    return %6 "y"
  })") == "chain ++++ 0 1 1 1 1 = 5, single 5 1 = 6");
  CHECK(jobs(R"(program(%0 "a" : f32[8], %1 "b" : f32[8]) {
    %2 = add(%0, %1) : f32[8]
    %3 = square(%2) : f32[8]
    return %3 "y"
  })") == "single 0 1 = 2, single 2 = 3");
}

TEST_CASE("jobs: of two chains that meet the longer goes on; a choice and a sum of columns join too") {
  CHECK(jobs(R"(program(%0 "a" : f32[8], %1 "b" : f32[8]) {
    %2 = mul(%0, %1) : f32[8]
    %3 = sub(%0, %1) : f32[8]
    %4 = mul(%3, %1) : f32[8]
    %5 = add(%2, %4) : f32[8]
    return %5 "y"
  })") == "single 0 1 = 2, chain -*+ 0 1 1 2 = 5");
  CHECK(jobs(R"(program(%0 "a" : f32[4, 8], %1 "b" : f32[4, 8], %2 "z" : f32[]) {
    %3 = greater(%0, %2) : bool[4, 8]
    %4 = select(%3, %1, %2) : f32[4, 8]
    %5 = sub(%0, %1) : f32[4, 8]
    %6 = mul(%5, %4) : f32[4, 8]
    %7 = reduce_sum(%6) {"axes": [0]} : f32[8]
    %8 = reduce_sum(%4) {"axes": [1]} : f32[4]
    return %7 "y", %8 "z"
  })") == "choose 0 2 1 2 = 4, chain -*+ 0 1 4 = 7, single 4 = 8");
}

TEST_CASE("jobs: an input read by a chain that ends after an output was written must not share its memory") {
  const auto body = parse_program(R"(program(%0 "a" : f32[8], %1 "b" : f32[8]) {
    %2 = add(%0, %1) : f32[8]
    %3 = exp(%1) : f32[8]
    %4 = mul(%2, %3) : f32[8]
    return %3 "x", %4 "y"
  })",
                                  find_op);
  CHECK(reads_after(*body, 0, 0));  // the sum of a and b moves behind exp, whose result would be in a's place
  CHECK_FALSE(reads_after(*body, 0, 1));
}

}  // namespace ramet::ops
