#include "ramet/io/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

namespace ramet {
namespace {

FileSystem& real() {
  static FileSystem one;
  return one;
}

std::atomic<FileSystem*>& current() {
  static std::atomic<FileSystem*> pointer{&real()};
  return pointer;
}

}  // namespace

int FileSystem::open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
int FileSystem::chmod(int file, mode_t mode) { return ::fchmod(file, mode); }
ssize_t FileSystem::write(int file, const void* bytes, std::size_t count) { return ::write(file, bytes, count); }
ssize_t FileSystem::write_at(int file, const void* bytes, std::size_t count, off_t offset) {
  return ::pwrite(file, bytes, count, offset);
}
int FileSystem::sync(int file) { return ::fdatasync(file); }
int FileSystem::sync_directory(int file) { return ::fsync(file); }
// Through /proc, because linking a descriptor itself is for the administrator.
int FileSystem::link(int file, const char* path) {
  const std::string name = "/proc/self/fd/" + std::to_string(file);
  return ::linkat(AT_FDCWD, name.c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
int FileSystem::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileSystem::remove(const char* path) { return ::unlink(path); }
int FileSystem::close(int file) { return ::close(file); }

FileSystem& file_system() { return *current().load(); }

FileSystemOverride::FileSystemOverride(FileSystem& other) : before_(current().exchange(&other)) {}
FileSystemOverride::~FileSystemOverride() { current().store(before_); }

}  // namespace ramet
