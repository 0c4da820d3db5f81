#include "ramet/io/hdf5/datatype.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ramet::hdf5 {
namespace {

constexpr std::array<std::string_view, 12> kClasses = {
    "an integer", "a float",     "a time",         "a string",          "a bit field", "opaque",
    "a compound", "a reference", "an enumeration", "a variable length", "an array",    "a complex number"};

struct Head {
  unsigned version = 0, kind = 0, bits = 0;
  std::uint32_t size = 0;
};

Head read_head(Cursor& cursor) {
  const unsigned first = cursor.u8();
  Head head{.version = first >> 4, .kind = first & 15};
  head.bits = static_cast<unsigned>(cursor.number(3));
  head.size = cursor.u32();
  cursor.check(head.version >= 1 && head.version <= 5, "has version ", head.version, "; 1 to 5 are known");
  cursor.check(head.kind < kClasses.size(), "has the unknown class ", head.kind);
  cursor.check(head.size > 0, "has elements of 0 bytes");
  return head;
}

Type read_integer(Cursor& cursor, const Head& head) {
  const unsigned offset = cursor.u16(), precision = cursor.u16();
  cursor.check(head.size == 1 || head.size == 2 || head.size == 4 || head.size == 8, "is an integer of ", head.size,
               " bytes; 1, 2, 4 and 8 are known");
  cursor.check(offset == 0 && precision == 8 * head.size, "is an integer of ", precision, " bits in ", head.size,
               " bytes, which is not read");
  return {.kind = Kind::integer,
          .size = head.size,
          .is_signed = (head.bits & 8) != 0,
          .big_endian = head.size > 1 && (head.bits & 1) != 0};
}

// The IEEE layouts, and bfloat16 as HDF5 2 writes it.
struct FloatLayout {
  std::uint32_t size, exponent, mantissa, bias;
};
constexpr std::array<FloatLayout, 4> kFloats = {{{2, 5, 10, 15}, {4, 8, 23, 127}, {8, 11, 52, 1023}, {2, 8, 7, 127}}};

Type read_float(Cursor& cursor, const Head& head) {
  const unsigned offset = cursor.u16(), precision = cursor.u16();
  const unsigned exponent_at = cursor.u8(), exponent = cursor.u8(), mantissa_at = cursor.u8(), mantissa = cursor.u8();
  const std::uint32_t bias = cursor.u32();
  const unsigned sign_at = head.bits >> 8 & 0xFF, normalization = head.bits >> 4 & 3;
  const bool known = std::any_of(kFloats.begin(), kFloats.end(), [&](const FloatLayout& f) {
    return head.size == f.size && exponent == f.exponent && mantissa == f.mantissa && bias == f.bias &&
           exponent_at == f.mantissa && mantissa_at == 0 && sign_at == 8 * f.size - 1;
  });
  cursor.check(known && offset == 0 && precision == 8 * head.size && normalization == 2 && (head.bits & 0x40) == 0,
               "is a float of ", head.size, " bytes that is none of float16, bfloat16, float32, float64");
  return {.kind = Kind::floating,
          .size = head.size,
          .is_signed = true,
          .big_endian = (head.bits & 1) != 0,
          .brain = mantissa == 7};
}

// h5py's bool: an enumeration of bytes, FALSE = 0 and TRUE = 1.
Type read_enumeration(Cursor& cursor, const Head& head) {
  const Head base = read_head(cursor);
  cursor.check(base.kind == 0, "is an enumeration of ", kClasses[base.kind], " type, which is not read");
  const Type integer = read_integer(cursor, base);
  cursor.check(integer.size == 1 && head.size == 1 && (head.bits & 0xFFFF) == 2,
               "is an enumeration other than h5py's bool, which is not read");
  const std::array<std::string_view, 2> names = {"FALSE", "TRUE"};
  for (const std::string_view name : names) {
    const std::uint64_t start = cursor.position();
    cursor.check(cursor.text_to_nul() == name, "is an enumeration other than h5py's bool, which is not read");
    if (head.version < 3) cursor.skip((8 - (cursor.position() - start) % 8) % 8);
  }
  const unsigned zero = cursor.u8(), one = cursor.u8();
  cursor.check(zero == 0 && one == 1, "is an enumeration other than h5py's bool, which is not read");
  return {.kind = Kind::boolean, .size = 1};
}

Type read_variable(Cursor& cursor, const Head& head) {
  cursor.check((head.bits & 15) == 1, "is a variable-length sequence, which is not read");
  const Head base = read_head(cursor);
  cursor.check((base.kind == 0 || base.kind == 3) && base.size == 1, "is a variable-length string of ",
               kClasses[base.kind], " type, which is not read");
  cursor.check(head.size == 8 + cursor.scope().source().offset_size, "is a variable-length string of ", head.size,
               " bytes");
  return {.kind = Kind::string, .size = head.size, .variable = true};
}

}  // namespace

