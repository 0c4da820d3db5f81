// The header of a .npy file: a Python dictionary with the element type, the order and the shape.
#pragma once
#include <cstddef>
#include <string>

#include "ramet/array/dtype.h"
#include "ramet/array/shape.h"
#include "ramet/io/bytes.h"

namespace ramet {

struct NpyHeader {
  char kind = 'f';  // NumPy's: 'b' boolean, 'i' signed, 'u' unsigned, 'f' floating
  std::size_t element_bytes = 4;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis changes fastest
  Shape shape;
  std::size_t elements = 1;      // what the shape multiplies to
  std::size_t header_bytes = 0;  // where the elements begin
};

// Versions 1.0 to 3.0. DataError beginning with `who` for anything but the dictionary NumPy writes, for element types
// without numbers (objects, strings, records), for ranks past 64 and for headers longer than 10,000 bytes.
NpyHeader read_npy_header(Bytes file, const std::string& who);

// The bytes NumPy itself would put in front of the elements. UsageError for types that .npy does not have.
std::string npy_header_text(DType dtype, const Shape& shape);

}  // namespace ramet
