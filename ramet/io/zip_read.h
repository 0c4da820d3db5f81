// Reads zip archives, and only those that every reader understands the same way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };  // the values are those in the file

struct ZipMember {
  std::string name;  // a folder's ends in '/'
  ZipMethod method = ZipMethod::stored;
  std::uint64_t size = 0;                     // of the content
  std::uint32_t crc = 0;                      // of the content
  std::uint64_t offset = 0, stored_size = 0;  // where its bytes lie in the archive, perhaps compressed

  bool is_folder() const { return name.ends_with('/'); }
};

// What the constructor accepts before it refuses.
struct ZipLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;  // contents of all members together
  std::size_t members = 10'000;
  std::function<bool(std::string_view)> allows_name = {};  // asked after zip::name_fault; empty allows every name
};

// An archive in memory that the caller keeps alive. The constructor checks the structure: the members lie one after the
// other from the first byte on, then comes the directory, then the end; headers and directory say the same; names are
// plain and single; nothing is encrypted, linked or in another method than stored and deflate. Contents are checked
// when they are read. Every failure is a DataError that begins with `who` and tells the offset. Const member functions
// are safe from several threads.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> archive, std::string who, const ZipLimits& limits = {});

  const std::vector<ZipMember>& members() const { return members_; }  // in the order of the directory
  const ZipMember* find(std::string_view name) const;                 // nullptr when absent

  // The content in place, not yet verified. DataError when it is compressed.
  std::span<const std::byte> stored_view(const ZipMember& member) const;

  // Compares the content with its CRC.
  void verify(const ZipMember& member) const;

  // The content, verified. Allocates `member.size` bytes, which `limits.bytes` bounds.
  std::vector<std::byte> read(const ZipMember& member) const;

 private:
  std::span<const std::byte> archive_;
  std::string who_;
  std::vector<ZipMember> members_;
};

}  // namespace ramet
