// Version 2 B-trees: the index of links, attributes, huge heap objects and chunks of newer files.
#pragma once
#include <cstdint>
#include <functional>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

enum class BTreeV2Kind : std::uint8_t {
  huge_object = 1,
  link_name = 5,
  attribute_name = 8,
  chunk = 10,
  filtered_chunk = 11,
};

// Calls visit(record) for every record, in no promised order. Refuses trees deeper than 32 and nodes reached twice.
void walk_btree_v2(const Scope& scope, std::uint64_t header, BTreeV2Kind kind,
                   const std::function<void(Cursor record)>& visit);

}  // namespace ramet::hdf5
