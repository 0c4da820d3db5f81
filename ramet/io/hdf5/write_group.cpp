#include "ramet/io/hdf5/write_group.h"

#include <algorithm>

namespace ramet::hdf5 {
namespace {

constexpr std::uint64_t kUndefinedAddress = ~std::uint64_t{0};
constexpr std::uint64_t kSymbolsPerNode = 8, kSymbolNodeBytes = 8 + kSymbolsPerNode * 40;
constexpr std::uint64_t kChildrenPerNode = 32, kTreeNodeBytes = 24 + 8 * kChildrenPerNode + 8 * (kChildrenPerNode + 1);
constexpr std::uint64_t kHeapHeaderBytes = 32, kSmallestHeap = 88, kSmallestFree = 16;

std::uint64_t parts(std::uint64_t count, std::uint64_t each) { return (count + each - 1) / each; }

}  // namespace

GroupTables::GroupTables(const std::vector<std::string>& names) {
  names_size_ = 8;  // the empty name, before all others
  for (const std::string& name : names) {
    name_at_.push_back(names_size_);
    names_size_ += padded(name.size() + 1);
  }
  symbol_nodes_ = parts(names.size(), kSymbolsPerNode);
  std::uint64_t nodes = symbol_nodes_;
  do {
    nodes = std::max<std::uint64_t>(1, parts(nodes, kChildrenPerNode));
    levels_.insert(levels_.begin(), nodes);
  } while (nodes > 1);
}

std::uint64_t GroupTables::names_offset() const {
  std::uint64_t nodes = 0;
  for (const std::uint64_t level : levels_) nodes += level;
  return nodes * kTreeNodeBytes;
}

std::uint64_t GroupTables::symbols_offset() const {
  return names_offset() + kHeapHeaderBytes + std::max(kSmallestHeap, names_size_);
}

std::uint64_t GroupTables::bytes() const { return symbols_offset() + symbol_nodes_ * kSymbolNodeBytes; }

// Key i stands before child i and names the last name of the children before it; the first is the empty name.
void GroupTables::put_trees(Output& out, std::uint64_t start) const {
  std::uint64_t level_start = start;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const bool leaves = l + 1 == levels_.size();
    const std::uint64_t below = leaves ? symbol_nodes_ : levels_[l + 1];
    const std::uint64_t below_start = leaves ? start + symbols_offset() : level_start + levels_[l] * kTreeNodeBytes;
    const std::uint64_t below_bytes = leaves ? kSymbolNodeBytes : kTreeNodeBytes;
    std::uint64_t names_each = kSymbolsPerNode;  // names under one full child
    for (std::size_t deeper = l + 1; deeper < levels_.size(); ++deeper) names_each *= kChildrenPerNode;

    for (std::uint64_t node = 0; node < levels_[l]; ++node) {
      const std::uint64_t first = node * kChildrenPerNode;
      const std::uint64_t used = std::min(kChildrenPerNode, below - first);
      const auto neighbour = [&](bool there, std::uint64_t at) {
        out.u64(there ? level_start + at * kTreeNodeBytes : kUndefinedAddress);
      };
      const auto key = [&](std::uint64_t child) {
        const std::uint64_t names_before = std::min<std::uint64_t>(child * names_each, name_at_.size());
        out.u64(names_before == 0 ? 0 : name_at_[names_before - 1]);
      };
      out.text("TREE").u8(0).u8(levels_.size() - 1 - l).u16(used);
      neighbour(node > 0, node - 1);
      neighbour(node + 1 < levels_[l], node + 1);
      for (std::uint64_t i = first; i < first + used; ++i) {
        key(i);
        out.u64(below_start + i * below_bytes);
      }
      key(first + used);
      out.zeros((kChildrenPerNode - used) * 16);
    }
    level_start += levels_[l] * kTreeNodeBytes;
  }
}

void GroupTables::put_names(Output& out, std::uint64_t start, const std::vector<ChildPlace>& children) const {
  const std::uint64_t size = std::max(kSmallestHeap, names_size_), free = size - names_size_;
  const bool has_free = free >= kSmallestFree;
  out.text("HEAP").zeros(4).u64(size).u64(has_free ? names_size_ : 1).u64(start + names_offset() + kHeapHeaderBytes);
  out.zeros(8);
  for (const ChildPlace& child : children)
    out.text(child.name).zeros(padded(child.name.size() + 1) - child.name.size());
  if (has_free) out.u64(1).u64(free).zeros(free - 16);  // the last free part, and its size
  if (!has_free) out.zeros(free);
}

void GroupTables::put(Output& out, const std::vector<ChildPlace>& children) const {
  const std::uint64_t start = out.bytes.size();
  put_trees(out, start);
  put_names(out, start, children);
  for (std::uint64_t node = 0; node < symbol_nodes_; ++node) {
    const std::uint64_t first = node * kSymbolsPerNode;
    const std::uint64_t used = std::min<std::uint64_t>(kSymbolsPerNode, children.size() - first);
    out.text("SNOD").u8(1).u8(0).u16(used);
    for (std::uint64_t i = first; i < first + used; ++i) {
      const GroupPlace& place = children[i].place;
      out.u64(name_at_[i]).u64(place.header).u32(place.group ? 1 : 0).u32(0);
      out.u64(place.group ? place.tree : 0).u64(place.group ? place.names : 0);
    }
    out.zeros((kSymbolsPerNode - used) * 40);
  }
}

}  // namespace ramet::hdf5
