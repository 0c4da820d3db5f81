// Builds zip archives byte by byte, so that a test can make any single field lie.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet::testing {

inline std::string le(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

inline std::string deflated(std::string_view content, int level = 9) {
  z_stream z{};
  deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, content.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// What both headers of a member say.
struct ZipHeader {
  std::string name, extra;
  unsigned flags = 0, method = 0;
  std::uint64_t crc = 0, stored = 0, size = 0;

  std::string fields() const {  // those in the same order in both
    return le(flags, 2) + le(method, 2) + le(0, 2) + le(33, 2) + le(crc, 4) + le(stored, 4) + le(size, 4) +
           le(name.size(), 2) + le(extra.size(), 2);
  }
};

struct ZipImagePart {
  ZipHeader local, central;
  std::string before, data, after;  // `after` is the descriptor
  std::string comment;
  unsigned made_by = 3 << 8 | 20, disk = 0;
  std::uint64_t attributes = 0;
  std::optional<std::uint64_t> offset;  // where the directory says it lies; unset: where it does
};

struct ZipImage {
  std::vector<ZipImagePart> parts;
  std::string before_directory, before_end, comment, after;
  unsigned disk = 0;
  std::optional<std::uint64_t> count, directory_size, directory_offset, comment_size;

  ZipImagePart& add(std::string_view name, std::string_view content, bool compress = false) {
    ZipImagePart part;
    part.data = compress ? deflated(content) : std::string(content);
    const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    part.local = {std::string(name), "", 0, compress ? 8u : 0u, crc, part.data.size(), content.size()};
    part.central = part.local;
    return parts.emplace_back(part);
  }

  std::string bytes() const {
    std::string out, directory;
    for (const ZipImagePart& part : parts) {
      out += part.before;
      const std::uint64_t offset = part.offset.value_or(out.size());
      out += "PK\3\4" + le(20, 2) + part.local.fields() + part.local.name + part.local.extra + part.data + part.after;
      directory += "PK\1\2" + le(part.made_by, 2) + le(20, 2) + part.central.fields() + le(part.comment.size(), 2) +
                   le(part.disk, 2) + le(0, 2) + le(part.attributes, 4) + le(offset, 4) + part.central.name +
                   part.central.extra + part.comment;
    }
    out += before_directory;
    const std::uint64_t begin = out.size();
    const std::uint64_t number = count.value_or(parts.size());
    out += directory + before_end;
    return out + "PK\5\6" + le(disk, 2) + le(disk, 2) + le(number, 2) + le(number, 2) +
           le(directory_size.value_or(directory.size()), 4) + le(directory_offset.value_or(begin), 4) +
           le(comment_size.value_or(comment.size()), 2) + comment + after;
  }
};

}  // namespace ramet::testing
