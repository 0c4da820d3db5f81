// An index that comes from data.
#pragma once
#include "ramet/base/error.h"

namespace ramet::cpu {

// `i`; DataError calling it `what` when it is not in [0, size).
template <class I>
I checked_index(I i, std::int64_t size, std::string_view what) {
  if (i < 0 || i >= size)
    throw DataError(cat(what, " ", static_cast<std::int64_t>(i), " is out of range; valid ones are 0 to ", size - 1));
  return i;
}

}  // namespace ramet::cpu
