#include "ramet/io/hdf5/write_encode.h"

namespace ramet::hdf5 {
namespace {

// Version 1 of a datatype: class, 24 bits that depend on it, size.
void put_type_head(Output& out, unsigned kind, unsigned bits, std::uint64_t size) {
  out.u8(0x10 | kind).number(bits, 3).u32(size);
}

void put_integer(Output& out, std::uint64_t size, bool is_signed) {
  put_type_head(out, 0, is_signed ? 0x08 : 0, size);
  out.u16(0).u16(8 * size);
}

void put_float(Output& out, std::uint64_t size, unsigned exponent, unsigned mantissa, unsigned bias) {
  const unsigned sign = static_cast<unsigned>(8 * size - 1);
  put_type_head(out, 1, sign << 8 | 0x20, size);  // 0x20: the first bit of the mantissa is implied
  out.u16(0).u16(8 * size).u8(mantissa).u8(exponent).u8(0).u8(mantissa).u32(bias);
}

}  // namespace

Output& Output::number(std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
  return *this;
}

Output& Output::text(std::string_view text) { return raw(std::as_bytes(std::span(text.data(), text.size()))); }

Output& Output::raw(std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  return *this;
}

Output& Output::zeros(std::uint64_t count) {
  bytes.insert(bytes.end(), count, std::byte{0});
  return *this;
}

std::vector<std::byte> encode_type(DType dtype) {
  Output out;
  switch (dtype) {
    case DType::f16: put_float(out, 2, 5, 10, 15); break;
    case DType::f32: put_float(out, 4, 8, 23, 127); break;
    case DType::f64: put_float(out, 8, 11, 52, 1023); break;
    case DType::bf16: put_type_head(out, 5, 0, 2); break;
    case DType::boolean:
      put_type_head(out, 8, 2, 1);
      put_integer(out, 1, true);
      out.text("FALSE").zeros(3).text("TRUE").zeros(4).u8(0).u8(1);
      break;
    default: put_integer(out, size_of(dtype), dtype != DType::u8);
  }
  return std::move(out.bytes);
}

std::vector<std::byte> encode_string_type(bool utf8) {
  Output out;
  put_type_head(out, 9, utf8 ? 0x101 : 0x001, 16);
  put_integer(out, 1, false);
  return std::move(out.bytes);
}

std::vector<std::byte> encode_space(const Shape& shape) {
  Output out;
  out.u8(1).u8(shape.size()).u8(shape.empty() ? 0 : 1).zeros(5);
  for (int twice = 0; twice < 2; ++twice)  // sizes, and the same as the largest sizes
    for (const std::int64_t size : shape) out.u64(static_cast<std::uint64_t>(size));
  return std::move(out.bytes);
}

std::vector<std::byte> encode_attribute(std::string_view name, std::span<const std::byte> type,
                                        std::span<const std::byte> space, std::span<const std::byte> elements) {
  Output out;
  out.u8(1).u8(0).u16(name.size() + 1).u16(type.size()).u16(space.size());
  out.text(name).u8(0).pad();
  out.raw(type).pad().raw(space).pad().raw(elements).pad();
  return std::move(out.bytes);
}

void put_message(Output& out, unsigned type, unsigned flags, std::span<const std::byte> body) {
  out.u16(type).u16(padded(body.size())).u8(flags).zeros(3).raw(body).pad();
}

}  // namespace ramet::hdf5
