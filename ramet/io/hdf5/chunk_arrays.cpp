// Fixed and extensible arrays, the chunk indexes of newer files whose shape has at most one endless axis.
#include <bit>

#include "ramet/io/hdf5/chunk_index.h"

namespace ramet::hdf5 {
namespace {

// What both kinds of array share: the entries, and blocks that begin alike.
class ArrayReader {
 public:
  ArrayReader(const Scope& scope, std::uint64_t header, bool filtered, std::uint64_t chunk_bytes)
      : scope_(scope), header_(header), filtered_(filtered), chunk_bytes_(chunk_bytes) {}

  std::vector<ArrayEntry> entries;

 protected:
  std::uint64_t offset_size() const { return scope_.source().offset_size; }

  // Signature, version, and what is stored; a header goes on from here.
  void begin(Cursor& cursor, std::string_view signature) const {
    cursor.signature(signature);
    cursor.checksum_at_end();
    cursor.version(0);
    const unsigned client = cursor.u8();
    cursor.check(client == (filtered_ ? 1u : 0u), "is for ", client == 0 ? "plain" : "filtered", " chunks");
  }

  // A block of `size` bytes, opened after its prefix.
  Cursor block(std::uint64_t address, std::string_view signature, std::uint64_t size) {
    visited_.enter(scope_, address, "chunk array block");
    Cursor cursor(scope_, address, size, "chunk array block");
    scope_.charge(size, address);
    begin(cursor, signature);
    cursor.check(cursor.address() == header_, "belongs to another array");
    return cursor;
  }

  void set_entry_size(const Cursor& header, unsigned size) {
    entry_size_ = size;
    const bool fits = filtered_ ? size > offset_size() + 4 && size <= offset_size() + 12 : size == offset_size();
    header.check(fits, "has entries of ", size, " bytes");
  }

  void read_entries(Cursor& cursor, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      ArrayEntry entry{.number = first + i, .size = chunk_bytes_};
      entry.address = cursor.address();
      if (filtered_) {
        entry.size = cursor.number(static_cast<unsigned>(entry_size_ - offset_size() - 4));
        entry.skipped = cursor.u32();
      }
      if (entry.address == kUndefined) continue;
      scope_.charge(sizeof entry, entry.address);
      entries.push_back(entry);
    }
  }

  // Which pages have been written to: one bit each, the highest of a byte first.
  struct Bitmap {
    std::span<const std::byte> bytes;
    std::uint64_t first = 0;  // the bit of page 0
    bool has(std::uint64_t page) const {
      const std::uint64_t bit = first + page;
      return (bytes[bit / 8] & (std::byte{0x80} >> (bit % 8))) != std::byte{0};
    }
  };

  // Large blocks are cut into pages, each with a checksum; pages never written to are not there to be read.
  void read_pages(std::uint64_t address, std::uint64_t first, std::uint64_t count, std::uint64_t page,
                  const Bitmap& written) {
    const std::uint64_t page_bytes = page * entry_size_ + 4;
    for (std::uint64_t i = 0; i * page < count; ++i) {
      if (!written.has(i)) continue;
      const std::uint64_t here = std::min(page, count - i * page);
      Cursor cursor(scope_, address + i * page_bytes, here * entry_size_ + 4, "chunk array page");
      scope_.charge(here * entry_size_, address);
      cursor.checksum_at_end();
      read_entries(cursor, first + i * page, here);
    }
  }

  const Scope& scope_;
  const std::uint64_t header_;
  const bool filtered_;
  const std::uint64_t chunk_bytes_;
  std::uint64_t entry_size_ = 0;
  Visited visited_;
};

class FixedArray : public ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  void read() {
    Cursor header(scope_, header_, 12 + offset_size() + scope_.source().length_size, "fixed array");
    begin(header, "FAHD");
    set_entry_size(header, header.u8());
    const unsigned page_bits = header.u8();
    const std::uint64_t count = header.length(), address = header.address();
    header.check(page_bits < 32, "has pages of 2^", page_bits, " entries");
    header.check(count <= scope_.file_size(), "says it has ", count, " entries");
    if (address == kUndefined) return;

    const std::uint64_t page = std::uint64_t{1} << page_bits, prefix = 6 + offset_size();
    const bool paged = count > page;
    const std::uint64_t bitmap = paged ? ((count + page - 1) / page + 7) / 8 : 0;
    const std::uint64_t size = prefix + bitmap + (paged ? 0 : count * entry_size_) + 4;
    Cursor cursor = block(address, "FADB", size);
    const Bitmap written{cursor.take(bitmap)};
    if (!paged) read_entries(cursor, 0, count);
    if (paged) read_pages(address + size, 0, count, page, written);
  }
};

