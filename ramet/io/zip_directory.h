// The structure of a zip archive: its end, its directory, and the headers that the directory points to.
#pragma once
#include <string>
#include <vector>

#include "ramet/io/bytes.h"
#include "ramet/io/zip_read.h"

namespace ramet::zip {

// Throws DataError "<who>: zip: <what>; at byte <offset>".
[[noreturn]] void refuse(const std::string& who, std::uint64_t offset, const std::string& what);

// Where the directory lies, and how many members it names.
struct Directory {
  std::uint64_t offset = 0, size = 0, members = 0;
};

Directory find_directory(Bytes archive, const std::string& who);

// Everything that ZipReader's constructor promises to check.
std::vector<ZipMember> read_members(Bytes archive, const std::string& who, const ZipLimits& limits);

}  // namespace ramet::zip
