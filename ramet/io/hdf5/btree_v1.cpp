#include "ramet/io/hdf5/btree_v1.h"

#include <optional>
#include <vector>

namespace ramet::hdf5 {
namespace {

constexpr unsigned kDeepest = 32;

struct Entry {
  std::uint64_t address = 0;
  std::optional<unsigned> level;  // what the parent demands; the root may choose
};

}  // namespace

void walk_btree_v1(const Scope& scope, std::uint64_t root, BTreeV1Kind kind, std::uint64_t key_size,
                   const std::function<void(Cursor key, std::uint64_t child)>& visit) {
  const Source& source = scope.source();
  const std::uint64_t head_size = 8 + 2 * source.offset_size;
  Visited visited;
  std::vector<Entry> open = {{root, std::nullopt}};
  while (!open.empty()) {
    const Entry node = open.back();
    open.pop_back();
    visited.enter(scope, node.address, "B-tree node");

    Cursor head(scope, node.address, head_size, "B-tree node");
    head.signature("TREE");
    const unsigned type = head.u8(), level = head.u8(), used = head.u16();
    head.check(type == static_cast<unsigned>(kind), "is of type ", type, " in a tree of type ", static_cast<int>(kind));
    head.check(level <= kDeepest, "stands at level ", level, "; at most ", kDeepest, " are followed");
    if (node.level) head.check(level == *node.level, "stands at level ", level, " where ", *node.level, " belongs");

    const std::uint64_t entry_size = key_size + source.offset_size;
    Cursor entries(scope, node.address + head_size, used * entry_size + key_size, "B-tree node");
    scope.charge(head_size + used * entry_size, node.address);
    std::vector<Entry> below;
    for (unsigned i = 0; i < used; ++i) {
      const std::uint64_t key_at = entries.at();
      const auto key = entries.take(key_size);
      const std::uint64_t child = entries.address();
      if (level == 0)
        visit(Cursor(scope, key, key_at, "B-tree key"), child);
      else
        below.push_back({child, level - 1});
    }
    open.insert(open.end(), below.rbegin(), below.rend());
  }
}

}  // namespace ramet::hdf5
