#include "ramet/io/hdf5/fractal_heap.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "ramet/io/hdf5/btree_v2.h"
#include "ramet/io/hdf5/checksum.h"

namespace ramet::hdf5 {
namespace {

constexpr unsigned kDeepest = 32;

unsigned log2_of(std::uint64_t power) { return static_cast<unsigned>(std::bit_width(power)) - 1; }

}  // namespace

FractalHeap::FractalHeap(const Scope& scope, std::uint64_t address) : scope_(scope), address_(address) {
  const unsigned offset = scope.source().offset_size, length = scope.source().length_size;
  Cursor cursor(scope, address, 26 + 3 * offset + 12 * length, "fractal heap");
  cursor.signature("FRHP");
  cursor.checksum_at_end();
  cursor.version(0);
  cursor.skip(2);  // length of ids
  cursor.check(cursor.u16() == 0, "is compressed, which is not read");
  checksummed_ = (cursor.u8() & 2) != 0;
  const std::uint64_t largest_managed = cursor.u32();
  cursor.length();  // next id of a huge object
  huge_tree_ = cursor.address();
  cursor.length();
  cursor.address();                             // free space
  for (int i = 0; i < 8; ++i) cursor.length();  // counts
  width_ = cursor.u16();
  first_size_ = cursor.length();
  largest_direct_ = cursor.length();
  const unsigned bits = cursor.u16();
  cursor.u16();  // rows of the root block at first
  const std::uint64_t root = cursor.address();
  const std::uint64_t rows = cursor.u16();

  const bool sound = std::has_single_bit(width_) && std::has_single_bit(first_size_) &&
                     std::has_single_bit(largest_direct_) && first_size_ <= largest_direct_ &&
                     largest_direct_ <= std::uint64_t{1} << 32 && bits > 0 && bits <= 64;
  cursor.check(sound, "has block sizes that are no powers of two in range");
  offset_width_ = (bits + 7) / 8;
  length_width_ = std::min(width_of(largest_direct_), width_of(largest_managed));
  direct_rows_ = log2_of(largest_direct_) - log2_of(first_size_) + 2;
  if (root == kUndefined) return;
  if (rows == 0)
    read_direct(root, 0, first_size_);
  else
    read_indirect(root, 0, rows, 0);
}

// Blocks of the first two rows have the first size; it doubles from row to row.
std::uint64_t FractalHeap::row_size(std::uint64_t row) const { return first_size_ << (row > 1 ? row - 1 : 0); }

void FractalHeap::read_direct(std::uint64_t address, std::uint64_t offset, std::uint64_t size) {
  visited_.enter(scope_, address, "fractal heap block");
  Cursor cursor(scope_, address, size, "fractal heap block");
  scope_.charge(64 + (checksummed_ ? size : 0), address);
  cursor.signature("FHDB");
  cursor.version(0);
  cursor.check(cursor.address() == address_, "belongs to another heap");
  cursor.check(cursor.number(offset_width_) == offset, "is not the block at offset ", offset);
  cursor.check(!checksummed_ || cursor.left() >= 4, "is too small for its checksum");
  if (checksummed_ && scope_.source().limits.verify_checksums) {
    std::vector<std::byte> zeroed(cursor.all().begin(), cursor.all().end());  // the sum stands inside what it covers
    std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(cursor.position()), 4, std::byte{0});
    cursor.check(metadata_checksum(zeroed) == cursor.u32(), "does not match its checksum");
  }
  blocks_[offset] = {address, size};
}

void FractalHeap::read_indirect(std::uint64_t address, std::uint64_t offset, std::uint64_t rows, unsigned depth) {
  visited_.enter(scope_, address, "fractal heap block");
  scope_.check(depth < kDeepest && rows < 64, address, "fractal heap block has ", rows, " rows at depth ", depth);
  const std::uint64_t size = 5 + scope_.source().offset_size * (1 + rows * width_) + offset_width_ + 4;
  Cursor cursor(scope_, address, size, "fractal heap block");
  scope_.charge(size, address);
  cursor.signature("FHIB");
  cursor.checksum_at_end();
  cursor.version(0);
  cursor.check(cursor.address() == address_, "belongs to another heap");
  cursor.check(cursor.number(offset_width_) == offset, "is not the block at offset ", offset);
  for (std::uint64_t row = 0; row < rows; ++row) {
    cursor.check(log2_of(first_size_) + row < 62, "has a row of blocks too large to count");
    const std::uint64_t block = row_size(row);
    for (std::uint64_t i = 0; i < width_; ++i) {
      const std::uint64_t child = cursor.address();
      if (child != kUndefined && row < direct_rows_) read_direct(child, offset, block);
      if (child != kUndefined && row >= direct_rows_) {
        cursor.check(block >= first_size_ * width_, "has rows too small for blocks below them");
        read_indirect(child, offset, log2_of(block) - log2_of(first_size_ * width_) + 1, depth + 1);
      }
      cursor.check(add(offset, block, offset), "has offsets too large to count");
    }
  }
}

HeapObject FractalHeap::object(std::span<const std::byte> id, std::uint64_t at) {
  Cursor cursor(scope_, id, at, "heap id");
  const unsigned first = cursor.u8();
  cursor.check(first >> 6 == 0, "has version ", first >> 6, "; only 0 is known");
  switch (first >> 4 & 3) {
    case 0: return managed(cursor);
    case 1: return huge(cursor);
    case 2: {
      const std::uint64_t start = cursor.at();
      return {cursor.take((first & 15) + 1), start};
    }
    default: cursor.refuse("is of an unknown kind");
  }
}

HeapObject FractalHeap::managed(Cursor& id) {
  const std::uint64_t offset = id.number(offset_width_), length = id.number(length_width_);
  auto block = blocks_.upper_bound(offset);
  id.check(block != blocks_.begin(), "points to offset ", offset, ", where the heap has no block");
  --block;
  const std::uint64_t inside = offset - block->first;
  id.check(inside <= block->second.size && length <= block->second.size - inside, "points to ", length,
           " bytes at offset ", offset, ", which no block of the heap holds");
  const std::uint64_t address = block->second.address + inside;
  return {scope_.bytes(address, length, "heap object"), address};
}

HeapObject FractalHeap::huge(Cursor& id) {
  if (!huge_) {
    huge_.emplace();
    walk_btree_v2(scope_, huge_tree_, BTreeV2Kind::huge_object, [&](Cursor record) {
      const std::uint64_t address = record.address(), length = record.length(), number = record.length();
      scope_.charge(sizeof(HeapObject), address);
      (*huge_)[number] = {scope_.bytes(address, length, "huge heap object"), address};
    });
  }
  const std::uint64_t number = id.number(static_cast<unsigned>(std::min<std::uint64_t>(id.left(), 8)));
  const auto found = huge_->find(number);
  id.check(found != huge_->end(), "names the huge object ", number, ", which the heap does not have");
  return found->second;
}

}  // namespace ramet::hdf5
