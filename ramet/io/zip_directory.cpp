#include "ramet/io/zip_directory.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "ramet/base/error.h"
#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/io/zip_format.h"

namespace ramet::zip {
namespace {

constexpr std::uint64_t kMostExpansion = 1032;  // deflate codes at most 258 bytes in two bits

// A member while it is checked.
struct Entry {
  ZipMember member;
  std::uint16_t flags = 0;
  std::uint64_t header = 0;  // offset of its local header
};

class Checker {
 public:
  Checker(Bytes archive, const std::string& who, const ZipLimits& limits)
      : archive_(archive), who_(who), limits_(limits), directory_(find_directory(archive, who)) {}

  std::vector<ZipMember> check() {
    read_directory();
    for (Entry& entry : entries_) check_local_header(entry);
    check_tiling();
    std::vector<ZipMember> members;
    for (Entry& entry : entries_) members.push_back(std::move(entry.member));
    return members;
  }

 private:
  [[noreturn]] void refuse_member(const Entry& entry, std::uint64_t offset, const std::string& what) const {
    refuse(who_, offset, cat("member ", quoted(entry.member.name), ": ", what));
  }

  void read_directory() {
    if (directory_.members > limits_.members)
      refuse(who_, directory_.offset, cat(directory_.members, " members; the limit is ", limits_.members));
    if (directory_.members > directory_.size / kCentralBytes)
      refuse(who_, directory_.offset,
             cat("a directory of ", directory_.size, " bytes cannot name ", directory_.members, " members"));
    std::unordered_set<std::string_view> names;
    entries_.reserve(directory_.members);
    std::uint64_t at = directory_.offset, bytes = 0;
    for (std::uint64_t i = 0; i < directory_.members; ++i) {
      const std::uint64_t begin = at;
      entries_.push_back(read_central_header(at));
      const Entry& entry = entries_.back();
      check_kind(entry, begin);
      if (!names.insert(entry.member.name).second) refuse_member(entry, begin, "the name is taken twice");
      if (entry.member.size > limits_.bytes - bytes)
        refuse_member(entry, begin, cat("the contents take more than the limit of ", limits_.bytes, " bytes"));
      bytes += entry.member.size;
    }
    if (at != directory_.offset + directory_.size) refuse(who_, at, "the directory does not end after its last member");
  }

  // A part of the directory; moves `at` behind it.
  Bytes take(std::uint64_t& at, std::uint64_t size) const {
    const std::uint64_t end = directory_.offset + directory_.size;
    if (size > end - at) refuse(who_, at, "the directory is cut short");
    at += size;
    return archive_.subspan(at - size, size);
  }

  Entry read_central_header(std::uint64_t& at) const {
    const std::uint64_t begin = at;
    const Bytes header = take(at, kCentralBytes);
    if (load_le<std::uint32_t>(header) != kCentralHeader)
      refuse(who_, begin, "the directory is damaged: no header here");
    const Bytes name = take(at, load_le<std::uint16_t>(header, 28));
    const Bytes extra = take(at, load_le<std::uint16_t>(header, 30));
    take(at, load_le<std::uint16_t>(header, 32));  // a comment

    Entry entry;
    entry.member.name = as_text(name);
    entry.flags = load_le<std::uint16_t>(header, 8);
    entry.member.method = static_cast<ZipMethod>(load_le<std::uint16_t>(header, 10));
    entry.member.crc = load_le<std::uint32_t>(header, 16);
    entry.member.stored_size = load_le<std::uint32_t>(header, 20);
    entry.member.size = load_le<std::uint32_t>(header, 24);
    entry.header = load_le<std::uint32_t>(header, 42);
    const std::optional<Bytes> wide = zip64_field(entry, extra, begin);
    std::size_t used = 0;
    for (std::uint64_t* value : {&entry.member.size, &entry.member.stored_size, &entry.header}) {
      if (*value != kFull32) continue;
      if (!wide || wide->size() < used + 8) refuse_member(entry, begin, "a zip64 number is missing");
      *value = load_le<std::uint64_t>(*wide, used);
      used += 8;
    }
    if (wide && wide->size() != used) refuse_member(entry, begin, "the zip64 field has numbers that nothing asks for");
    if (load_le<std::uint16_t>(header, 34) != 0) refuse_member(entry, begin, "it lies on another disk");
    const bool unix_made = load_le<std::uint16_t>(header, 4) >> 8 == 3;
    const std::uint32_t kind = load_le<std::uint32_t>(header, 38) >> 28;
    constexpr std::uint32_t kFile = 0x8, kFolder = 0x4;
    if (unix_made && kind != 0 && kind != kFile && kind != kFolder)
      refuse_member(entry, begin, "it is a symbolic link or a device");
    return entry;
  }

