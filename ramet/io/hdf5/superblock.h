// The superblock: where the file begins, how wide its addresses are, where its root group is.
#pragma once
#include <cstdint>
#include <span>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

struct Superblock {
  Source source;
  std::uint64_t root = 0;                // address of the root group's object header
  std::uint64_t extension = kUndefined;  // address of the object header with more about the file
};

// Superblocks 0 to 3, at byte 0 or after a user block of 512, 1024, 2048, … bytes.
Superblock read_superblock(std::span<const std::byte> bytes, const Limits& limits);

}  // namespace ramet::hdf5
