// Files: one mapped for reading, one that is replaced as a whole or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ramet/base/error.h"
#include "ramet/io/bus_guard.h"
#include "ramet/io/removed_on_signal.h"
#include "ramet/io/sink.h"

namespace ramet {

// A regular file, opened once and mapped read-only. Whoever keeps a pointer into the bytes keeps the object. Safe from
// several threads. When somebody shortens the file, or the disk fails, zeros are read from there on and check() refuses
// what came of them. (AtomicFile, which puts a new file in its place, disturbs nobody.)
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

  // DataError unless every byte that was read so far was there.
  void check() const;

  // What `read` makes of the bytes: its result or its error, or that of check(), which is the better reason.
  template <class Read>
  auto read(Read&& read) const {
    const io::UnblockedBusErrors heard;
    try {
      if constexpr (std::is_void_v<decltype(read(bytes_))>) {
        read(bytes_);
        check();
      } else {
        auto result = read(bytes_);
        check();
        return result;
      }
    } catch (...) {
      check();
      throw;
    }
  }

 private:
  MappedFile() = default;
  std::string path_;
  std::span<const std::byte> bytes_;
  std::optional<io::BusGuard> guard_;
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

// Writes a file without a name in the same folder; commit() puts it in the place of the old one, whose permissions it
// takes over. Without commit() the old file stays as it was and nothing is left. Where a file system has no files
// without a name, a temporary one stands in; SIGINT, SIGTERM and the like remove it before they end the process, and
// what killed processes left behind is removed by the next save. A symbolic link stays; the file it points to is
// replaced. Errors are SaveErrors naming the path. One thread at a time; several may save under one name, and the last
// commit wins.
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
  std::string next_name();  // for a temporary that is to be made
  void give_name();
  void flush();
  void write_all(std::uint64_t offset, std::span<const std::byte> bytes, bool at_end);
  void close_file();
  void discard() noexcept;

  std::string path_;                            // as the caller wrote it
  std::string target_;                          // the file behind any links
  std::string temporary_;                       // empty when it has no name, or is no more
  std::optional<io::RemovedOnSignal> removal_;  // of the name
  int file_ = -1;
  std::uint64_t on_disk_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace ramet
