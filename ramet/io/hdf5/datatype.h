// Datatype and dataspace messages: what an element is and how many there are.
#pragma once
#include <cstdint>
#include <vector>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

// Refuses, by name, what Keras and h5py do not write for weights.
Type read_datatype(Cursor cursor);

struct Dataspace {
  bool null = false;                // no elements, no shape
  Shape shape;                      // sizes now
  std::vector<std::uint64_t> most;  // sizes it may grow to; kUndefined without end
  std::uint64_t count = 1;          // elements
};

Dataspace read_dataspace(Cursor cursor);

}  // namespace ramet::hdf5
