// Version 1 B-trees: the index of old groups and of chunks.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

enum class BTreeV1Kind : std::uint8_t { group = 0, chunk = 1 };

// Calls visit(key, child) for every entry of the leaves, left to right; `key` is the key before the child. Refuses
// trees that are deeper than 32, whose levels do not go down one by one, or in which a node is reached twice.
void walk_btree_v1(const Scope& scope, std::uint64_t root, BTreeV1Kind kind, std::uint64_t key_size,
                   const std::function<void(Cursor key, std::uint64_t child)>& visit);

}  // namespace ramet::hdf5
