#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "ramet/base/quoted.h"
#include "ramet/io/file.h"
#include "ramet/io/file_system.h"

namespace ramet {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A temporary of `target` that has a name is named this, the process and a counter. Names end at 255 bytes.
std::string temporary_prefix(const std::string& target) { return "." + name_of(target).substr(0, 200) + ".tmp."; }

// The process that made a temporary, from what follows the prefix: "<pid>.<counter>". 0 when it is something else.
pid_t process_in(std::string_view rest) {
  pid_t process = 0;
  unsigned long counter = 0;
  const char* end = rest.data() + rest.size();
  const auto first = std::from_chars(rest.data(), end, process);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, counter);
  return second.ec == std::errc() && second.ptr == end && process > 0 ? process : 0;
}

// A number alone may belong to a process of another machine or container; the lock that every writer holds may not.
bool is_abandoned(const std::string& path, pid_t process) {
  if (process == ::getpid() || ::kill(process, 0) == 0 || errno != ESRCH) return false;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  const bool unlocked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return unlocked;
}

void remove_abandoned(const std::string& target) {
  const std::string folder = folder_of(target), prefix = temporary_prefix(target);
  DIR* listing = ::opendir(folder.c_str());
  if (!listing) return;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name.substr(0, prefix.size()) != prefix) continue;
    const pid_t process = process_in(name.substr(prefix.size()));
    const std::string path = cat(folder, '/', name);
    if (process > 0 && is_abandoned(path, process)) file_system().remove(path.c_str());
  }
  ::closedir(listing);
}

// The name at the end of a chain of symbolic links, which need not exist. Empty when the chain has no end.
std::string behind_links(std::string path) {
  for (int links = 0; links < 40; ++links) {
    std::string to(4096, '\0');
    const ssize_t length = ::readlink(path.c_str(), to.data(), to.size());
    if (length < 0) return path;
    to.resize(static_cast<std::size_t>(length));
    path = to.starts_with('/') ? to : folder_of(path) + "/" + to;
  }
  return {};
}

// The call again while a signal interrupts it.
template <class Call>
int repeated(Call&& call) {
  int result = 0;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

// A file in `folder` that has no name yet, or -1 where there are none: the file system must know them, and /proc be
// there to name them by.
int open_unnamed(const std::string& folder, mode_t mode) {
  const int file = repeated([&] { return file_system().open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, mode); });
  if (file < 0 || ::access(("/proc/self/fd/" + std::to_string(file)).c_str(), F_OK) == 0) return file;
  file_system().close(file);
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(behind_links(path)) {
  if (path.empty() || path.find('\0') != path.npos || path.back() == '/') fail("is not a file name");
  if (target_.empty()) fail("is a chain of symbolic links without end");
  buffer_.reserve(kBuffer);
  remove_abandoned(target_);
  create_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::fail(const std::string& what) const {
  throw SaveError(SaveError::Outcome::not_committed, cat("file ", quoted(path_), ": not saved: ", what));
}

void AtomicFile::create_temporary() {
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail("it is a folder");
  if (exists && !S_ISREG(old.st_mode)) fail("it exists and is not a regular file");
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(cat("the old file is protected: ", std::strerror(errno)));

  const mode_t mode = exists ? 0600 : 0666;
  file_ = open_unnamed(folder_of(target_), mode);
  const bool named = file_ < 0;
  if (named) do {
      temporary_ = next_name();
      removal_.emplace(temporary_);
      file_ = file_system().open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    } while (file_ < 0 && (errno == EEXIST || errno == EINTR));
  if (file_ < 0) {
    const std::string reason = std::strerror(errno);
    temporary_.clear();
    fail(cat("no file can be created in its folder: ", reason));
  }
  ::flock(file_, LOCK_EX | LOCK_NB);
  if (exists && repeated([&] { return file_system().chmod(file_, old.st_mode & 0777); }) != 0) {
    const std::string reason = std::strerror(errno);
    discard();  // no destructor runs when a constructor throws
    fail(cat("the permissions of the old file cannot be kept: ", reason));
  }
}

std::string AtomicFile::next_name() {
  static std::atomic<unsigned long> counter{0};
  return cat(folder_of(target_), "/", temporary_prefix(target_), std::to_string(::getpid()), ".",
             std::to_string(counter++));
}

// Only a file that has a name can take the place of another.
void AtomicFile::give_name() {
  int result = 0;
  do {
    temporary_ = next_name();
    removal_.emplace(temporary_);
    result = repeated([&] { return file_system().link(file_, temporary_.c_str()); });
  } while (result != 0 && errno == EEXIST);
  if (result == 0) return;
  const std::string reason = std::strerror(errno);
  temporary_.clear();
  fail(cat("the new file cannot be given a name: ", reason));
}

void AtomicFile::write_all(std::uint64_t offset, std::span<const std::byte> bytes, bool at_end) {
  while (!bytes.empty()) {
    const ssize_t done = at_end ? file_system().write(file_, bytes.data(), bytes.size())
                                : file_system().write_at(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(cat("writing failed at byte ", offset, ": ", std::strerror(done < 0 ? errno : EIO)));
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    if (at_end) on_disk_ = offset;
  }
}

void AtomicFile::flush() {
  write_all(on_disk_, buffer_, true);
  buffer_.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  require(file_ >= 0, "AtomicFile: written to after commit()");
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) return write_all(on_disk_, bytes, true);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::patch(std::uint64_t offset, std::span<const std::byte> bytes) {
  require(file_ >= 0, "AtomicFile: patched after commit()");
  ensure(offset <= position() && bytes.size() <= position() - offset, "patch outside of what was written");
  if (offset >= on_disk_) {
    std::copy(bytes.begin(), bytes.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(offset - on_disk_));
  } else {
    if (offset + bytes.size() > on_disk_) flush();
    write_all(offset, bytes, false);
  }
}

void AtomicFile::close_file() {
  const int file = std::exchange(file_, -1);
  // EINTR leaves the descriptor closed on Linux.
  if (file_system().close(file) != 0 && errno != EINTR) fail(cat("closing failed: ", std::strerror(errno)));
}

void AtomicFile::commit() {
  require(file_ >= 0, "AtomicFile: committed twice");
  FileSystem& system = file_system();
  flush();
  if (repeated([&] { return system.sync(file_); }) != 0) fail(cat("syncing failed: ", std::strerror(errno)));
  if (temporary_.empty()) give_name();
  close_file();
  if (repeated([&] { return system.rename(temporary_.c_str(), target_.c_str()); }) != 0)
    fail(cat("renaming failed: ", std::strerror(errno)));
  temporary_.clear();
  removal_.reset();

  const std::string folder_name = folder_of(target_);
  const int folder =
      repeated([&] { return system.open(folder_name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, mode_t{0}); });
  // EINVAL: the file system cannot sync folders at all and asks for none.
  const bool durable = folder >= 0 && (repeated([&] { return system.sync_directory(folder); }) == 0 || errno == EINVAL);
  const int reason = errno;
  if (folder >= 0) system.close(folder);
  if (!durable)
    throw SaveError(SaveError::Outcome::durability_uncertain,
                    cat("file ", quoted(path_),
                        ": saved, but a power failure might still undo it: the folder cannot be "
                        "synced: ",
                        std::strerror(reason)));
}

void AtomicFile::discard() noexcept {
  if (file_ >= 0) file_system().close(std::exchange(file_, -1));
  if (!temporary_.empty()) file_system().remove(temporary_.c_str());
  temporary_.clear();
  removal_.reset();
}

}  // namespace ramet
