#include "ramet/io/idx.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ramet/base/error.h"
#include "ramet/base/strings.h"
#include "ramet/io/gzip.h"

namespace ramet {
namespace {

bool is_known(std::uint8_t type) { return type == 0x08 || type == 0x09 || (type >= 0x0B && type <= 0x0E); }

class Reader {
 public:
  Reader(const std::string& path, std::size_t limit) : path_(path), limit_(limit), file_(path) {}

  IdxArray read() {
    IdxArray array;
    const int rank = read_magic(array);
    array.shape = read_shape(rank);
    const std::size_t header = 4 + 4 * array.shape.size();
    const std::size_t size = checked_size(array, header);
    array.bytes.resize(size);
    const std::size_t got = file_.read(array.bytes.data(), size);
    if (got != size)
      refuse(cat("is cut short: ", shape_text(array), " needs ", size, " bytes after the header; got ", got));
    std::uint8_t extra = 0;
    if (file_.read(&extra, 1) != 0) refuse(cat("has more bytes than its shape ", shape_text(array), " needs"));
    to_native(array);
    return array;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(cat("IDX file '", path_, "': ", what)); }

  static std::string shape_text(const IdxArray& array) { return "(" + join(array.shape) + ")"; }

  // Two zero bytes, the type, the number of dimensions.
  int read_magic(IdxArray& array) {
    std::array<std::uint8_t, 4> magic{};
    const std::size_t got = file_.read(magic.data(), 4);
    if (got < 4 || magic[0] != 0 || magic[1] != 0 || !is_known(magic[2]) || magic[3] == 0) {
      std::vector<int> shown(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(got));
      refuse(cat("does not begin as an IDX file (0, 0, type, rank): got bytes [", join(shown), "]"));
    }
    array.type = static_cast<IdxType>(magic[2]);
    return magic[3];
  }

  std::vector<std::int64_t> read_shape(int rank) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < rank; ++axis) {
      std::array<std::uint8_t, 4> size{};  // most significant byte first
      if (file_.read(size.data(), 4) != 4) refuse(cat("is cut short in its header: ", rank, " dimensions expected"));
      shape.push_back(std::int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    }
    return shape;
  }

  // What the shape asks for, once it is known that the file can hold it.
  std::size_t checked_size(const IdxArray& array, std::size_t header) const {
    if (std::count(array.shape.begin(), array.shape.end(), 0) > 0) return 0;
    const std::uint64_t most_in_file = file_.most_bytes() - std::min<std::uint64_t>(file_.most_bytes(), header);
    std::uint64_t size = size_of(array.type);
    for (const std::int64_t dim : array.shape) {
      const auto times = static_cast<std::uint64_t>(dim);
      // limit_ and the file are far below 2^64, so dividing tells what multiplying might overflow.
      if (size > limit_ / times)
        refuse(cat("is larger than the limit of ", readable_size(limit_), ": shape ", shape_text(array)));
      size *= times;
    }
    if (size > most_in_file)
      refuse(cat("is cut short: shape ", shape_text(array), " needs ", size, " bytes, more than the file can hold"));
    return size;
  }

  static void to_native(IdxArray& array) {
    const std::size_t size = size_of(array.type);
    if (size == 1 || std::endian::native == std::endian::big) return;
    for (auto at = array.bytes.begin(); at != array.bytes.end(); at += static_cast<std::ptrdiff_t>(size)) {
      std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
    }
  }

  std::string path_;
  std::size_t limit_;
  GzipFile file_;
};

}  // namespace

std::size_t size_of(IdxType type) {
  switch (type) {
    case IdxType::u8:
    case IdxType::i8: return 1;
    case IdxType::i16: return 2;
    case IdxType::i32:
    case IdxType::f32: return 4;
    case IdxType::f64: return 8;
  }
  throw InternalError(cat("IDX: unknown type ", static_cast<int>(type)));
}

IdxArray read_idx(const std::string& path, std::size_t limit) { return Reader(path, limit).read(); }

}  // namespace ramet
