// Writes zip archives of stored members.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ramet/io/sink.h"

namespace ramet {

// Members are written in the order given, stored, dated 1980-01-01: equal contents give equal bytes. The sink is empty
// at first and stays the caller's (an AtomicFile is committed after finish()). One thread at a time.
class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink);

  // A whole member. The first byte of its content stands at a multiple of `alignment`, a power of two up to 4096.
  // UsageError for a name that is taken or that ZipReader would refuse.
  void add(std::string_view name, std::span<const std::byte> content, std::size_t alignment = 1);

  // A member in parts: begin, write as often as you like, end. `announced` is its size, or more when it is not known
  // exactly; writing more than that is a UsageError. It decides whether the header needs 64-bit sizes.
  void begin(std::string_view name, std::uint64_t announced, std::size_t alignment = 1);
  void write(std::span<const std::byte> part);
  void end();

  // The directory. Nothing may follow.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t header = 0, size = 0;  // offset of the header, bytes of the content
    std::uint32_t crc = 0;
    bool wide = false;  // its header has 64-bit sizes
  };

  void patch_header(const Entry& entry);
  void append_central_header(std::vector<std::byte>& to, const Entry& entry) const;

  Sink& sink_;
  std::vector<Entry> entries_;
  std::unordered_set<std::string> names_;
  std::uint64_t announced_ = 0;
  bool open_ = false, finished_ = false;
};

}  // namespace ramet
