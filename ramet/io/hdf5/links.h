// The children of a group, however the file stores them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ramet/io/hdf5/object_header.h"

namespace ramet::hdf5 {

struct Link {
  std::string name;
  std::uint64_t address = 0;  // of the child's object header
};

// Whether an object with these messages is a group.
bool is_group(const std::vector<Message>& messages);

// The links of a group, sorted by name as bytes. Refuses every link that is not hard, names that cannot stand in a
// path, and two links of one name.
std::vector<Link> read_links(const Scope& scope, const std::vector<Message>& messages);

}  // namespace ramet::hdf5
