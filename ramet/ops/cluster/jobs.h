// Which instructions of a cluster's body run as one loop, so that what flows between them stays in registers.
#pragma once
#include <vector>

#include "ramet/ir/program.h"

namespace ramet::ops {

// What a chain does to the value it carries and to its next input: value + input, value - input or value * input.
enum class Link { add, sub, mul };
inline constexpr std::size_t kMostLinks = 4;

struct Job {
  enum class Kind {
    single,           // `last` alone
    chain,            // sums, differences and products, each of the one before it and one more value
    choose,           // a comparison and the select that reads it
    round,            // to a brain float and back
    descend,          // a - b c / (sqrt(d) + e), the step of Adam's kin
    adam,             // a descent and the means of the gradient and of its square that it divides
    adam_of_rounded,  // the same, with the gradient rounded to a brain float
  } kind = Kind::single;
  const Instr* last = nullptr;     // it ends with; of a chain perhaps the sum over all axes but the last
  std::vector<int> inputs;         // in the order of the loop's operands
  std::vector<Link> links;         // of a chain; one that sums also adds the running sums, which are no input
  const Instr* compare = nullptr;  // of a choice
  std::vector<int> results;        // in the order of the loop's results
};

// In the order they run: each after all that it reads.
std::vector<Job> jobs_of(const Program& body);

// Whether an instruction sums over all axes but the last, column by column.
bool sums_columns(const Instr& instr);

}  // namespace ramet::ops
