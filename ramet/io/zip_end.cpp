#include <algorithm>

#include "ramet/base/error.h"
#include "ramet/io/zip_directory.h"
#include "ramet/io/zip_format.h"

namespace ramet::zip {
namespace {

// What an end record says, in either of its widths.
struct End {
  std::uint64_t disk = 0, directory_disk = 0, members_here = 0, members = 0, size = 0, offset = 0;
};

// The last signature in reach of the end counts, as in Python. Its comment must then reach the end of the archive, so
// that no second end record, before it or in the comment, can tell another reader another story.
std::uint64_t find_end(Bytes archive, const std::string& who) {
  constexpr std::uint64_t kMostComment = 0xFFFF;
  if (archive.size() < kEndBytes) refuse(who, 0, cat("too short for an archive: ", archive.size(), " bytes"));
  std::uint64_t at = archive.size() - kEndBytes;
  const std::uint64_t lowest = at - std::min(at, kMostComment);
  while (load_le<std::uint32_t>(archive, at) != kEnd) {
    if (at == lowest) refuse(who, archive.size(), "no end record; the file is not a zip archive or is cut short");
    --at;
  }
  const std::uint64_t comment = load_le<std::uint16_t>(archive, at + 20), rest = archive.size() - at - kEndBytes;
  if (comment != rest)
    refuse(who, at, cat("the end record announces a comment of ", comment, " bytes; ", rest, " bytes follow"));
  return at;
}

End read_end(Bytes record) {
  return {load_le<std::uint16_t>(record, 4),  load_le<std::uint16_t>(record, 6),  load_le<std::uint16_t>(record, 8),
          load_le<std::uint16_t>(record, 10), load_le<std::uint32_t>(record, 12), load_le<std::uint32_t>(record, 16)};
}

End read_end64(Bytes record) {
  return {load_le<std::uint32_t>(record, 16), load_le<std::uint32_t>(record, 20), load_le<std::uint64_t>(record, 24),
          load_le<std::uint64_t>(record, 32), load_le<std::uint64_t>(record, 40), load_le<std::uint64_t>(record, 48)};
}

// Each number of the small record is either full or the same as in the large one.
bool agree(const End& end, const End& wide) {
  const auto fits = [](std::uint64_t small, std::uint64_t full, std::uint64_t large) {
    return small == full || small == large;
  };
  return fits(end.disk, kFull16, wide.disk) && fits(end.directory_disk, kFull16, wide.directory_disk) &&
         fits(end.members_here, kFull16, wide.members_here) && fits(end.members, kFull16, wide.members) &&
         fits(end.size, kFull32, wide.size) && fits(end.offset, kFull32, wide.offset);
}

bool has_locator(Bytes archive, std::uint64_t end_at) {
  return end_at >= kEnd64LocatorBytes + kEnd64Bytes &&
         load_le<std::uint32_t>(archive, end_at - kEnd64LocatorBytes) == kEnd64Locator;
}

}  // namespace

void refuse(const std::string& who, std::uint64_t offset, const std::string& what) {
  throw DataError(cat(who, ": zip: ", what, "; at byte ", offset));
}

Directory find_directory(Bytes archive, const std::string& who) {
  const std::uint64_t end_at = find_end(archive, who);
  End end = read_end(archive.subspan(end_at, kEndBytes));
  std::uint64_t directory_end = end_at;
  if (has_locator(archive, end_at)) {
    const std::uint64_t locator_at = end_at - kEnd64LocatorBytes, wide_at = locator_at - kEnd64Bytes;
    const Bytes locator = archive.subspan(locator_at, kEnd64LocatorBytes);
    const Bytes record = archive.subspan(wide_at, kEnd64Bytes);
    if (load_le<std::uint64_t>(locator, 8) != wide_at || load_le<std::uint32_t>(record) != kEnd64 ||
        load_le<std::uint64_t>(record, 4) != kEnd64Bytes - 12)
      refuse(who, locator_at, "the zip64 end record is not where its locator says, or has another size");
    if (load_le<std::uint32_t>(locator, 4) != 0 || load_le<std::uint32_t>(locator, 16) > 1)
      refuse(who, locator_at, "the archive has several disks");
    const End wide = read_end64(record);
    if (!agree(end, wide)) refuse(who, wide_at, "the zip64 end record and the end record say different things");
    end = wide;
    directory_end = wide_at;
  } else if (end.members == kFull16 || end.size == kFull32 || end.offset == kFull32) {
    refuse(who, end_at, "the end record points to a zip64 end record; there is none before it");
  }

  if (end.disk != 0 || end.directory_disk != 0 || end.members_here != end.members)
    refuse(who, end_at, "the archive has several disks");
  if (end.size > directory_end || end.offset != directory_end - end.size)
    refuse(who, end_at,
           cat("the directory should lie before its end record: offset ", end.offset, ", size ", end.size,
               "; something was put before, between or after"));
  return {end.offset, end.size, end.members};
}

}  // namespace ramet::zip
