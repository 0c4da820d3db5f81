// NumPy's .npy files: one array each.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "ramet/array/array.h"
#include "ramet/io/sink.h"

namespace ramet {

// Booleans, integers and floats of every NumPy width, either byte order and either memory order. Types that Ramet does
// not have become the next that holds all their values: int16 and uint16 int32, uint32 int64, uint64 int64 unless a
// value is too large. DataError naming the file for everything else, and when the elements are not exactly as many as
// the shape says. Allocates at most twice the size of the file.
Array load_npy(const std::string& path);
Array parse_npy(std::span<const std::byte> file, const std::string& who);  // `who` begins the messages

// The bytes np.save would write, replacing the file as a whole (AtomicFile). UsageError for bfloat16.
void save_npy(const std::string& path, const Array& array);
void write_npy(Sink& sink, const Array& array);

}  // namespace ramet
