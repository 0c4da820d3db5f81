#include "ramet/io/hdf5/chunk_index.h"

#include <algorithm>

#include "ramet/io/hdf5/btree_v1.h"
#include "ramet/io/hdf5/btree_v2.h"

namespace ramet::hdf5 {
namespace {

std::uint64_t chunks_for(std::uint64_t size, std::uint64_t chunk) { return size / chunk + (size % chunk != 0 ? 1 : 0); }

class IndexReader {
 public:
  IndexReader(const Scope& scope, const Layout& layout, const ChunkGrid& grid, bool filtered)
      : scope_(scope), layout_(layout), grid_(grid), filtered_(filtered) {}

  std::vector<Chunk> read() {
    if (layout_.address == kUndefined) return {};
    switch (layout_.index) {
      case ChunkIndex::single:
        for (std::size_t i = 0; i < grid_.rank(); ++i)
          scope_.check(grid_.count(i) == 1, layout_.address, "has one chunk, smaller than its shape");
        add(layout_.address, 0, layout_.single_size, layout_.single_mask);
        break;
      case ChunkIndex::implicit: read_implicit(); break;
      case ChunkIndex::fixed_array:
        add_entries(read_fixed_array(scope_, layout_.address, filtered_, layout_.chunk_bytes));
        break;
      case ChunkIndex::extensible_array:
        add_entries(read_extensible_array(scope_, layout_.address, filtered_, layout_.chunk_bytes));
        break;
      case ChunkIndex::btree_v1: read_btree_v1(); break;
      case ChunkIndex::btree_v2: read_btree_v2(); break;
    }
    check_order();
    return std::move(chunks_);
  }

 private:
  void add(std::uint64_t address, std::uint64_t index, std::uint64_t size, std::uint32_t skipped) {
    scope_.charge(sizeof(Chunk), address);
    scope_.check(filtered_ || size == layout_.chunk_bytes, address, "chunk ", index, " has ", size, " bytes where ",
                 layout_.chunk_bytes, " belong");
    scope_.bytes(address, size, "chunk");
    chunks_.push_back({index, address, size, skipped});
  }

  void add_entries(const std::vector<ArrayEntry>& entries) {
    for (const ArrayEntry& entry : entries)
      if (const auto index = grid_.from_array(entry.number)) add(entry.address, *index, entry.size, entry.skipped);
  }

  void read_implicit() {
    std::uint64_t total = 0;
    scope_.check(!filtered_, layout_.address, "chunks without an index cannot be filtered");
    scope_.check(multiply(grid_.array_entries(), layout_.chunk_bytes, total), layout_.address,
                 "declares more chunks than can be counted");
    scope_.bytes(layout_.address, total, "row of chunks");
    for (std::uint64_t i = 0; i < grid_.array_entries(); ++i)
      if (const auto index = grid_.from_array(i))
        add(layout_.address + i * layout_.chunk_bytes, *index, layout_.chunk_bytes, 0);
  }

  void read_btree_v1() {
    const std::uint64_t key_size = 8 + 8 * (grid_.rank() + 1);
    walk_btree_v1(scope_, layout_.address, BTreeV1Kind::chunk, key_size, [&](Cursor key, std::uint64_t child) {
      const std::uint64_t size = key.u32();
      const std::uint32_t skipped = key.u32();
      std::vector<std::uint64_t> position(grid_.rank());
      for (std::size_t i = 0; i < position.size(); ++i) {
        const std::uint64_t start = key.u64();
        key.check(start % layout_.chunk[i] == 0, "begins a chunk at ", start, ", which is no multiple of ",
                  layout_.chunk[i]);
        position[i] = start / layout_.chunk[i];
      }
      add_at(key, position, child, size, skipped);
    });
  }

  void read_btree_v2() {
    const auto kind = filtered_ ? BTreeV2Kind::filtered_chunk : BTreeV2Kind::chunk;
    walk_btree_v2(scope_, layout_.address, kind, [&](Cursor record) {
      const std::uint64_t address = record.address();
      std::uint64_t size = layout_.chunk_bytes;
      std::uint32_t skipped = 0;
      if (filtered_) {
        const std::uint64_t rest = 4 + 8 * grid_.rank();
        record.check(record.left() > rest && record.left() - rest <= 8, "has a length that fits no chunk");
        size = record.number(static_cast<unsigned>(record.left() - rest));
        skipped = record.u32();
      }
      std::vector<std::uint64_t> position(grid_.rank());
      for (std::uint64_t& p : position) p = record.u64();
      add_at(record, position, address, size, skipped);
    });
  }