// An index block with the first entries, then data blocks of growing size: the smallest found from the index block,
// the others through secondary blocks. Level l has 2^(l/2) data blocks of 2^((l+1)/2) · smallest entries.
class ExtensibleArray : public ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  void read() {
    Cursor header(scope_, header_, 16 + offset_size() + 6 * scope_.source().length_size, "extensible array");
    begin(header, "EAHD");
    set_entry_size(header, header.u8());
    const unsigned bits = header.u8(), in_index = header.u8();
    smallest_ = header.u8();
    const std::uint64_t pointers = header.u8();
    const unsigned page_bits = header.u8();
    for (int i = 0; i < 6; ++i) header.length();  // counts
    const std::uint64_t index = header.address();
    header.check(
        std::has_single_bit(smallest_) && std::has_single_bit(pointers) && bits > 0 && bits <= 64 && page_bits < 32,
        "has block sizes that are no powers of two in range");
    const unsigned smallest_bits = static_cast<unsigned>(std::bit_width(smallest_)) - 1;
    header.check(bits >= smallest_bits, "is smaller than its blocks");
    page_ = std::uint64_t{1} << page_bits;
    number_width_ = (bits + 7) / 8;
    if (index == kUndefined) return;

    const unsigned levels = 1 + bits - smallest_bits;
    const unsigned direct_levels =
        std::min(levels, 2 * (static_cast<unsigned>(std::bit_width(pointers)) - 1));  // without secondary blocks
    const std::uint64_t addresses = 2 * (pointers - 1) + (levels - direct_levels);
    const std::uint64_t size = 6 + offset_size() + in_index * entry_size_ + addresses * offset_size() + 4;
    Cursor cursor = block(index, "EAIB", size);
    read_entries(cursor, 0, in_index);
    std::uint64_t first = in_index;
    for (unsigned level = 0; level < levels; ++level) {
      const std::uint64_t blocks = blocks_of(level), entries_each = entries_of(level);
      if (level < direct_levels) {
        for (std::uint64_t b = 0; b < blocks; ++b)
          read_data(cursor.address(), first + b * entries_each, entries_each, {});
      } else {
        read_secondary(cursor.address(), first, blocks, entries_each);
      }
      std::uint64_t here = 0;
      if (!multiply(blocks, entries_each, here) || !add(first, here, first)) break;  // nothing can lie beyond
    }
  }

 private:
  static std::uint64_t blocks_of(unsigned level) { return std::uint64_t{1} << level / 2; }
  std::uint64_t entries_of(unsigned level) const { return smallest_ << (level + 1) / 2; }

  void read_secondary(std::uint64_t address, std::uint64_t first, std::uint64_t blocks, std::uint64_t entries_each) {
    if (address == kUndefined) return;
    const std::uint64_t pages = entries_each > page_ ? entries_each / page_ : 0;
    const std::uint64_t bitmap =
        (pages + 7) / 8;  // room for each block's bits, which however follow each other closely
    scope_.check(blocks <= scope_.file_size() && bitmap <= scope_.file_size(), address,
                 "chunk array block is larger than the file");
    const std::uint64_t size = 6 + offset_size() + number_width_ + blocks * (bitmap + offset_size()) + 4;
    Cursor cursor = block(address, "EASB", size);
    cursor.skip(number_width_);
    const auto written = cursor.take(blocks * bitmap);
    for (std::uint64_t b = 0; b < blocks; ++b)
      read_data(cursor.address(), first + b * entries_each, entries_each, {written, b * pages});
  }

  void read_data(std::uint64_t address, std::uint64_t first, std::uint64_t count, const Bitmap& written) {
    if (address == kUndefined) return;
    const bool paged = count > page_;
    scope_.check(count <= scope_.file_size() && (!paged || !written.bytes.empty()), address, "chunk array block of ",
                 count, " entries is larger than the file or lacks its pages");
    const std::uint64_t size = 6 + offset_size() + number_width_ + (paged ? 0 : count * entry_size_) + 4;
    Cursor cursor = block(address, "EADB", size);
    cursor.skip(number_width_);
    if (!paged) read_entries(cursor, first, count);
    if (paged) read_pages(address + size, first, count, page_, written);
  }

  std::uint64_t smallest_ = 0, page_ = 0;
  unsigned number_width_ = 0;
};

}  // namespace

std::vector<ArrayEntry> read_fixed_array(const Scope& scope, std::uint64_t address, bool filtered,
                                         std::uint64_t chunk_bytes) {
  FixedArray array(scope, address, filtered, chunk_bytes);
  array.read();
  return std::move(array.entries);
}

std::vector<ArrayEntry> read_extensible_array(const Scope& scope, std::uint64_t address, bool filtered,
                                              std::uint64_t chunk_bytes) {
  ExtensibleArray array(scope, address, filtered, chunk_bytes);
  array.read();
  return std::move(array.entries);
}

}  // namespace ramet::hdf5
