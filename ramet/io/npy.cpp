#include "ramet/io/npy.h"

#include <bit>
#include <cstring>
#include <limits>

#include "ramet/base/quoted.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/io/npy_header.h"

namespace ramet {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie in the file");

DType dtype_for(const NpyHeader& header) {
  switch (header.kind) {
    case 'b': return DType::boolean;
    case 'f': return header.element_bytes == 2 ? DType::f16 : header.element_bytes == 4 ? DType::f32 : DType::f64;
    case 'i': return header.element_bytes == 1 ? DType::i8 : header.element_bytes <= 4 ? DType::i32 : DType::i64;
    default: return header.element_bytes == 1 ? DType::u8 : header.element_bytes == 2 ? DType::i32 : DType::i64;
  }
}

template <class T>
T load_element(const std::byte* from, bool big_endian) {
  std::byte bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = from[big_endian ? sizeof(T) - 1 - i : i];
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// Calls visit(position in the file) for each element of the array in row-major order.
template <class Visit>
void for_each_element(const NpyHeader& header, Visit&& visit) {
  if (!header.fortran_order) {
    for (std::size_t i = 0; i < header.elements; ++i) visit(i);
    return;
  }
  const std::size_t rank = header.shape.size();
  std::vector<std::size_t> stride(rank), index(rank);
  std::size_t step = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    stride[axis] = step;
    step *= static_cast<std::size_t>(header.shape[axis]);
  }
  std::size_t position = 0;
  for (std::size_t i = 0; i < header.elements; ++i) {
    visit(position);
    for (std::size_t axis = rank; axis-- > 0;) {
      position += stride[axis];
      if (++index[axis] < static_cast<std::size_t>(header.shape[axis])) break;
      position -= stride[axis] * index[axis];
      index[axis] = 0;
    }
  }
}

// `From` is the type in the file, `To` the array's.
template <class From, class To>
void convert(const NpyHeader& header, Bytes elements, Array& out, const std::string& who) {
  auto* to = static_cast<std::byte*>(out.raw());
  for_each_element(header, [&](std::size_t position) {
    const From value = load_element<From>(elements.data() + position * sizeof(From), header.big_endian);
    if constexpr (std::is_same_v<From, std::uint64_t> && std::is_same_v<To, std::int64_t>) {
      if (header.kind == 'u' && value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw DataError(cat(who, ": npy: a uint64 element is too large for int64: ", value, "; at byte ",
                            header.header_bytes + position * sizeof(From)));
    }
    const To converted = static_cast<To>(value);
    std::memcpy(to, &converted, sizeof(To));
    to += sizeof(To);
  });
}

void convert_elements(const NpyHeader& header, Bytes elements, Array& out, const std::string& who) {
  const bool same_width = header.element_bytes == size_of(out.dtype());
  const bool is_signed = header.kind == 'i';
  if (same_width && !header.fortran_order && !header.big_endian && !(header.kind == 'u' && header.element_bytes == 8)) {
    if (!elements.empty()) std::memcpy(out.raw(), elements.data(), elements.size());
    return;
  }
  switch (header.element_bytes) {
    case 1: return convert<std::uint8_t, std::uint8_t>(header, elements, out, who);
    case 2:
      if (same_width) return convert<std::uint16_t, std::uint16_t>(header, elements, out, who);
      return is_signed ? convert<std::int16_t, std::int32_t>(header, elements, out, who)
                       : convert<std::uint16_t, std::int32_t>(header, elements, out, who);
    case 4:
      if (same_width) return convert<std::uint32_t, std::uint32_t>(header, elements, out, who);
      return convert<std::uint32_t, std::int64_t>(header, elements, out, who);
    default: return convert<std::uint64_t, std::int64_t>(header, elements, out, who);
  }
}

void check_booleans(const NpyHeader& header, Bytes elements, const std::string& who) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] > std::byte{1})
      throw DataError(cat(who, ": npy: a boolean is ", std::to_integer<int>(elements[i]), ", not 0 or 1; at byte ",
                          header.header_bytes + i));
  }
}

}  // namespace

Array parse_npy(std::span<const std::byte> file, const std::string& who) {
  const NpyHeader header = read_npy_header(file, who);
  const Bytes elements = file.subspan(header.header_bytes);
  const std::size_t wanted = header.elements * header.element_bytes;
  if (elements.size() != wanted)
    throw DataError(cat(who, ": npy: the shape ", to_string(header.shape), " needs ", wanted,
                        " bytes after the header; got ", elements.size(), "; at byte ", header.header_bytes));
  if (header.kind == 'b') check_booleans(header, elements, who);
  Array out(header.shape, dtype_for(header));
  convert_elements(header, elements, out, who);
  return out;
}

Array load_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file->read([&](Bytes bytes) { return parse_npy(bytes, cat("file ", quoted(path))); });
}

void write_npy(Sink& sink, const Array& array) {
  require(array.defined(), "npy: an array without a shape (default constructed) cannot be written");
  sink.write(as_bytes_of(npy_header_text(array.dtype(), array.shape())));
  sink.write({static_cast<const std::byte*>(array.raw()), array.byte_size()});
}

void save_npy(const std::string& path, const Array& array) {
  AtomicFile file(path);
  write_npy(file, array);
  file.commit();
}

}  // namespace ramet
