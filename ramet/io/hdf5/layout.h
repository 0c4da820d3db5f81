// Where and how a dataset's elements lie: layout, filter and fill value messages.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ramet/io/hdf5/datatype.h"
#include "ramet/io/hdf5/object_header.h"

namespace ramet::hdf5 {

enum class Storage : std::uint8_t { compact, contiguous, chunked };

enum class ChunkIndex : std::uint8_t {
  single = 1,
  implicit = 2,
  fixed_array = 3,
  extensible_array = 4,
  btree_v2 = 5,
  btree_v1 = 255,  // of layout version 3
};

struct Layout {
  Storage storage = Storage::contiguous;
  std::span<const std::byte> bytes;         // of compact and contiguous storage, empty when there are none
  std::uint64_t address = kUndefined;       // of these bytes, or of the chunk index
  std::vector<std::uint64_t> chunk;         // sizes of a chunk, in elements
  std::uint64_t chunk_bytes = 0;            // elements of a chunk × size of an element
  ChunkIndex index = ChunkIndex::btree_v1;  // how chunks are found
  bool whole_edges = false;                 // chunks that stick out are not filtered
  std::uint64_t single_size = 0;            // stored bytes of a filtered single chunk
  std::uint32_t single_mask = 0;            // and the filters it skipped
};

// `size` is the bytes of all elements. Refuses storage outside the file, virtual datasets, and old or unknown versions.
Layout read_layout(const Scope& scope, const Message& message, const Type& type, const Dataspace& space,
                   std::uint64_t size);

// The value of elements that were never written; empty when it is zero.
std::span<const std::byte> read_fill_value(const Scope& scope, const std::vector<Message>& messages, const Type& type);

}  // namespace ramet::hdf5
