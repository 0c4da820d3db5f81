// The recorded HDF5 files (tools/oracle/hdf5_files.py), the values in them, and a visit to everything in a file.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "ramet/io/gzip.h"
#include "ramet/io/hdf5/hdf5_read.h"

namespace ramet::hdf5 {

using Buffer = std::vector<std::byte>;

#ifdef RAMET_TEST_DATA
inline Buffer recorded_file(const std::string& name) {
  GzipFile file(std::string(RAMET_TEST_DATA) + "/hdf5/" + name + ".h5.gz");
  Buffer out, part(1 << 16);
  while (const std::size_t got = file.read(part.data(), part.size()))
    out.insert(out.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  return out;
}
#endif

// Element i of every recorded array of numbers.
inline double recorded_value(const Type& type, std::size_t i) {
  const auto n = static_cast<double>(i);
  if (type.kind == Kind::boolean) return i % 3 == 0 ? 1 : 0;
  if (type.kind == Kind::floating) return n * 0.5 - 3;
  return type.is_signed ? n - 3 : static_cast<double>(7 * i % 251);
}

// One element in this machine's byte order.
inline double number_at(const Type& type, const std::byte* at) {
  const auto as = [at](auto zero) {
    std::memcpy(&zero, at, sizeof zero);
    return static_cast<double>(zero);
  };
  if (type.kind == Kind::boolean) return as(std::uint8_t{});
  if (type.kind == Kind::floating && type.size == 2) {  // the recorded values are normal numbers or zero
    std::uint16_t half;
    std::memcpy(&half, at, 2);
    const double mantissa = (half & 0x3FF) + ((half & 0x7C00) != 0 ? 1024 : 0);
    return std::ldexp((half & 0x8000) != 0 ? -mantissa : mantissa, (half >> 10 & 31) - 25);
  }
  if (type.kind == Kind::floating) return type.size == 4 ? as(float{}) : as(double{});
  switch (type.size) {
    case 1: return type.is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2: return type.is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4: return type.is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    default: return type.is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
  }
}

inline Buffer bytes_of(const Dataset& dataset) {
  Buffer out(dataset.byte_size());
  dataset.read_into(out);
  return out;
}

inline std::vector<double> numbers_of(const Dataset& dataset) {
  const Buffer bytes = bytes_of(dataset);
  std::vector<double> out;
  for (std::size_t i = 0; i < bytes.size(); i += dataset.type().size)
    out.push_back(number_at(dataset.type(), bytes.data() + i));
  return out;
}

// Reads all that a file says, as long as it says it. What one object or attribute refuses does not end the visit.
// Returns how many objects, attributes and arrays could be read.
inline std::size_t read_everything(const Object& object) {
  std::size_t count = 1;
  for (const std::string& name : object.attribute_names()) try {
      const Attribute attribute = object.attribute(name);
      if (attribute.type().kind == Kind::string)
        attribute.strings();
      else if (attribute.type().kind != Kind::opaque)
        attribute.numbers();
      ++count;
    } catch (const DataError&) {}
  return count;
}

inline std::size_t read_everything(const Group& group) {
  std::size_t count = read_everything(static_cast<const Object&>(group));
  for (const std::string& name : group.names()) try {
      if (group.is_group(name)) {
        count += read_everything(group.group(name));
        continue;
      }
      const Dataset dataset = group.dataset(name);
      count += read_everything(static_cast<const Object&>(dataset));
      if (dataset.type().variable)
        dataset.strings();
      else
        bytes_of(dataset);
      dataset.dtype();
      ++count;
    } catch (const DataError&) {}
  return count;
}

}  // namespace ramet::hdf5
