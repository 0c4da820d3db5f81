// Which instructions of a cluster's body run as one loop, so that what flows between them stays in registers.
#pragma once
#include <vector>

#include "ramet/backend/cpu/pointwise_ops.h"
#include "ramet/ir/program.h"

namespace ramet::ops {

struct Job {
  enum class Kind {
    single,   // `last` alone
    chain,    // sums, differences and products, each of the one before it and one more value
    choose,   // a comparison and the select that reads it
    descend,  // a - b c / (sqrt(d) + e), the step of Adam and its kin
  } kind = Kind::single;
  const Instr* last = nullptr;     // whose result it gives; of a chain perhaps the sum over all axes but the last
  std::vector<int> inputs;         // in the order of the loop's operands
  std::vector<cpu::Link> links;    // of a chain; one that sums also adds the running sums, which are no input
  const Instr* compare = nullptr;  // of a choice

  int result() const { return last->results[0]; }
};

// In the order they run: each after all that it reads.
std::vector<Job> jobs_of(const Program& body);

// Whether an instruction sums over all axes but the last, column by column.
bool sums_columns(const Instr& instr);

}  // namespace ramet::ops