  // The zip64 extra field, once it is clear that the fields lie one after the other and no name hides among them.
  std::optional<Bytes> zip64_field(const Entry& entry, Bytes extra, std::uint64_t offset) const {
    std::optional<Bytes> found;
    while (!extra.empty()) {
      const std::size_t size = extra.size() >= 4 ? load_le<std::uint16_t>(extra, 2) : 0;
      if (extra.size() < 4 || size > extra.size() - 4) refuse_member(entry, offset, "its extra fields are damaged");
      const auto id = load_le<std::uint16_t>(extra);
      if (id == kExtraUnicodeName) refuse_member(entry, offset, "it has a second name");
      if (id == kExtraZip64 && found) refuse_member(entry, offset, "it has two zip64 fields");
      if (id == kExtraZip64) found = extra.subspan(4, size);
      extra = extra.subspan(4 + size);
    }
    return found;
  }

  // What the directory alone tells.
  void check_kind(const Entry& entry, std::uint64_t offset) const {
    const ZipMember& member = entry.member;
    const std::string fault = name_fault(member.name);
    if (!fault.empty()) refuse_member(entry, offset, fault);
    const bool ascii = std::all_of(member.name.begin(), member.name.end(), [](char c) { return (c & 0x80) == 0; });
    if (!ascii && !(entry.flags & kFlagUtf8))
      refuse_member(entry, offset, "the name is not ASCII and not said to be UTF-8");
    if (limits_.allows_name && !limits_.allows_name(member.name))
      refuse_member(entry, offset, "the name is not one expected here");
    if (entry.flags & kFlagEncrypted) refuse_member(entry, offset, "it is encrypted");
    const bool deflated = member.method == ZipMethod::deflated;
    if (!deflated && member.method != ZipMethod::stored)
      refuse_member(entry, offset,
                    cat("method ", static_cast<int>(member.method), "; only stored (0) and deflated (8) are read"));
    const auto known = kFlagDescriptor | kFlagUtf8 | (deflated ? kFlagsLevel : 0);
    if (entry.flags & ~known) refuse_member(entry, offset, cat("unknown flags ", entry.flags & ~known));
    if (!deflated && member.size != member.stored_size)
      refuse_member(entry, offset, cat("stored, but ", member.stored_size, " bytes give ", member.size));
    if (member.stored_size > directory_.offset)
      refuse_member(entry, offset, cat("it takes ", member.stored_size, " bytes, more than lie before the directory"));
    if (deflated && member.size > member.stored_size * kMostExpansion)
      refuse_member(entry, offset, cat(member.stored_size, " compressed bytes cannot give ", member.size));
    if (member.is_folder() && member.size != 0) refuse_member(entry, offset, "a folder has content");
  }

