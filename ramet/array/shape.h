// Shapes: sizes from the outermost axis inwards. `None` is a size that is not known yet, as in Keras.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ramet {

using Shape = std::vector<std::int64_t>;

inline constexpr std::int64_t None = -1;

// Of a value in a program, so that work per axis is bounded.
inline constexpr std::size_t kMostAxes = 32;

// Number of elements. UsageError when a size is None or the product does not fit.
std::int64_t element_count(const Shape& shape);

// "(None, 28, 28, 1)", "(8,)", "()".
std::string to_string(const Shape& shape);

// NumPy's broadcasting; UsageError naming both shapes when they do not fit.
Shape broadcast_shapes(const Shape& a, const Shape& b);

// An axis counted from the end becomes one counted from the front. `who` starts the error message.
int canonical_axis(std::int64_t axis, std::size_t rank, const char* who);

// Elements to step over along each axis of a dense row-major array.
Shape row_major_strides(const Shape& shape);

bool fully_known(const Shape& shape);

}  // namespace ramet
