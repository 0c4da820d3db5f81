// The reader's view of the file: every read is checked, every refusal says where, all work is counted.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "ramet/base/error.h"
#include "ramet/io/hdf5/hdf5_read.h"

namespace ramet::hdf5 {

// The address of something that does not exist.
inline constexpr std::uint64_t kUndefined = ~std::uint64_t{0};

// False when the result does not fit; then `out` is not to be used.
[[nodiscard]] inline bool add(std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
  return !__builtin_add_overflow(a, b, &out);
}
[[nodiscard]] inline bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}

// Little-endian number of up to 8 bytes.
std::uint64_t little_endian(std::span<const std::byte> bytes);

// Bytes needed to write numbers up to `limit`, as HDF5 counts them.
unsigned width_of(std::uint64_t limit);

struct Source {
  std::span<const std::byte> bytes;  // what addresses point into: from the base address to the end of the file
  std::uint64_t base = 0;            // where that begins in what the caller gave, for messages
  unsigned offset_size = 8, length_size = 8;
  Limits limits;
};

// How much structure may still be looked at, in bytes of the file and of memory to remember it. Honest files stay far
// below; only files made to be slow, by letting many things point to the same large one, run out of it.
class Budget {
 public:
  explicit Budget(std::uint64_t file_size) : left_(16 * std::min(file_size, std::uint64_t{1} << 56) + (1 << 16)) {}
  bool spend(std::uint64_t bytes) {
    std::uint64_t left = left_.load();
    while (bytes <= left)
      if (left_.compare_exchange_weak(left, left - bytes)) return true;
    return false;
  }

 private:
  std::atomic<std::uint64_t> left_;
};

// Who is being read, for messages and for the account.
class Scope {
 public:
  Scope(const Source& source, Budget& budget, std::string path)
      : source_(&source), budget_(&budget), path_(std::move(path)) {}

  const Source& source() const { return *source_; }
  const std::string& path() const { return path_; }
  std::uint64_t file_size() const { return source_->bytes.size(); }
  Scope with_budget(Budget& budget) const { return Scope(*source_, budget, path_); }

  // Throws DataError: "HDF5 'path' at byte N: …" in one line without control characters.
  template <class... Parts>
  [[noreturn]] void refuse(std::uint64_t address, const Parts&... parts) const {
    refuse_text(address, cat(parts...));
  }
  template <class... Parts>
  void check(bool holds, std::uint64_t address, const Parts&... parts) const {
    if (!holds) refuse_text(address, cat(parts...));
  }

  void charge(std::uint64_t bytes, std::uint64_t address) const;

  // The bytes [address, address + length) of the file.
  std::span<const std::byte> bytes(std::uint64_t address, std::uint64_t length, std::string_view what) const;

 private:
  [[noreturn]] void refuse_text(std::uint64_t address, std::string text) const;
  const Source* source_;
  Budget* budget_;
  std::string path_;
};

// Reads one structure from front to back; reading past its end is refused.
class Cursor {
 public:
  Cursor(const Scope& scope, std::uint64_t address, std::uint64_t length, std::string_view what)
      : Cursor(scope, scope.bytes(address, length, what), address, what) {}
  Cursor(const Scope& scope, std::span<const std::byte> bytes, std::uint64_t address, std::string_view what)
      : scope_(&scope), bytes_(bytes), address_(address), what_(what) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::uint64_t number(unsigned bytes) { return little_endian(take(bytes)); }
  std::uint64_t address();  // kUndefined when all its bits are set
  std::uint64_t length() { return number(scope_->source().length_size); }
  std::uint64_t limit();  // a length, kUndefined when all its bits are set

  std::span<const std::byte> take(std::uint64_t count);
  void skip(std::uint64_t count) { take(count); }
  std::string_view text(std::uint64_t count);  // `count` bytes
  std::string_view text_to_nul();              // up to a NUL, which is skipped

  void signature(std::string_view expected);
  void version(std::uint8_t expected);  // a byte

  std::uint64_t at() const { return address_ + position_; }  // where in the file the next byte is
  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return bytes_.size() - position_; }
  std::span<const std::byte> all() const { return bytes_; }
  const Scope& scope() const { return *scope_; }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    scope_->refuse(at(), what_, " ", parts...);
  }
  template <class... Parts>
  void check(bool holds, const Parts&... parts) const {
    if (!holds) refuse(parts...);
  }

  // The next four bytes are the checksum of everything before them.
  void checksum();
  // The last four bytes are the checksum of everything before them; they are checked now and not read any more.
  void checksum_at_end();

 private:
  std::uint64_t undefined_if_full(unsigned size);
  const Scope* scope_;
  std::span<const std::byte> bytes_;
  std::uint64_t address_;
  std::uint64_t position_ = 0;
  std::string_view what_;
};

// Addresses already read: a second visit is a loop or a forgery.
class Visited {
 public:
  void enter(const Scope& scope, std::uint64_t address, std::string_view what) {
    scope.check(seen_.insert(address).second, address, what, " is reached twice: the structure is a loop");
  }

 private:
  std::set<std::uint64_t> seen_;
};

}  // namespace ramet::hdf5
