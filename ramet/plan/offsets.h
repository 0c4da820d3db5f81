// Packs values with known lifetimes into one block of memory.
#pragma once
#include <cstddef>
#include <vector>

namespace ramet {

struct Lifetime {
  std::size_t bytes = 0;
  int first = 0, last = 0;  // steps, both included
};

struct Packing {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;         // of the block
  std::size_t live_maximum = 0;  // no packing can do with less
};

// Largest first, each at the lowest place that is free for its whole life; where that wastes something, also in other
// orders, and the smallest block is taken. Offsets are multiples of 64.
Packing pack(const std::vector<Lifetime>& values);

}  // namespace ramet