  void add_at(const Cursor& record, const std::vector<std::uint64_t>& position, std::uint64_t address,
              std::uint64_t size, std::uint32_t skipped) {
    for (std::size_t i = 0; i < position.size(); ++i)
      record.check(position[i] < grid_.count(i), "names a chunk outside the shape");
    add(address, grid_.index_of(position), size, skipped);
  }

  void check_order() {
    std::sort(chunks_.begin(), chunks_.end(), [](const Chunk& a, const Chunk& b) { return a.address < b.address; });
    for (std::size_t i = 1; i < chunks_.size(); ++i)
      scope_.check(chunks_[i].address - chunks_[i - 1].address >= chunks_[i - 1].size, chunks_[i].address,
                   "two chunks share the same bytes");
    std::sort(chunks_.begin(), chunks_.end(), [](const Chunk& a, const Chunk& b) { return a.index < b.index; });
    for (std::size_t i = 1; i < chunks_.size(); ++i)
      scope_.check(chunks_[i].index != chunks_[i - 1].index, chunks_[i].address, "chunk ", chunks_[i].index,
                   " is stored twice");
  }

  const Scope& scope_;
  const Layout& layout_;
  const ChunkGrid& grid_;
  const bool filtered_;
  std::vector<Chunk> chunks_;
};

}  // namespace

ChunkGrid::ChunkGrid(const Scope& scope, const Layout& layout, const Dataspace& space) {
  for (std::size_t i = 0; i < space.shape.size(); ++i) {
    counts_.push_back(chunks_for(static_cast<std::uint64_t>(space.shape[i]), layout.chunk[i]));
    array_axes_.push_back(i);
  }
  if (layout.index == ChunkIndex::btree_v1 || layout.index == ChunkIndex::btree_v2) return;  // no array

  const auto endless = std::find(space.most.begin(), space.most.end(), kUndefined);
  if (endless != space.most.end()) {
    const auto axis = array_axes_.begin() + (endless - space.most.begin());
    std::rotate(array_axes_.begin(), axis, axis + 1);
  }
  array_strides_.resize(array_axes_.size());
  for (std::size_t i = array_axes_.size(); i-- > 0;) {
    const std::size_t axis = array_axes_[i];
    array_strides_[i] = array_entries_;
    if (i == 0 && space.most[axis] == kUndefined) {
      array_entries_ = kUndefined;
      break;
    }
    scope.check(multiply(array_entries_, chunks_for(space.most[axis], layout.chunk[axis]), array_entries_),
                layout.address, "may grow to more chunks than can be counted");
  }
}

std::uint64_t ChunkGrid::index_of(const std::vector<std::uint64_t>& position) const {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) index = index * counts_[i] + position[i];
  return index;
}

std::vector<std::uint64_t> ChunkGrid::position_of(std::uint64_t index) const {
  std::vector<std::uint64_t> position(counts_.size());
  for (std::size_t i = counts_.size(); i-- > 0; index /= counts_[i]) position[i] = index % counts_[i];
  return position;
}

std::optional<std::uint64_t> ChunkGrid::from_array(std::uint64_t entry) const {
  std::vector<std::uint64_t> position(counts_.size());
  for (std::size_t i = 0; i < array_axes_.size(); ++i) {
    if (array_strides_[i] == 0) return std::nullopt;
    position[array_axes_[i]] = entry / array_strides_[i];
    entry %= array_strides_[i];
    if (position[array_axes_[i]] >= counts_[array_axes_[i]]) return std::nullopt;
  }
  return index_of(position);
}

std::vector<Chunk> read_chunk_index(const Scope& scope, const Layout& layout, const ChunkGrid& grid, bool filtered) {
  return IndexReader(scope, layout, grid, filtered).read();
}

}  // namespace ramet::hdf5
