// NumPy's .npz files: a zip archive of .npy files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramet/array/array.h"
#include "ramet/io/sink.h"

namespace ramet {

using NamedArrays = std::vector<std::pair<std::string, Array>>;  // in the order of the file

// What np.savez or np.savez_compressed wrote; the names are without ".npy". DataError naming the file under the rules
// of ZipReader and parse_npy, for members that are no .npy files, and when the arrays take more than `limit` bytes.
NamedArrays load_npz(const std::string& path, std::uint64_t limit = std::uint64_t{4} << 30);
NamedArrays parse_npz(std::span<const std::byte> file, const std::string& who,
                      std::uint64_t limit = std::uint64_t{4} << 30);

// Uncompressed, replacing the file as a whole (AtomicFile). UsageError for names that are repeated, absolute, or have
// empty parts, "..", backslashes or control characters, and for bfloat16.
void save_npz(const std::string& path, const NamedArrays& arrays);
void write_npz(Sink& sink, const NamedArrays& arrays);

}  // namespace ramet
