#include "ramet/array/shape.h"

#include <algorithm>

#include "ramet/base/error.h"

namespace ramet {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto size : shape) {
    const bool sound = size >= 0, fits = sound && !__builtin_mul_overflow(count, size, &count);
    if (fits) continue;
    throw UsageError(cat("shape ", to_string(shape),
                         size == None ? " is not fully known, so its elements cannot be counted"
                         : sound      ? " has too many elements"
                                      : " has a negative size"));
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i) out += ", ";
    out += shape[i] == None ? "None" : std::to_string(shape[i]);
  }
  return out + (shape.size() == 1 ? ",)" : ")");
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const auto lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    auto& size = out[lead + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    require(size == 1, "shapes ", to_string(a), " and ", to_string(b), " cannot be broadcast together");
    size = shorter[i];
  }
  return out;
}

int canonical_axis(std::int64_t axis, std::size_t rank, const char* who) {
  const auto r = static_cast<std::int64_t>(rank);
  require(axis >= -r && axis < r, who, ": axis ", axis, " is out of bounds for an array of ", rank, " dimensions");
  return static_cast<int>(axis < 0 ? axis + r : axis);
}

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

bool fully_known(const Shape& shape) {
  return std::none_of(shape.begin(), shape.end(), [](auto size) { return size == None; });
}

}  // namespace ramet