  // The header in front of the content must repeat what the directory says. With a descriptor behind the content it
  // may leave CRC and sizes at 0.
  void check_local_header(Entry& entry) const {
    ZipMember& member = entry.member;
    const std::uint64_t at = entry.header, end = directory_.offset;
    if (at > end || end - at < kLocalBytes) refuse_member(entry, at, "its header lies outside the members");
    const Bytes header = archive_.subspan(at, kLocalBytes);
    if (load_le<std::uint32_t>(header) != kLocalHeader) refuse_member(entry, at, "no header where the directory says");
    const std::uint64_t name_size = load_le<std::uint16_t>(header, 26), extra_size = load_le<std::uint16_t>(header, 28);
    if (name_size + extra_size > end - at - kLocalBytes) refuse_member(entry, at, "its header is cut short");
    const Bytes name = archive_.subspan(at + kLocalBytes, name_size);
    const Bytes extra = archive_.subspan(at + kLocalBytes + name_size, extra_size);
    if (as_text(name) != member.name) refuse_member(entry, at, cat("its header calls it ", quoted(as_text(name))));
    if (load_le<std::uint16_t>(header, 6) != entry.flags)
      refuse_member(entry, at, "header and directory have different flags");
    if (load_le<std::uint16_t>(header, 8) != static_cast<std::uint16_t>(member.method))
      refuse_member(entry, at, "header and directory have different methods");

    std::uint64_t crc = load_le<std::uint32_t>(header, 14), stored = load_le<std::uint32_t>(header, 18),
                  size = load_le<std::uint32_t>(header, 22);
    if (const auto wide = zip64_field(entry, extra, at)) {  // here it always has both sizes
      if (wide->size() != 16) refuse_member(entry, at, "the zip64 field of its header has another size than 16");
      if (size == kFull32) size = load_le<std::uint64_t>(*wide, 0);
      if (stored == kFull32) stored = load_le<std::uint64_t>(*wide, 8);
    }
    const bool later = entry.flags & kFlagDescriptor;
    const auto agrees = [&](std::uint64_t here, std::uint64_t there) { return here == there || (later && here == 0); };
    if (!agrees(crc, member.crc)) refuse_member(entry, at, "header and directory have different CRCs");
    if (!agrees(size, member.size) || !agrees(stored, member.stored_size))
      refuse_member(entry, at,
                    cat("header and directory have different sizes: ", stored, " for ", size, ", ", member.stored_size,
                        " for ", member.size));
    member.offset = at + kLocalBytes + name_size + extra_size;
    if (member.stored_size > end - member.offset) refuse_member(entry, at, "its content is cut short");
  }

  // From the first byte to the directory every byte belongs to exactly one member: nothing overlaps, nothing hides.
  void check_tiling() const {
    std::vector<const Entry*> order;
    for (const Entry& entry : entries_) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->header < b->header; });
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Entry& entry = *order[i];
      const std::uint64_t next = i + 1 < order.size() ? order[i + 1]->header : directory_.offset;
      if (entry.header < at)
        refuse_member(entry, entry.header, cat("overlaps member ", quoted(order[i - 1]->member.name)));
      if (entry.header > at) refuse_member(entry, at, cat(entry.header - at, " bytes before it belong to no member"));
      at = entry.member.offset + entry.member.stored_size;
      if (entry.flags & kFlagDescriptor) at += descriptor_size(entry, at, next);
    }
    if (at != directory_.offset) refuse(who_, at, "bytes between the last member and the directory belong to nobody");
  }

  // CRC and both sizes, narrow or wide, with a signature or without: `next` tells which.
  std::uint64_t descriptor_size(const Entry& entry, std::uint64_t at, std::uint64_t next) const {
    const std::uint64_t size = next > at ? next - at : 0;
    const auto allowed = {12, 16, 20, 24};
    if (std::find(allowed.begin(), allowed.end(), size) == allowed.end())
      refuse_member(entry, at, cat("no descriptor fits the ", size, " bytes behind its content"));
    Bytes descriptor = archive_.subspan(at, size);
    if (size == 16 || size == 24) {
      if (load_le<std::uint32_t>(descriptor) != kDescriptor) refuse_member(entry, at, "its descriptor is damaged");
      descriptor = descriptor.subspan(4);
    }
    const bool wide = descriptor.size() == 20;
    const std::uint64_t stored = wide ? load_le<std::uint64_t>(descriptor, 4) : load_le<std::uint32_t>(descriptor, 4);
    const std::uint64_t whole = wide ? load_le<std::uint64_t>(descriptor, 12) : load_le<std::uint32_t>(descriptor, 8);
    if (load_le<std::uint32_t>(descriptor) != entry.member.crc || stored != entry.member.stored_size ||
        whole != entry.member.size)
      refuse_member(entry, at, "descriptor and directory differ");
    return size;
  }

  Bytes archive_;
  const std::string& who_;
  const ZipLimits& limits_;
  Directory directory_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<ZipMember> read_members(Bytes archive, const std::string& who, const ZipLimits& limits) {
  return Checker(archive, who, limits).check();
}

}  // namespace ramet::zip
