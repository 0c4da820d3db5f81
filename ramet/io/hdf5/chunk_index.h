// Which chunks of a dataset are stored, and where.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "ramet/io/hdf5/layout.h"

namespace ramet::hdf5 {

struct Chunk {
  std::uint64_t index = 0;  // row-major among the chunks of the shape
  std::uint64_t address = 0, size = 0;
  std::uint32_t skipped = 0;  // filters that were not applied
};

// The chunks a shape is cut into. The array-like indexes count differently: over the largest shape the dataset may
// take, and with its one endless axis, if it has one, outermost.
class ChunkGrid {
 public:
  ChunkGrid(const Scope& scope, const Layout& layout, const Dataspace& space);

  std::size_t rank() const { return counts_.size(); }
  std::uint64_t count(std::size_t axis) const { return counts_[axis]; }
  std::uint64_t index_of(const std::vector<std::uint64_t>& position) const;
  std::vector<std::uint64_t> position_of(std::uint64_t index) const;
  std::optional<std::uint64_t> from_array(std::uint64_t entry) const;  // none outside the shape
  std::uint64_t array_entries() const { return array_entries_; }       // kUndefined with an endless axis

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<std::size_t> array_axes_;       // outermost first
  std::vector<std::uint64_t> array_strides_;  // in entries, by position in array_axes_
  std::uint64_t array_entries_ = 1;
};

// Sorted by index, none twice, none overlapping another in the file, none outside it.
std::vector<Chunk> read_chunk_index(const Scope& scope, const Layout& layout, const ChunkGrid& grid, bool filtered);

// Entry `number` of an array index.
struct ArrayEntry {
  std::uint64_t number = 0, address = 0, size = 0;
  std::uint32_t skipped = 0;
};
// Entries with an address, of a fixed or an extensible array. `chunk_bytes` is their size when they are not filtered.
std::vector<ArrayEntry> read_fixed_array(const Scope& scope, std::uint64_t address, bool filtered,
                                         std::uint64_t chunk_bytes);
std::vector<ArrayEntry> read_extensible_array(const Scope& scope, std::uint64_t address, bool filtered,
                                              std::uint64_t chunk_bytes);

}  // namespace ramet::hdf5
