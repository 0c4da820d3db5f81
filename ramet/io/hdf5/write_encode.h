// Bytes of a file being written, and the small structures of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ramet/array/dtype.h"
#include "ramet/array/shape.h"

namespace ramet::hdf5 {

// Bytes in the order they are written; numbers are little-endian.
class Output {
 public:
  Output& number(std::uint64_t value, int size);
  Output& u8(std::uint64_t value) { return number(value, 1); }
  Output& u16(std::uint64_t value) { return number(value, 2); }
  Output& u32(std::uint64_t value) { return number(value, 4); }
  Output& u64(std::uint64_t value) { return number(value, 8); }
  Output& text(std::string_view text);
  Output& raw(std::span<const std::byte> more);
  Output& zeros(std::uint64_t count);
  Output& pad() { return zeros((8 - bytes.size() % 8) % 8); }  // to a multiple of 8

  std::vector<std::byte> bytes;
};

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

// Bodies of datatype and dataspace messages.
std::vector<std::byte> encode_type(DType dtype);
std::vector<std::byte> encode_string_type(bool utf8);  // of variable length
std::vector<std::byte> encode_space(const Shape& shape);

// Name, type, shape and elements of an attribute, as the body of its message.
std::vector<std::byte> encode_attribute(std::string_view name, std::span<const std::byte> type,
                                        std::span<const std::byte> space, std::span<const std::byte> elements);

// A message of an object header with its body, filled to a multiple of 8.
void put_message(Output& out, unsigned type, unsigned flags, std::span<const std::byte> body);

}  // namespace ramet::hdf5
