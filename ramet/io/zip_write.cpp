#include "ramet/io/zip_write.h"

#include <algorithm>
#include <bit>

#include "ramet/base/error.h"
#include "ramet/base/quoted.h"
#include "ramet/io/bytes.h"
#include "ramet/io/crc32.h"
#include "ramet/io/zip_format.h"

namespace ramet {
namespace {

using namespace zip;

constexpr std::uint16_t kFirstOfJanuary1980 = 1 << 5 | 1;
constexpr std::uint16_t kVersion = 20, kVersionZip64 = 45, kMadeByUnix = 3 << 8;
constexpr std::uint32_t kPlainFile = 0100644u << 16;  // a regular file that everybody may read
constexpr std::uint64_t kZip64Field = 20;             // id, size, two numbers

std::uint16_t flags_of(std::string_view name) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return (c & 0x80) == 0; });
  return ascii ? 0 : kFlagUtf8;
}

std::uint32_t clamped(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kFull32));
}

void append_text(std::vector<std::byte>& to, std::string_view text) {
  const Bytes bytes = as_bytes_of(text);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// An extra field that moves what follows it to a multiple of `alignment`, if it does not stand there already.
void append_padding(std::vector<std::byte>& to, std::uint64_t position, std::size_t alignment) {
  const std::uint64_t without = position % alignment;
  if (without == 0) return;
  constexpr std::uint64_t kField = 6;  // id, size, the alignment
  const std::uint64_t zeros = (alignment - (position + kField) % alignment) % alignment;
  append_le(to, kExtraAlignment);
  append_le(to, static_cast<std::uint16_t>(2 + zeros));
  append_le(to, static_cast<std::uint16_t>(alignment));
  to.resize(to.size() + zeros);
}

}  // namespace

ZipWriter::ZipWriter(Sink& sink) : sink_(sink) {
  require(sink.position() == 0, "ZipWriter: an archive begins at the first byte; the sink already has ",
          sink.position());
}

void ZipWriter::add(std::string_view name, std::span<const std::byte> content, std::size_t alignment) {
  begin(name, content.size(), alignment);
  write(content);
  end();
}

void ZipWriter::begin(std::string_view name, std::uint64_t announced, std::size_t alignment) {
  require(!open_ && !finished_, "ZipWriter: begin(", quoted(name), ") before the last member ended, or after finish()");
  require(std::has_single_bit(alignment) && alignment <= 4096, "ZipWriter: alignment ", alignment,
          " is not a power of two up to 4096");
  const std::string fault = name_fault(name);
  require(fault.empty() && name.back() != '/', "ZipWriter: member ", quoted(name), ": ",
          fault.empty() ? "folders are not written" : fault);
  require(names_.insert(std::string(name)).second, "ZipWriter: member ", quoted(name), ": the name is taken");

  const bool wide = announced >= kFull32;
  entries_.push_back({std::string(name), sink_.position(), 0, 0, wide});
  announced_ = announced;
  open_ = true;

  std::vector<std::byte> extra;
  if (wide) {
    append_le(extra, kExtraZip64);
    append_le(extra, static_cast<std::uint16_t>(kZip64Field - 4));
    extra.resize(kZip64Field);  // put right by end()
  }
  append_padding(extra, sink_.position() + kLocalBytes + name.size() + extra.size(), alignment);

  std::vector<std::byte> header;
  append_le(header, kLocalHeader);
  append_le(header, wide ? kVersionZip64 : kVersion);
  append_le(header, flags_of(name));
  append_le(header, std::uint16_t{0});  // stored
  append_le(header, std::uint16_t{0});  // midnight
  append_le(header, kFirstOfJanuary1980);
  header.resize(header.size() + 12);  // CRC and sizes, put right by end()
  append_le(header, static_cast<std::uint16_t>(name.size()));
  append_le(header, static_cast<std::uint16_t>(extra.size()));
  append_text(header, name);
  header.insert(header.end(), extra.begin(), extra.end());
  sink_.write(header);
}

