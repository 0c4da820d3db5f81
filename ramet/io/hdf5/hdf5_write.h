// Writes HDF5 files as h5py does for Keras: version 0 structures, contiguous datasets, strings in the global heap.
// Equal input gives equal bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ramet/array/dtype.h"
#include "ramet/array/shape.h"

namespace ramet::hdf5 {

// Receives the next bytes of something.
using ByteSink = std::function<void(std::span<const std::byte>)>;

// Hands the elements of a dataset to a sink, in row-major order and in this machine's byte order, in pieces of any
// size.
using Elements = std::function<void(const ByteSink&)>;

// More than this an attribute cannot hold; Keras splits lists of names that would (a string counts 16 bytes).
inline constexpr std::size_t kLargestAttribute = 64512;

// Collects a tree, then writes it from its first byte to its last. Paths are as in "layers/dense/vars/0"; "" is the
// root; groups on the way are made. UsageError for what cannot be written, naming the path. One thread at a time.
class FileWriter {
 public:
  FileWriter();
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;

  // Making a group again changes nothing.
  void group(std::string_view path);

  // The elements are not copied: they, or what the function needs, must be there until the last write().
  // bfloat16 becomes two opaque bytes and an attribute, as Keras does it.
  void dataset(std::string_view path, DType dtype, const Shape& shape, std::span<const std::byte> elements);
  void dataset(std::string_view path, DType dtype, const Shape& shape, Elements elements);

  // To a group or dataset that has been made: a UTF-8 string, a list of ASCII strings, an array of numbers (copied).
  void attribute(std::string_view path, std::string_view name, std::string_view text);
  void attribute(std::string_view path, std::string_view name, std::span<const std::string> texts);
  void attribute(std::string_view path, std::string_view name, DType dtype, const Shape& shape,
                 std::span<const std::byte> elements);

  // Bytes of the whole file.
  std::uint64_t size() const;

  // Gives the file to `sink` in order. Datasets begin at multiples of 64 bytes. Throws UsageError when elements turn
  // out to be more or fewer than the shape says; what was given to the sink by then is no file.
  void write(const ByteSink& sink) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ramet::hdf5
