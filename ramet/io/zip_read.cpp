#include "ramet/io/zip_read.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "ramet/base/error.h"
#include "ramet/base/quoted.h"
#include "ramet/io/crc32.h"
#include "ramet/io/zip_directory.h"

namespace ramet {
namespace {

// Raw deflate that takes all of `from` and fills all of `to`. Otherwise says what is wrong.
std::string inflate_exactly(Bytes from, std::span<std::byte> to) {
  z_stream zlib{};
  constexpr int kRaw = -15;  // the largest window, no header
  if (inflateInit2(&zlib, kRaw) != Z_OK) throw DeviceError("zip: out of memory");
  struct End {
    z_stream& zlib;
    ~End() { inflateEnd(&zlib); }
  } end{zlib};

  constexpr std::size_t kStep = std::numeric_limits<uInt>::max();
  std::byte beyond{};  // room for the byte too many
  int result = Z_OK;
  while (result == Z_OK) {
    const std::size_t in = std::min(from.size(), kStep), out = std::min(to.size(), kStep);
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
    zlib.avail_in = static_cast<uInt>(in);
    zlib.next_out = reinterpret_cast<Bytef*>(to.empty() ? &beyond : to.data());
    zlib.avail_out = static_cast<uInt>(to.empty() ? 1 : out);
    result = inflate(&zlib, Z_NO_FLUSH);
    from = from.subspan(in - zlib.avail_in);
    if (to.empty()) {
      if (zlib.avail_out == 0) return "the compressed data gives more than the announced size";
    } else {
      to = to.subspan(out - zlib.avail_out);
    }
    if (result == Z_BUF_ERROR) return "the compressed data is cut short";
  }
  if (result != Z_STREAM_END) return cat("the compressed data is damaged: ", zlib.msg ? zlib.msg : "unknown reason");
  if (!to.empty()) return cat("the compressed data gives ", to.size(), " bytes less than announced");
  if (!from.empty()) return cat(from.size(), " bytes follow the end of the compressed data");
  return {};
}

}  // namespace

ZipReader::ZipReader(std::span<const std::byte> archive, std::string who, const ZipLimits& limits)
    : archive_(archive), who_(std::move(who)), members_(zip::read_members(archive, who_, limits)) {}

const ZipMember* ZipReader::find(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

std::span<const std::byte> ZipReader::stored_view(const ZipMember& member) const {
  if (member.method != ZipMethod::stored)
    zip::refuse(who_, member.offset,
                cat("member ", quoted(member.name), ": it is compressed; only stored ones can be read in place"));
  return archive_.subspan(member.offset, member.stored_size);
}

void ZipReader::verify(const ZipMember& member) const {
  if (member.method == ZipMethod::deflated) return void(read(member));
  if (crc32_of(stored_view(member)) != member.crc)
    zip::refuse(who_, member.offset,
                cat("member ", quoted(member.name), ": the content is damaged: its CRC is another"));
}

std::vector<std::byte> ZipReader::read(const ZipMember& member) const {
  if (member.method == ZipMethod::stored) {
    verify(member);
    const auto view = stored_view(member);
    return {view.begin(), view.end()};
  }
  std::vector<std::byte> content(member.size);
  const std::string fault = inflate_exactly(archive_.subspan(member.offset, member.stored_size), content);
  if (!fault.empty()) zip::refuse(who_, member.offset, cat("member ", quoted(member.name), ": ", fault));
  if (crc32_of(content) != member.crc)
    zip::refuse(who_, member.offset,
                cat("member ", quoted(member.name), ": the content is damaged: its CRC is another"));
  return content;
}

}  // namespace ramet
