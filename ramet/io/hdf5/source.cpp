#include "ramet/io/hdf5/source.h"

#include <algorithm>
#include <bit>

#include "ramet/io/hdf5/checksum.h"

namespace ramet::hdf5 {
namespace {

std::string shortened(const std::string& path) {
  constexpr std::size_t kLongest = 200;
  return path.size() <= kLongest ? path : path.substr(0, kLongest) + "…";
}

}  // namespace

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

unsigned width_of(std::uint64_t limit) {
  return limit == 0 ? 1 : (static_cast<unsigned>(std::bit_width(limit)) - 1) / 8 + 1;
}

void Scope::charge(std::uint64_t bytes, std::uint64_t address) const {
  check(budget_->spend(bytes), address, "takes more work to read than a file of ", file_size(), " bytes justifies");
}

std::span<const std::byte> Scope::bytes(std::uint64_t address, std::uint64_t length, std::string_view what) const {
  const auto all = source_->bytes;
  check(address != kUndefined, address, what, " has no address");
  check(address <= all.size() && length <= all.size() - address, address, what, " of ", length,
        " bytes lies outside the file of ", all.size());
  return all.subspan(address, length);
}

void Scope::refuse_text(std::uint64_t address, std::string text) const {
  std::uint64_t place = 0;
  if (!add(address, source_->base, place)) place = address;
  const std::string where = address == kUndefined ? "" : cat(" at byte ", place);
  throw DataError(cat("HDF5 '", shortened(path_), "'", where, ": ", text));
}

std::uint64_t Cursor::address() { return undefined_if_full(scope_->source().offset_size); }

std::uint64_t Cursor::limit() { return undefined_if_full(scope_->source().length_size); }

std::uint64_t Cursor::undefined_if_full(unsigned size) {
  const std::uint64_t value = number(size);
  const std::uint64_t full = size == 8 ? kUndefined : (std::uint64_t{1} << 8 * size) - 1;
  return value == full ? kUndefined : value;
}

std::span<const std::byte> Cursor::take(std::uint64_t count) {
  if (count > left()) refuse("is cut short: ", count, " bytes needed, ", left(), " left");
  const auto out = bytes_.subspan(position_, count);
  position_ += count;
  return out;
}

std::string_view Cursor::text(std::uint64_t count) {
  const auto bytes = take(count);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view Cursor::text_to_nul() {
  const auto rest = bytes_.subspan(position_);
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  check(end != rest.end(), "has a name without an end");
  const std::string_view out = text(static_cast<std::uint64_t>(end - rest.begin()));
  ++position_;
  return out;
}

void Cursor::signature(std::string_view expected) {
  const std::uint64_t start = at();
  const std::string_view got = text(expected.size());
  scope_->check(got == expected, start, what_, " does not begin with '", expected, "'");
}

void Cursor::version(std::uint8_t expected) {
  const int got = u8();
  check(got == expected, "has version ", got, "; only ", int{expected}, " is known");
}

void Cursor::checksum() {
  const auto covered = bytes_.first(position_);
  const std::uint32_t stored = u32();
  if (!scope_->source().limits.verify_checksums) return;
  check(metadata_checksum(covered) == stored, "does not match its checksum");
}

void Cursor::checksum_at_end() {
  check(left() >= 4, "is too short for its checksum");
  const std::uint64_t stored = little_endian(bytes_.last(4));
  bytes_ = bytes_.first(bytes_.size() - 4);
  if (!scope_->source().limits.verify_checksums) return;
  check(metadata_checksum(bytes_) == stored, "does not match its checksum");
}

}  // namespace ramet::hdf5
