// Who shares memory with whom: views lie in the value they look at, and the parts of a concatenation are
// made where they will stand in the whole.
#pragma once
#include "ramet/ir/program.h"

namespace ramet {

class Storage {
 public:
  explicit Storage(const Program& program);

  // Joins the parts of concatenations to the whole, where `may_join` allows it for the instruction.
  template <class MayJoin>
  void join_parts(MayJoin&& may_join) {
    for (const Instr& instr : program_.instrs())
      if (is_joinable(instr) && may_join(instr)) join(instr);
  }

  int root(int value) const { return root_[at(value)]; }              // whose memory it is
  std::size_t offset(int value) const { return offset_[at(value)]; }  // bytes from its start
  bool is_whole(int value) const { return bytes(value) == bytes(root(value)); }
  std::size_t bytes(int value) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_joinable(const Instr& concat) const;
  void join(const Instr& concat);

  const Program& program_;
  std::vector<int> root_;
  std::vector<std::size_t> offset_;
};

}  // namespace ramet
