// The elements of a chunked dataset, put together.
#pragma once
#include <span>
#include <vector>

#include "ramet/io/hdf5/filters.h"
#include "ramet/io/hdf5/layout.h"

namespace ramet::hdf5 {

// Writes all elements to `out`; what no chunk holds becomes `fill` (zero when that is empty). Refuses datasets that
// declare more than their stored bytes can stand for. REQUIRES: out.size() is the bytes of all elements.
void read_chunks(const Scope& scope, const Layout& layout, const Type& type, const Dataspace& space,
                 const std::vector<Filter>& filters, std::span<const std::byte> fill, std::span<std::byte> out);

// Repeats `fill` (zero when it is empty) over `out`.
void fill_elements(std::span<const std::byte> fill, std::span<std::byte> out);

}  // namespace ramet::hdf5
