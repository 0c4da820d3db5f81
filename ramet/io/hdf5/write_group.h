// The three structures by which a version 0 file finds the children of a group: tree, names, symbol table nodes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ramet/io/hdf5/write_encode.h"

namespace ramet::hdf5 {

struct GroupPlace {
  std::uint64_t header = 0, tree = 0, names = 0;  // addresses; a dataset has only the first
  bool group = true;
};

// A child that is already placed.
struct ChildPlace {
  std::string name;
  GroupPlace place;
};

class GroupTables {
 public:
  // REQUIRES: `names` are sorted as bytes.
  explicit GroupTables(const std::vector<std::string>& names);

  std::uint64_t bytes() const;         // of all three
  std::uint64_t names_offset() const;  // where the names begin; the root of the tree begins at 0

  // Writes them at the end of `out`. REQUIRES: the children stand in the order of the names.
  void put(Output& out, const std::vector<ChildPlace>& children) const;

 private:
  std::uint64_t symbols_offset() const;
  void put_trees(Output& out, std::uint64_t start) const;
  void put_names(Output& out, std::uint64_t start, const std::vector<ChildPlace>& children) const;

  std::vector<std::uint64_t> name_at_;  // offset of each name in the heap
  std::uint64_t names_size_ = 0;        // used bytes of the heap
  std::vector<std::uint64_t> levels_;   // nodes of the tree, from the root (1) down
  std::uint64_t symbol_nodes_ = 0;
};

}  // namespace ramet::hdf5