void ZipWriter::write(std::span<const std::byte> part) {
  require(open_, "ZipWriter: write() outside of a member");
  Entry& entry = entries_.back();
  require(part.size() <= announced_ - entry.size, "ZipWriter: member ", quoted(entry.name),
          ": more than the announced ", announced_, " bytes");
  entry.crc = extend_crc32(entry.crc, part);
  entry.size += part.size();
  sink_.write(part);
}

void ZipWriter::end() {
  require(open_, "ZipWriter: end() outside of a member");
  open_ = false;
  patch_header(entries_.back());
}

void ZipWriter::patch_header(const Entry& entry) {
  std::vector<std::byte> numbers;
  append_le(numbers, entry.crc);
  const auto size = entry.wide ? kFull32 : static_cast<std::uint32_t>(entry.size);
  append_le(numbers, size);
  append_le(numbers, size);
  sink_.patch(entry.header + 14, numbers);
  if (!entry.wide) return;
  std::vector<std::byte> sizes;
  append_le(sizes, entry.size);
  append_le(sizes, entry.size);
  sink_.patch(entry.header + kLocalBytes + entry.name.size() + 4, sizes);
}

void ZipWriter::append_central_header(std::vector<std::byte>& to, const Entry& entry) const {
  std::vector<std::uint64_t> wide;  // in the order of the specification: size, stored size, offset
  if (entry.size >= kFull32) wide.insert(wide.end(), 2, entry.size);
  if (entry.header >= kFull32) wide.push_back(entry.header);
  const auto version = wide.empty() && !entry.wide ? kVersion : kVersionZip64;

  append_le(to, kCentralHeader);
  append_le(to, static_cast<std::uint16_t>(kMadeByUnix | version));
  append_le(to, version);
  append_le(to, flags_of(entry.name));
  append_le(to, std::uint16_t{0});
  append_le(to, std::uint16_t{0});
  append_le(to, kFirstOfJanuary1980);
  append_le(to, entry.crc);
  append_le(to, clamped(entry.size));
  append_le(to, clamped(entry.size));
  append_le(to, static_cast<std::uint16_t>(entry.name.size()));
  append_le(to, static_cast<std::uint16_t>(wide.empty() ? 0 : 4 + 8 * wide.size()));
  append_le(to, std::uint16_t{0});  // no comment
  append_le(to, std::uint16_t{0});  // first disk
  append_le(to, std::uint16_t{0});  // no text
  append_le(to, kPlainFile);
  append_le(to, clamped(entry.header));
  append_text(to, entry.name);
  if (wide.empty()) return;
  append_le(to, kExtraZip64);
  append_le(to, static_cast<std::uint16_t>(8 * wide.size()));
  for (const std::uint64_t value : wide) append_le(to, value);
}

void ZipWriter::finish() {
  require(!open_ && !finished_, "ZipWriter: finish() inside of a member, or twice");
  finished_ = true;
  const std::uint64_t offset = sink_.position(), count = entries_.size();
  std::vector<std::byte> out;
  for (const Entry& entry : entries_) append_central_header(out, entry);
  const std::uint64_t size = out.size();

  if (count >= kFull16 || size >= kFull32 || offset >= kFull32) {
    append_le(out, kEnd64);
    append_le(out, kEnd64Bytes - 12);
    append_le(out, static_cast<std::uint16_t>(kMadeByUnix | kVersionZip64));
    append_le(out, kVersionZip64);
    append_le(out, std::uint32_t{0});
    append_le(out, std::uint32_t{0});
    for (const std::uint64_t value : {count, count, size, offset}) append_le(out, value);
    append_le(out, kEnd64Locator);
    append_le(out, std::uint32_t{0});
    append_le(out, offset + size);
    append_le(out, std::uint32_t{1});
  }
  const auto short_count = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, kFull16));
  append_le(out, kEnd);
  append_le(out, std::uint32_t{0});
  append_le(out, short_count);
  append_le(out, short_count);
  append_le(out, clamped(size));
  append_le(out, clamped(offset));
  append_le(out, std::uint16_t{0});
  sink_.write(out);
}

}  // namespace ramet
