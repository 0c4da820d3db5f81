// The system calls that saving makes, in one place, so that tests can make any of them fail.
#pragma once
#include <sys/types.h>

#include <cstddef>

namespace ramet {

// Each function does what the call of the same name does: -1 and errno on failure. Safe from several threads.
struct FileSystem {
  virtual ~FileSystem() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual int chmod(int file, mode_t mode);
  virtual ssize_t write(int file, const void* bytes, std::size_t count);
  virtual ssize_t write_at(int file, const void* bytes, std::size_t count, off_t offset);
  virtual int sync(int file);                    // the content of a file
  virtual int sync_directory(int file);          // the names in a directory
  virtual int link(int file, const char* path);  // gives a name to a file that was opened without one
  virtual int rename(const char* from, const char* to);
  virtual int remove(const char* path);
  virtual int close(int file);
};

// The one in use: the real one unless a test has put in another.
FileSystem& file_system();

// For tests: uses `other` in the whole process until destroyed.
class FileSystemOverride {
 public:
  explicit FileSystemOverride(FileSystem& other);
  ~FileSystemOverride();
  FileSystemOverride(const FileSystemOverride&) = delete;
  FileSystemOverride& operator=(const FileSystemOverride&) = delete;

 private:
  FileSystem* before_;
};

}  // namespace ramet
