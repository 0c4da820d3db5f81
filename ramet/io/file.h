// Files: one mapped for reading, one that is replaced as a whole or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/base/error.h"
#include "ramet/io/sink.h"

namespace ramet {

// A regular file, opened once and mapped read-only. Whoever keeps a pointer into the bytes keeps the object. Safe from
// several threads. Nobody may shorten the file meanwhile; AtomicFile, which puts a new file in its place, does not.
class MappedFile {
 public:
  enum class Links : unsigned char { follow, refuse };  // whether the last name of a path may be a symbolic link
  // DataError naming the path and the reason: missing, a folder, a pipe, no permission.
  static std::shared_ptr<const MappedFile> open(const std::string& path, Links links = Links::follow);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MappedFile() = default;
  std::string path_;
  std::span<const std::byte> bytes_;
};

// Saving failed, and this is what the disk holds.
class SaveError : public DataError {
 public:
  enum class Outcome {
    not_committed,         // the old file, or none, as before
    durability_uncertain,  // the new file, complete, but a power failure might still bring the old one back
  };
  SaveError(Outcome outcome, const std::string& what) : DataError(what), outcome_(outcome) {}
  Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

// Writes a file under a temporary name in the same folder; commit() puts it in the place of the old one, whose
// permissions it takes over. Without commit() the old file stays as it was and the temporary is removed. A symbolic
// link stays; the file it points to is replaced. What processes that were killed left behind is removed first. Errors
// are SaveErrors naming the path. One thread at a time; several may save under one name, and the last commit wins.
class AtomicFile final : public Sink {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes) override;
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::uint64_t position() const override { return on_disk_ + buffer_.size(); }

  // Once, after the last write: the content is on the disk, then takes the name, then the name is on the disk.
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void create_temporary();
  void flush();
  void write_all(std::uint64_t offset, std::span<const std::byte> bytes, bool at_end);
  void close_file();
  void discard() noexcept;

  std::string path_;       // as the caller wrote it
  std::string target_;     // the file behind any links
  std::string temporary_;  // empty when there is none
  int file_ = -1;
  std::uint64_t on_disk_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace ramet
