#include "ramet/io/hdf5/btree_v2.h"

#include <vector>

namespace ramet::hdf5 {
namespace {

constexpr unsigned kDeepest = 32;
constexpr std::uint64_t kNodePrefix = 6, kChecksum = 4;  // signature, version, type; at the end

struct Node {
  std::uint64_t address = 0, records = 0;
  unsigned depth = 0;
};

struct Tree {
  std::uint64_t record_size = 0;
  unsigned count_width = 0;            // bytes of a child's number of records
  std::vector<unsigned> total_widths;  // by depth of the child: bytes of the number of records below it
  Node root;
};

Tree read_header(const Scope& scope, std::uint64_t address, BTreeV2Kind kind) {
  const Source& source = scope.source();
  Cursor cursor(scope, address, 22 + source.offset_size + source.length_size, "B-tree header");
  cursor.signature("BTHD");
  cursor.checksum_at_end();
  cursor.version(0);
  const unsigned type = cursor.u8();
  cursor.check(type == static_cast<unsigned>(kind), "is of type ", type, " where ", static_cast<int>(kind), " belongs");
  const std::uint64_t node_size = cursor.u32();
  Tree tree;
  tree.record_size = cursor.u16();
  const unsigned depth = cursor.u16();
  cursor.skip(2);  // when nodes are split and merged
  tree.root.address = cursor.address();
  tree.root.records = cursor.u16();
  tree.root.depth = depth;
  cursor.length();  // number of all records
  cursor.check(depth <= kDeepest, "has depth ", depth, "; at most ", kDeepest, " is followed");
  cursor.check(tree.record_size > 0 && node_size >= kNodePrefix + kChecksum + tree.record_size, "has nodes of ",
               node_size, " bytes for records of ", tree.record_size);

  // How many records fit a node and a whole subtree decides how wide the numbers beside a child's address are.
  const std::uint64_t room = node_size - kNodePrefix - kChecksum;
  std::uint64_t subtree = room / tree.record_size;
  tree.count_width = width_of(subtree);
  tree.total_widths.push_back(0);
  for (unsigned d = 1; d <= depth; ++d) {
    const std::uint64_t pointer = source.offset_size + tree.count_width + tree.total_widths.back();
    cursor.check(room >= pointer, "has nodes too small for its depth");
    const std::uint64_t records = (room - pointer) / (tree.record_size + pointer);
    std::uint64_t below = 0;
    const bool fits = multiply(records + 1, subtree, below) && add(below, records, subtree);
    cursor.check(fits, "has room for more records than can be counted");
    tree.total_widths.push_back(width_of(subtree));
  }
  return tree;
}

}  // namespace

void walk_btree_v2(const Scope& scope, std::uint64_t header, BTreeV2Kind kind,
                   const std::function<void(Cursor record)>& visit) {
  const Tree tree = read_header(scope, header, kind);
  if (tree.root.address == kUndefined) return;
  Visited visited;
  std::vector<Node> open = {tree.root};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    visited.enter(scope, node.address, "B-tree node");
    scope.check(node.records <= scope.file_size(), node.address, "B-tree node says it has ", node.records, " records");

    const std::uint64_t total_width = node.depth > 0 ? tree.total_widths[node.depth - 1] : 0;
    const std::uint64_t pointer = scope.source().offset_size + tree.count_width + total_width;
    const std::uint64_t size =
        kNodePrefix + node.records * tree.record_size + (node.depth > 0 ? (node.records + 1) * pointer : 0) + kChecksum;
    Cursor cursor(scope, node.address, size, "B-tree node");
    scope.charge(size, node.address);
    cursor.signature(node.depth > 0 ? "BTIN" : "BTLF");
    cursor.checksum_at_end();
    cursor.version(0);
    const unsigned type = cursor.u8();
    cursor.check(type == static_cast<unsigned>(kind), "is of type ", type, " in a tree of type ",
                 static_cast<int>(kind));
    for (std::uint64_t i = 0; i < node.records; ++i) {
      const std::uint64_t at = cursor.at();
      visit(Cursor(scope, cursor.take(tree.record_size), at, "B-tree record"));
    }
    for (std::uint64_t i = 0; node.depth > 0 && i <= node.records; ++i) {
      Node child{.depth = node.depth - 1};
      child.address = cursor.address();
      child.records = cursor.number(tree.count_width);
      cursor.skip(total_width);
      open.push_back(child);
    }
  }
}

}  // namespace ramet::hdf5
