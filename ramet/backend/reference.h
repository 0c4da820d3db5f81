// What plain kernels share: walking a result with broadcast or permuted inputs.
#pragma once
#include "ramet/backend/kernel.h"

namespace ramet {

// Visits every index of `shape` in row-major order, keeping one offset per strided operand.
template <std::size_t N, class Visit>
void walk(const Shape& shape, const std::array<Shape, N>& strides, Visit&& visit) {
  const std::size_t rank = shape.size();
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  std::array<std::int64_t, N> at{};
  Shape index(rank, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(i, at);
    for (std::size_t axis = rank; axis-- > 0;) {
      ++index[axis];
      for (std::size_t k = 0; k < N; ++k) at[k] += strides[k][axis];
      if (index[axis] < shape[axis]) break;
      for (std::size_t k = 0; k < N; ++k) at[k] -= strides[k][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

// Steps of an operand of shape `from` inside a result of shape `to`: 0 along axes it is broadcast over.
inline Shape broadcast_strides(const Shape& from, const Shape& to) {
  const Shape dense = row_major_strides(from);
  Shape out(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1) out[to.size() - from.size() + i] = dense[i];
  return out;
}

}  // namespace ramet
