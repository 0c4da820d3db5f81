// Who reads a value, and which never change: what passes ask before they take instructions together.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::passes {

// Values that depend on nothing but state that is only read.
inline std::vector<bool> fixed_values(const Program& p) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<bool> fixed(at(p.value_count()), false);
  for (const auto& input : p.inputs()) fixed[at(input.value)] = input.kind == InputKind::state && input.update < 0;
  for (const Instr& instr : p.instrs()) {
    bool all = !has(instr.op->traits, Trait::random);
    for (const int v : instr.inputs) all = all && fixed[at(v)];
    for (const int v : instr.results) fixed[at(v)] = all;
  }
  return fixed;
}

class Users {
 public:
  explicit Users(const Program& p) : p_(p), readers_(at(p.value_count())), leaves_(at(p.value_count()), false) {
    for (int i = 0; i < static_cast<int>(p.instrs().size()); ++i)
      for (const int v : p.instr(i).inputs) readers_[at(v)].push_back(i);
    for (const auto& output : p.outputs()) leaves_[at(output.value)] = true;
    for (const auto& input : p.inputs())
      if (input.update >= 0) leaves_[at(input.update)] = true;
  }

  // The only instruction that reads the value, when it runs where the value is made and the value does not leave the
  // program; else -1.
  int only(int value) const {
    const auto& readers = readers_[at(value)];
    if (readers.size() != 1 || leaves_[at(value)]) return -1;
    return p_.instr(readers[0]).device == p_.instr(p_.producer(value)).device ? readers[0] : -1;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Program& p_;
  std::vector<std::vector<int>> readers_;
  std::vector<bool> leaves_;  // as an output or as new state
};

}  // namespace ramet::passes
