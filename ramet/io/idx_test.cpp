#include "ramet/io/idx.h"

#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "ramet/base/error.h"
#include "ramet/io/gzip.h"

using namespace ramet;
using Bytes = std::vector<std::uint8_t>;
using Shape = std::vector<std::int64_t>;

namespace {

// A file that is gone when the test is over.
struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / ("ramet_idx_" + std::to_string(getpid()))).string();
  ~TemporaryFile() { std::filesystem::remove(path); }

  void write(const Bytes& bytes) const {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
};

Bytes gzipped(const Bytes& bytes) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  Bytes out(deflateBound(&z, bytes.size()));
  z.next_in = const_cast<unsigned char*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Bytes kTwoByThree{0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};

}  // namespace

TEST_CASE("idx: a plain and a compressed file give the same array") {
  const TemporaryFile file;
  for (const Bytes& content :
       {kTwoByThree, gzipped(kTwoByThree),
        gzipped({0, 0, 8, 2, 0, 0}) + gzipped(Bytes(kTwoByThree.begin() + 6, kTwoByThree.end()))}) {
    file.write(content);
    const IdxArray array = read_idx(file.path);
    CHECK(array.type == IdxType::u8);
    CHECK(array.shape == Shape{2, 3});
    CHECK(array.bytes == Bytes{1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("idx: wide elements come in this machine's byte order") {
  const TemporaryFile file;
  file.write({0, 0, 0x0C, 1, 0, 0, 0, 2, 0, 0, 1, 2, 0xFF, 0xFF, 0xFF, 0xFE});
  const IdxArray ints = read_idx(file.path);
  std::int32_t values[2];
  REQUIRE(ints.bytes.size() == sizeof values);
  std::memcpy(values, ints.bytes.data(), sizeof values);
  CHECK(values[0] == 258);
  CHECK(values[1] == -2);

  file.write({0, 0, 0x0E, 1, 0, 0, 0, 1, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0});
  double value = 0;
  std::memcpy(&value, read_idx(file.path).bytes.data(), sizeof value);
  CHECK(value == 1.5);
}

TEST_CASE("idx: an empty dimension is an empty array, whatever the others say") {
  const TemporaryFile file;
  file.write({0, 0, 8, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF});
  const IdxArray array = read_idx(file.path);
  CHECK(array.shape == Shape{4294967295, 0, 4294967295});
  CHECK(array.bytes.empty());
}

TEST_CASE("idx: a file that is cut at any byte, or goes on, is refused") {
  const TemporaryFile file;
  for (const Bytes& whole : {kTwoByThree, gzipped(kTwoByThree)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      file.write(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      CHECK_THROWS_AS(read_idx(file.path), DataError);
    }
    file.write(whole + Bytes{0});
    CHECK_THROWS_AS(read_idx(file.path), DataError);
  }
  file.write(gzipped(kTwoByThree) + gzipped({7}));
  CHECK_THROWS_AS(read_idx(file.path), DataError);
}

TEST_CASE("idx: a changed byte of compressed data is noticed") {
  const TemporaryFile file;
  const Bytes whole = gzipped(kTwoByThree);
  for (std::size_t i = 10; i < whole.size(); ++i) {  // after the gzip header, of which the time and system are free
    Bytes changed = whole;
    changed[i] ^= 0x55;
    file.write(changed);
    CHECK_THROWS_AS(read_idx(file.path), DataError);
  }
}

TEST_CASE("idx: messages name the file and what was found") {
  const TemporaryFile file;
  const auto message = [&](const Bytes& content, std::size_t limit = 1 << 20) -> std::string {
    file.write(content);
    try {
      read_idx(file.path, limit);
    } catch (const DataError& error) {
      std::string text = error.what();
      const std::size_t at = text.find(file.path);
      return at == text.npos ? text : text.replace(at, file.path.size(), "FILE");
    }
    return "no error";
  };
  CHECK(message({}) == "IDX file 'FILE': does not begin as an IDX file (0, 0, type, rank): got bytes []");
  CHECK(message({'P', 'K', 3, 4, 5}) ==
        "IDX file 'FILE': does not begin as an IDX file (0, 0, type, rank): got bytes [80, 75, 3, 4]");
  CHECK(message({0, 0, 10, 1, 0, 0, 0, 0}).starts_with("IDX file 'FILE': does not begin as an IDX file"));
  CHECK(message({0, 0, 8, 0}).starts_with("IDX file 'FILE': does not begin as an IDX file"));
  CHECK(message({0, 0, 8, 2, 0, 0, 0, 1}) == "IDX file 'FILE': is cut short in its header: 2 dimensions expected");
  CHECK(message({0, 0, 8, 1, 0, 0, 0, 9, 1}) ==
        "IDX file 'FILE': is cut short: shape (9) needs 9 bytes, more than the file can hold");
  CHECK(message(gzipped({0, 0, 8, 1, 0, 0, 0, 9, 1})) ==
        "IDX file 'FILE': is cut short: (9) needs 9 bytes after the header; got 1");
  CHECK(message(kTwoByThree + Bytes{0}) == "IDX file 'FILE': has more bytes than its shape (2, 3) needs");
  CHECK(message({0, 0, 14, 2, 255, 255, 255, 255, 255, 255, 255, 255}) ==
        "IDX file 'FILE': is larger than the limit of 1.00 MB: shape (4294967295, 4294967295)");
  CHECK(message(kTwoByThree, 5) == "IDX file 'FILE': is larger than the limit of 5.00 B: shape (2, 3)");
  CHECK(message(gzipped(kTwoByThree) + Bytes{1, 2, 3}).starts_with("file 'FILE': the compressed data is damaged"));
  CHECK_THROWS_WITH_AS(read_idx("/no/such/file"), "file '/no/such/file': cannot be opened: No such file or directory",
                       DataError);
  CHECK_THROWS_WITH_AS(read_idx("/"), "file '/': is not a regular file", DataError);
}

TEST_CASE("idx: a small compressed file cannot claim much memory") {
  const TemporaryFile file;
  file.write(gzipped({0, 0, 8, 1, 0xF0, 0, 0, 0}));
  CHECK_THROWS_AS(read_idx(file.path, std::size_t{1} << 40), DataError);
}

TEST_CASE("idx: the files of Debian's Fashion-MNIST are read" *
          doctest::skip(!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))) {
  const IdxArray images = read_idx("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz");
  const IdxArray labels = read_idx("/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz");
  CHECK(images.shape == Shape{10000, 28, 28});
  CHECK(images.bytes.size() == 7'840'000);
  CHECK(labels.shape == Shape{10000});
  CHECK(Bytes(labels.bytes.begin(), labels.bytes.begin() + 5) == Bytes{9, 2, 1, 1, 6});
}

TEST_CASE("gzip: small reads give the bytes of one large read") {
  const TemporaryFile file;
  Bytes content(300'000);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(i * i >> 5);
  for (const bool compressed : {false, true}) {
    file.write(compressed ? gzipped(content) : content);
    GzipFile reader(file.path);
    CHECK(reader.compressed() == compressed);
    CHECK(reader.most_bytes() >= content.size());
    Bytes back, part(777);
    while (const std::size_t got = reader.read(part.data(), part.size()))
      back.insert(back.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    CHECK(back == content);
    CHECK(reader.read(part.data(), 1) == 0);
  }
}
