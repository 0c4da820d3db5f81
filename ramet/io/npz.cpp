#include "ramet/io/npz.h"

#include "ramet/base/quoted.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/io/npy.h"
#include "ramet/io/npy_header.h"
#include "ramet/io/zip_read.h"
#include "ramet/io/zip_write.h"

namespace ramet {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::size_t kAlignment = 64;

}  // namespace

NamedArrays parse_npz(std::span<const std::byte> file, const std::string& who, std::uint64_t limit) {
  const auto is_array = [](std::string_view name) { return name.size() > kSuffix.size() && name.ends_with(kSuffix); };
  const ZipReader zip(file, who, {.bytes = limit, .allows_name = is_array});
  NamedArrays arrays;
  for (const ZipMember& member : zip.members()) {
    std::vector<std::byte> unpacked;
    Bytes content;
    if (member.method == ZipMethod::stored) {
      zip.verify(member);
      content = zip.stored_view(member);
    } else {
      unpacked = zip.read(member);
      content = unpacked;
    }
    arrays.emplace_back(member.name.substr(0, member.name.size() - kSuffix.size()),
                        parse_npy(content, cat(who, ": member ", quoted(member.name))));
  }
  return arrays;
}

NamedArrays load_npz(const std::string& path, std::uint64_t limit) {
  const auto file = MappedFile::open(path);
  return file->read([&](Bytes bytes) { return parse_npz(bytes, cat("file ", quoted(path)), limit); });
}

void write_npz(Sink& sink, const NamedArrays& arrays) {
  ZipWriter zip(sink);
  for (const auto& [name, array] : arrays) {
    require(array.defined(), "npz: array ", quoted(name), " has no shape (default constructed)");
    const std::string header = npy_header_text(array.dtype(), array.shape());
    zip.begin(name + std::string(kSuffix), header.size() + array.byte_size(), kAlignment);
    zip.write(as_bytes_of(header));
    zip.write({static_cast<const std::byte*>(array.raw()), array.byte_size()});
    zip.end();
  }
  zip.finish();
}

void save_npz(const std::string& path, const NamedArrays& arrays) {
  AtomicFile file(path);
  write_npz(file, arrays);
  file.commit();
}

}  // namespace ramet
