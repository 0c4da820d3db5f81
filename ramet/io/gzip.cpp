#include "ramet/io/gzip.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "ramet/base/error.h"

namespace ramet {
namespace {

constexpr std::uint64_t kMostExpansion = 1032;  // deflate codes at most 258 bytes in two bits

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

struct GzipFile::State {
  std::string path;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::uint64_t size = 0;
  bool compressed = false;
  bool member_done = false;  // between two members of a gzip file, or after the last
  z_stream zlib{};
  std::array<unsigned char, 1 << 16> input;

  [[noreturn]] void refuse(const std::string& what) const { throw DataError(cat("file '", path, "': ", what)); }

  void open() {
    file.reset(std::fopen(path.c_str(), "rb"));
    if (!file) refuse(cat("cannot be opened: ", std::strerror(errno)));
    struct stat info {};
    if (fstat(fileno(file.get()), &info) != 0) refuse(cat("cannot be examined: ", std::strerror(errno)));
    if (!S_ISREG(info.st_mode)) refuse("is not a regular file");
    size = static_cast<std::uint64_t>(info.st_size);

    refill();
    compressed = zlib.avail_in >= 2 && input[0] == 0x1F && input[1] == 0x8B;
    constexpr int kOnlyGzip = 15 + 16;  // the largest window, a gzip header and nothing else
    if (compressed && inflateInit2(&zlib, kOnlyGzip) != Z_OK) throw DeviceError("gzip: out of memory");
  }

  ~State() {
    if (compressed) inflateEnd(&zlib);
  }

  void refill() {
    if (zlib.avail_in > 0) return;
    zlib.next_in = input.data();
    zlib.avail_in = static_cast<uInt>(std::fread(input.data(), 1, input.size(), file.get()));
    if (std::ferror(file.get())) refuse(cat("cannot be read: ", std::strerror(errno)));
  }

  std::size_t read_plain(unsigned char* out, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      refill();
      if (zlib.avail_in == 0) break;
      const std::size_t part = std::min<std::size_t>(count - done, zlib.avail_in);
      std::memcpy(out + done, zlib.next_in, part);
      zlib.next_in += part;
      zlib.avail_in -= static_cast<uInt>(part);
      done += part;
    }
    return done;
  }

  std::size_t read_compressed(unsigned char* out, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      refill();
      if (member_done) {
        if (zlib.avail_in == 0) break;
        inflateReset(&zlib);  // gzip allows members one after the other; bytes that begin none are refused by inflate
        member_done = false;
      }
      if (zlib.avail_in == 0) refuse("the compressed data is cut short");
      const std::size_t wanted = std::min<std::size_t>(count - done, std::numeric_limits<uInt>::max());
      zlib.next_out = out + done;
      zlib.avail_out = static_cast<uInt>(wanted);
      const int result = inflate(&zlib, Z_NO_FLUSH);
      done += wanted - zlib.avail_out;
      if (result == Z_STREAM_END) {
        member_done = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        refuse(cat("the compressed data is damaged: ", zlib.msg ? zlib.msg : "unknown reason"));
      }
    }
    return done;
  }
};

GzipFile::GzipFile(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->open();
}

GzipFile::~GzipFile() = default;

bool GzipFile::compressed() const { return state_->compressed; }

std::uint64_t GzipFile::most_bytes() const { return state_->compressed ? state_->size * kMostExpansion : state_->size; }

std::size_t GzipFile::read(void* out, std::size_t count) {
  auto* bytes = static_cast<unsigned char*>(out);
  return state_->compressed ? state_->read_compressed(bytes, count) : state_->read_plain(bytes, count);
}

}  // namespace ramet
