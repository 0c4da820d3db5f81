#include "ramet/io/hdf5/layout.h"

namespace ramet::hdf5 {
namespace {

void read_chunk_sizes(Cursor& cursor, Layout& out, unsigned dimensions, unsigned width, const Type& type,
                      const Dataspace& space) {
  cursor.check(dimensions == space.shape.size() + 1, "has chunks of ", int(dimensions) - 1,
               " dimensions for a shape of ", space.shape.size());
  out.chunk_bytes = 1;
  for (unsigned i = 0; i < dimensions; ++i) {
    const std::uint64_t size = cursor.number(width);
    cursor.check(size > 0, "has chunks of size 0");
    cursor.check(multiply(out.chunk_bytes, size, out.chunk_bytes) && out.chunk_bytes <= 0xFFFFFFFFu,
                 "has chunks of more than 4 GiB");
    if (i + 1 < dimensions)
      out.chunk.push_back(size);
    else
      cursor.check(size == type.size, "has chunks of elements of ", size, " bytes, but the type has ", type.size);
  }
}

void read_chunked_v3(Cursor& cursor, Layout& out, const Type& type, const Dataspace& space) {
  const unsigned dimensions = cursor.u8();
  out.address = cursor.address();
  read_chunk_sizes(cursor, out, dimensions, 4, type, space);
  out.index = ChunkIndex::btree_v1;
}

void read_chunked_v4(Cursor& cursor, Layout& out, const Type& type, const Dataspace& space) {
  const unsigned flags = cursor.u8(), dimensions = cursor.u8(), width = cursor.u8();
  cursor.check(width >= 1 && width <= 8, "writes chunk sizes with ", width, " bytes");
  out.whole_edges = (flags & 1) != 0;
  read_chunk_sizes(cursor, out, dimensions, width, type, space);
  const unsigned index = cursor.u8();
  cursor.check(index >= 1 && index <= 5, "has the unknown chunk index ", index);
  out.index = static_cast<ChunkIndex>(index);
  out.single_size = out.chunk_bytes;
  switch (out.index) {
    case ChunkIndex::single:
      if (flags & 2) {
        out.single_size = cursor.length();
        out.single_mask = cursor.u32();
      }
      break;
    case ChunkIndex::fixed_array: cursor.skip(1); break;  // the array repeats these in its header
    case ChunkIndex::extensible_array: cursor.skip(5); break;
    case ChunkIndex::btree_v2: cursor.skip(6); break;
    default: break;
  }
  out.address = cursor.address();
}

}  // namespace

Layout read_layout(const Scope& scope, const Message& message, const Type& type, const Dataspace& space,
                   std::uint64_t size) {
  Cursor cursor(scope, message.body, message.address, "layout");
  const unsigned version = cursor.u8();
  cursor.check(version == 3 || version == 4, "has version ", version, "; 3 and 4 are known");
  const unsigned kind = cursor.u8();
  cursor.check(kind != 3, "is virtual: the elements are in other files, which are not read");
  cursor.check(kind < 3, "is of the unknown class ", kind);

  Layout out;
  out.storage = static_cast<Storage>(kind);
  switch (out.storage) {
    case Storage::compact: {
      const std::uint64_t stored = cursor.u16();
      cursor.check(stored >= size, "holds ", stored, " bytes of ", size);
      out.address = cursor.at();
      out.bytes = cursor.take(stored).first(size);
      break;
    }
    case Storage::contiguous: {
      out.address = cursor.address();
      const std::uint64_t stored = cursor.length();
      if (out.address == kUndefined) break;
      cursor.check(stored >= size, "holds ", stored, " bytes of ", size);
      out.bytes = scope.bytes(out.address, size, "the elements");
      break;
    }
    case Storage::chunked:
      if (version == 3)
        read_chunked_v3(cursor, out, type, space);
      else
        read_chunked_v4(cursor, out, type, space);
  }
  return out;
}

std::span<const std::byte> read_fill_value(const Scope& scope, const std::vector<Message>& messages, const Type& type) {
  std::span<const std::byte> value;
  const auto take_value = [&](Cursor& cursor) {
    const std::uint32_t size = cursor.u32();
    if (size == 0) return;
    cursor.check(size == type.size, "has ", size, " bytes for elements of ", type.size);
    value = cursor.take(size);
  };
  if (const Message* fill = find_message(scope, messages, MessageType::fill_value)) {
    Cursor cursor(scope, fill->body, fill->address, "fill value");
    const unsigned version = cursor.u8();
    cursor.check(version >= 1 && version <= 3, "has version ", version, "; 1 to 3 are known");
    if (version == 3) {
      if (cursor.u8() & 0x20) take_value(cursor);
    } else {
      cursor.skip(2);  // when space is taken and filled
      const unsigned defined = cursor.u8();
      if (version == 1 || defined != 0) take_value(cursor);
    }
  } else if (const Message* old = find_message(scope, messages, MessageType::old_fill_value)) {
    Cursor cursor(scope, old->body, old->address, "fill value");
    take_value(cursor);
  }
  return value;
}

}  // namespace ramet::hdf5
