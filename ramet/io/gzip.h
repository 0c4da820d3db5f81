// Reads a file that may be compressed with gzip.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ramet {

// A file read from its beginning to its end, unpacked on the way if it begins as gzip does. Every failure is a
// DataError that names the file: missing, not a regular file, damaged, cut short, or bytes after the end of the
// compressed data. One thread at a time.
class GzipFile {
 public:
  explicit GzipFile(const std::string& path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  bool compressed() const;

  // No more bytes than this can come out, judging by the size of the file: check it before allocating for them.
  std::uint64_t most_bytes() const;

  // Reads `count` bytes, or fewer at the end; returns how many. Reading past the end gives 0.
  std::size_t read(void* out, std::size_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ramet
