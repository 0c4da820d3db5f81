// The two checksums of HDF5.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ramet::hdf5 {

// Of metadata since format version 2: Bob Jenkins' lookup3 hash with initial value 0.
std::uint32_t metadata_checksum(std::span<const std::byte> bytes);

// Of chunks, filter 3: Fletcher's sum over big-endian 16-bit words, an odd last byte being the high half of a word.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace ramet::hdf5