Type read_datatype(Cursor cursor) {
  const Head head = read_head(cursor);
  switch (head.kind) {
    case 0: return read_integer(cursor, head);
    case 1: return read_float(cursor, head);
    case 3: {
      const unsigned padding = head.bits & 15;
      cursor.check(padding <= 2, "is a string with the unknown padding ", padding);
      return {.kind = Kind::string, .size = head.size, .padding = static_cast<std::uint8_t>(padding)};
    }
    case 5: return {.kind = Kind::opaque, .size = head.size};
    case 8: return read_enumeration(cursor, head);
    case 9: return read_variable(cursor, head);
    default: cursor.refuse("is of ", kClasses[head.kind], " type, which is not read");
  }
}

std::optional<DType> Type::dtype() const {
  switch (kind) {
    case Kind::boolean: return DType::boolean;
    case Kind::floating:
      if (brain) return DType::bf16;
      return size == 2 ? DType::f16 : size == 4 ? DType::f32 : DType::f64;
    case Kind::integer:
      if (size == 1) return is_signed ? DType::i8 : DType::u8;
      if (is_signed && size == 4) return DType::i32;
      if (is_signed && size == 8) return DType::i64;
      return std::nullopt;
    default: return std::nullopt;
  }
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Kind::boolean: return "bool";
    case Kind::floating: return cat(type.brain ? "bfloat" : "float", 8 * type.size);
    case Kind::integer: return cat(type.is_signed ? "int" : "uint", 8 * type.size);
    case Kind::opaque: return cat("opaque(", type.size, ")");
    case Kind::string: break;
  }
  return type.variable ? "string" : cat("string(", type.size, ")");
}

Dataspace read_dataspace(Cursor cursor) {
  const unsigned version = cursor.u8(), rank = cursor.u8(), flags = cursor.u8();
  cursor.check(version == 1 || version == 2, "has version ", version, "; 1 and 2 are known");
  cursor.check(rank <= 32, "has ", rank, " dimensions; HDF5 allows 32");
  unsigned kind = rank > 0 ? 1 : 0;  // 0 a single value, 1 an array, 2 nothing
  if (version == 1)
    cursor.skip(5);
  else
    kind = cursor.u8();
  cursor.check(kind <= 2, "is of the unknown kind ", kind);
  cursor.check(kind == 1 || rank == 0, "has dimensions without being an array");

  Dataspace out;
  if (kind == 2) {
    out.null = true;
    out.count = 0;
    return out;
  }
  bool empty = false, fits = true;
  for (unsigned i = 0; i < rank; ++i) {
    const std::uint64_t size = cursor.length();
    cursor.check(size <= std::numeric_limits<std::int64_t>::max(), "has a dimension of ", size);
    out.shape.push_back(static_cast<std::int64_t>(size));
    empty = empty || size == 0;
    fits = fits && multiply(out.count, size, out.count);
  }
  if (empty) out.count = 0;
  cursor.check(empty || fits, "declares more elements than can be counted");
  for (unsigned i = 0; i < rank; ++i) {
    const auto size = static_cast<std::uint64_t>(out.shape[i]);
    out.most.push_back(flags & 1 ? cursor.limit() : size);
    cursor.check(out.most[i] >= size, "is larger than it says it may become");
  }
  return out;
}

}  // namespace ramet::hdf5
