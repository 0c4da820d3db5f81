#include "ramet/io/hdf5/filters.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "ramet/io/hdf5/checksum.h"

namespace ramet::hdf5 {
namespace {

std::string_view filter_name(unsigned id) {
  switch (id) {
    case 1: return "deflate";
    case 2: return "shuffle";
    case 3: return "fletcher32";
    case 4: return "szip";
    case 5: return "nbit";
    case 6: return "scaleoffset";
    case 32000: return "lzf";
    case 32001: return "blosc";
    case 32004: return "lz4";
    case 32015: return "zstd";
    default: return "unknown";
  }
}

std::vector<std::byte> inflated(const Scope& scope, std::span<const std::byte> stored, std::uint64_t most,
                                std::uint64_t at) {
  scope.check(most <= most_bytes_from(stored.size()), at, "chunk of ", stored.size(), " bytes cannot unpack to ", most);
  std::vector<std::byte> out(most);
  z_stream z{};
  if (inflateInit(&z) != Z_OK) throw DataError("HDF5: no memory to unpack a chunk");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&z, inflateEnd);
  // A chunk has less than 4 GiB, stored or not; zlib counts in 32 bits.
  scope.check(stored.size() <= 0xFFFFFFFFu && most <= 0xFFFFFFFFu, at, "chunk is larger than 4 GiB");
  z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(stored.data()));
  z.avail_in = static_cast<uInt>(stored.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int code = inflate(&z, Z_FINISH);
  scope.check(code != Z_BUF_ERROR || z.avail_out > 0, at, "chunk unpacks to more than the ", most, " bytes of a chunk");
  scope.check(code == Z_STREAM_END, at, "chunk's compressed data is damaged");
  out.resize(out.size() - z.avail_out);
  return out;
}

// The file holds all first bytes of the elements, then all second bytes, …; what is left over stands at the end.
std::vector<std::byte> unshuffled(std::span<const std::byte> in, std::uint32_t element) {
  std::vector<std::byte> out(in.begin(), in.end());
  const std::size_t count = in.size() / element;
  for (std::size_t b = 0; b < element; ++b)
    for (std::size_t i = 0; i < count; ++i) out[i * element + b] = in[b * count + i];
  return out;
}

}  // namespace

std::uint64_t most_bytes_from(std::uint64_t stored) {
  std::uint64_t most = 0;
  return multiply(stored, kBestRatio, most) && add(most, 4096, most) ? most : ~std::uint64_t{0};
}

std::vector<Filter> read_filters(const Scope& scope, const std::vector<Message>& messages) {
  std::vector<Filter> out;
  const Message* message = find_message(scope, messages, MessageType::filters);
  if (message == nullptr) return out;
  Cursor cursor(scope, message->body, message->address, "filters");
  const unsigned version = cursor.u8(), count = cursor.u8();
  cursor.check(version == 1 || version == 2, "have version ", version, "; 1 and 2 are known");
  if (version == 1) cursor.skip(6);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned id = cursor.u16();
    const std::uint64_t name = version == 1 || id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);  // flags
    const std::uint64_t values = cursor.u16();
    cursor.skip(version == 1 ? (name + 7) / 8 * 8 : name);
    cursor.skip(4 * values + (version == 1 && values % 2 == 1 ? 4 : 0));
    cursor.check(id >= 1 && id <= 3, "use '", filter_name(id), "' (", id,
                 "), which is not read; deflate, shuffle and "
                 "fletcher32 are");
    const Filter filter{static_cast<std::uint16_t>(id)};
    cursor.check(std::find(out.begin(), out.end(), filter) == out.end(), "use '", filter_name(id), "' twice");
    out.push_back(filter);
  }
  return out;
}

std::string to_string(const std::vector<Filter>& filters) {
  std::string out;
  for (const Filter filter : filters) {
    if (!out.empty()) out += ", ";
    out += filter_name(static_cast<unsigned>(filter));
  }
  return out;
}

std::vector<std::byte> unfilter(const Scope& scope, const std::vector<Filter>& filters, std::uint32_t skipped,
                                std::span<const std::byte> stored, std::uint64_t size, std::uint32_t element,
                                std::uint64_t at) {
  std::vector<std::byte> data(stored.begin(), stored.end());
  for (std::size_t i = filters.size(); i-- > 0;) {
    if (skipped >> i & 1) continue;
    switch (filters[i]) {
      case Filter::deflate: data = inflated(scope, data, size + 4, at); break;  // 4: a checksum may be inside
      case Filter::shuffle: data = unshuffled(data, element); break;
      case Filter::fletcher32: {
        scope.check(data.size() >= 4, at, "chunk is too short for its checksum");
        const std::uint64_t sum = little_endian(std::span(data).last(4));
        data.resize(data.size() - 4);
        if (scope.source().limits.verify_checksums)
          scope.check(fletcher32(data) == sum, at, "chunk does not match its checksum");
        break;
      }
    }
  }
  scope.check(data.size() == size, at, "chunk has ", data.size(), " bytes where ", size, " belong");
  return data;
}

}  // namespace ramet::hdf5
