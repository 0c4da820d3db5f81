#include "ramet/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ramet/base/quoted.h"

namespace ramet {
namespace {

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, Links links) {
  const auto refuse = [&](const std::string& what) { throw DataError(cat("file ", quoted(path), ": ", what)); };
  const auto refuse_with_reason = [&](const char* what) { refuse(cat(what, ": ", std::strerror(errno))); };
  if (path.empty() || path.find('\0') != path.npos) refuse("is not a file name");

  // Not blocking, because opening a pipe would wait for somebody to write into it.
  const int links_flag = links == Links::refuse ? O_NOFOLLOW : 0;
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | links_flag)};
  if (file.number < 0 && errno == ELOOP && links == Links::refuse)
    refuse("is a symbolic link, which may lead elsewhere");
  if (file.number < 0) refuse_with_reason("cannot be opened");
  struct stat info {};
  if (::fstat(file.number, &info) != 0) refuse_with_reason("cannot be examined");
  if (S_ISDIR(info.st_mode)) refuse("is a folder, not a file");
  if (!S_ISREG(info.st_mode)) refuse("is not a regular file");

  std::shared_ptr<MappedFile> out(new MappedFile);
  out->path_ = path;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return out;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (memory == MAP_FAILED) refuse_with_reason("cannot be mapped into memory");
  out->bytes_ = {static_cast<const std::byte*>(memory), size};
  out->guard_.emplace(out->bytes_);
  return out;
}

void MappedFile::check() const {
  if (guard_ && guard_->hit())
    throw DataError(cat("file ", quoted(path_), ": became shorter, or the disk failed, while it was read"));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace ramet
