#include "ramet/io/hdf5/chunks.h"

#include <algorithm>
#include <cstring>

#include "ramet/io/hdf5/chunk_index.h"

namespace ramet::hdf5 {
namespace {

// The part of a chunk that lies inside the shape, in elements.
struct Box {
  std::vector<std::uint64_t> start, size;
  bool whole = true;  // no part sticks out
};

Box box_of(const ChunkGrid& grid, std::uint64_t index, const Layout& layout, const Dataspace& space) {
  Box box;
  box.start = grid.position_of(index);
  for (std::size_t i = 0; i < box.start.size(); ++i) {
    box.start[i] *= layout.chunk[i];
    const std::uint64_t inside = static_cast<std::uint64_t>(space.shape[i]) - box.start[i];
    box.size.push_back(std::min(layout.chunk[i], inside));
    box.whole = box.whole && layout.chunk[i] <= inside;
  }
  return box;
}

// Copies row by row along the last axis.
void copy_box(const Box& box, const Layout& layout, const Dataspace& space, std::uint32_t element,
              std::span<const std::byte> chunk, std::span<std::byte> out) {
  const std::size_t rank = box.size.size();
  std::vector<std::uint64_t> at(rank, 0);
  const std::uint64_t run = box.size[rank - 1] * element;
  for (;;) {
    std::uint64_t from = 0, to = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      from = from * layout.chunk[i] + at[i];
      to = to * static_cast<std::uint64_t>(space.shape[i]) + box.start[i] + at[i];
    }
    std::memcpy(out.data() + to * element, chunk.data() + from * element, run);
    std::size_t axis = rank - 1;
    do {
      if (axis == 0) return;
      --axis;
      at[axis] = (at[axis] + 1) % box.size[axis];
    } while (at[axis] == 0);
  }
}

}  // namespace

void fill_elements(std::span<const std::byte> fill, std::span<std::byte> out) {
  if (fill.empty()) {
    std::fill(out.begin(), out.end(), std::byte{0});
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = fill[i % fill.size()];
}

void read_chunks(const Scope& scope, const Layout& layout, const Type& type, const Dataspace& space,
                 const std::vector<Filter>& filters, std::span<const std::byte> fill, std::span<std::byte> out) {
  if (out.empty()) return;
  const ChunkGrid grid(scope, layout, space);
  const std::vector<Chunk> chunks = read_chunk_index(scope, layout, grid, !filters.empty());
  std::uint64_t stored = 0;
  for (const Chunk& chunk : chunks) stored += chunk.size;  // they do not overlap, so this fits
  scope.check(out.size() <= most_bytes_from(stored), layout.address, "declares ", out.size(), " bytes, but stores ",
              stored);

  fill_elements(fill, out);
  for (const Chunk& chunk : chunks) {
    const auto bytes = scope.bytes(chunk.address, chunk.size, "chunk");
    const Box box = box_of(grid, chunk.index, layout, space);
    if (filters.empty() || (layout.whole_edges && !box.whole)) {
      scope.check(bytes.size() == layout.chunk_bytes, chunk.address, "chunk has ", bytes.size(), " bytes where ",
                  layout.chunk_bytes, " belong");
      copy_box(box, layout, space, type.size, bytes, out);
    } else {
      copy_box(box, layout, space, type.size,
               unfilter(scope, filters, chunk.skipped, bytes, layout.chunk_bytes, type.size, chunk.address), out);
    }
  }
}

}  // namespace ramet::hdf5
