// Fractal heaps: where newer files keep the links and attributes of objects that have many.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

struct HeapObject {
  std::span<const std::byte> bytes;
  std::uint64_t address = 0;
};

// Opened once for all objects that are wanted from it. `scope` must outlive it. Compressed heaps are refused.
class FractalHeap {
 public:
  FractalHeap(const Scope& scope, std::uint64_t address);

  // REQUIRES: `id` is read from a record of the tree that belongs to this heap.
  HeapObject object(std::span<const std::byte> id, std::uint64_t at);

 private:
  struct Block {
    std::uint64_t address = 0, size = 0;
  };
  void read_direct(std::uint64_t address, std::uint64_t offset, std::uint64_t size);
  void read_indirect(std::uint64_t address, std::uint64_t offset, std::uint64_t rows, unsigned depth);
  std::uint64_t row_size(std::uint64_t row) const;
  HeapObject managed(Cursor& id);
  HeapObject huge(Cursor& id);

  const Scope& scope_;
  std::uint64_t address_;
  std::uint64_t huge_tree_ = kUndefined;
  std::uint64_t width_ = 0, first_size_ = 0, largest_direct_ = 0;
  std::uint64_t direct_rows_ = 0;
  unsigned offset_width_ = 0, length_width_ = 0;
  bool checksummed_ = false;
  Visited visited_;
  std::map<std::uint64_t, Block> blocks_;                    // by offset in the heap
  std::optional<std::map<std::uint64_t, HeapObject>> huge_;  // by id, read when first needed
};

}  // namespace ramet::hdf5
