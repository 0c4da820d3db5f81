#include "ramet/io/zip_write.h"

#include <doctest/doctest.h>

#include "ramet/base/error.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/io/zip_read.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// Takes everything and keeps the first and the last bytes only: archives larger than memory.
class HollowSink final : public Sink {
 public:
  std::vector<std::byte> head, tail;  // the first kEnds bytes, and what came after the last large write
  void write(Bytes bytes) override {
    if (bytes.size() > 100'000) {
      tail.clear();
    } else {
      if (size_ == head.size()) head.insert(head.end(), bytes.begin(), bytes.end());
      tail.insert(tail.end(), bytes.begin(), bytes.end());
    }
    size_ += bytes.size();
  }
  void patch(std::uint64_t offset, Bytes bytes) override {
    if (offset + bytes.size() <= head.size())
      std::copy(bytes.begin(), bytes.end(), head.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::uint64_t position() const override { return size_; }

 private:
  std::uint64_t size_ = 0;
};

}  // namespace

TEST_CASE("ZipWriter: what it writes, ZipReader reads") {
  MemorySink sink;
  ZipWriter zip(sink);
  zip.add("metadata.json", as_bytes_of("{}"));
  zip.begin("größe/a b", 1000, 64);
  zip.write(as_bytes_of("in "));
  zip.write({});
  zip.write(as_bytes_of("parts"));
  zip.end();
  zip.add("empty", {});
  zip.finish();
  const ZipReader back(sink.bytes(), "x");
  REQUIRE(back.members().size() == 3);
  CHECK(as_text(back.read(*back.find("größe/a b"))) == "in parts");
  CHECK(as_text(back.read(*back.find("metadata.json"))) == "{}");
  CHECK(back.read(*back.find("empty")).empty());
}

TEST_CASE("ZipWriter: equal contents give equal bytes, in memory and in a file") {
  const auto write = [](Sink& sink) {
    ZipWriter zip(sink);
    zip.add("a", as_bytes_of("one"));
    zip.add("b", as_bytes_of(std::string(2'000'000, 'b')), 64);
    zip.finish();
  };
  MemorySink first, second;
  write(first);
  write(second);
  CHECK(first.bytes() == second.bytes());
  const TemporaryFolder folder;
  AtomicFile file(folder / "x.zip");
  write(file);
  file.commit();
  CHECK(content_of(folder / "x.zip") == as_text(first.bytes()));
}

TEST_CASE("ZipWriter: an aligned content begins at a multiple, whatever stands before it") {
  for (std::size_t before = 0; before < 130; ++before) {
    for (const std::size_t alignment : {1, 2, 8, 64, 4096}) {
      MemorySink sink;
      ZipWriter zip(sink);
      zip.add("first", as_bytes_of(std::string(before, 'x')));
      zip.add("second", as_bytes_of("y"), alignment);
      zip.finish();
      const ZipReader back(sink.bytes(), "x");
      REQUIRE(back.members()[1].offset % alignment == 0);
      REQUIRE(as_text(back.read(back.members()[1])) == "y");
    }
  }
}

TEST_CASE("ZipWriter: a member announced as huge has 64-bit sizes in its header") {
  MemorySink sink;
  ZipWriter zip(sink);
  zip.begin("weights", std::uint64_t{5} << 30, 64);
  zip.write(as_bytes_of("after all it was small"));
  zip.end();
  zip.finish();
  const ZipReader back(sink.bytes(), "x");
  CHECK(as_text(back.read(back.members()[0])) == "after all it was small");
  CHECK(load_le<std::uint32_t>(sink.bytes(), 18) == 0xFFFFFFFF);
}

TEST_CASE("ZipWriter: sizes and offsets past 4 GiB are written in 64 bits") {
  HollowSink sink;
  ZipWriter zip(sink);
  const std::vector<std::byte> part(std::size_t{1} << 24);
  const std::uint64_t size = std::uint64_t{257} << 24;  // 4 GiB and 16 MiB
  zip.begin("huge", size);
  for (int i = 0; i < 257; ++i) zip.write(part);
  zip.end();
  zip.add("behind", as_bytes_of("x"));
  zip.finish();
  CHECK(load_le<std::uint64_t>(sink.head, 30 + 4 + 4) == size);
  CHECK(load_le<std::uint64_t>(sink.head, 30 + 4 + 12) == size);

  const std::uint64_t first = 30 + 6 + 1, second = first + 46 + 4 + 20;  // the two directory headers in the tail
  CHECK(load_le<std::uint32_t>(sink.tail, first + 24) == 0xFFFFFFFF);
  CHECK(load_le<std::uint64_t>(sink.tail, first + 46 + 4 + 4) == size);
  CHECK(load_le<std::uint32_t>(sink.tail, second + 42) == 0xFFFFFFFF);
  CHECK(load_le<std::uint64_t>(sink.tail, second + 46 + 6 + 4) == 30 + 4 + 20 + size);
  const std::uint64_t end64 = second + 46 + 6 + 12;
  CHECK(load_le<std::uint32_t>(sink.tail, end64) == 0x06064B50);
  CHECK(load_le<std::uint64_t>(sink.tail, end64 + 48) == 30 + 4 + 20 + size + first);
}

TEST_CASE("ZipWriter: misuse is refused") {
  MemorySink sink;
  ZipWriter zip(sink);
  zip.add("a", {});
  CHECK_THROWS_WITH_AS(zip.add("a", {}), "ZipWriter: member 'a': the name is taken", UsageError);
  CHECK_THROWS_WITH_AS(zip.add("../a", {}), doctest::Contains("a part of the name"), UsageError);
  CHECK_THROWS_WITH_AS(zip.add("a/", {}), doctest::Contains("folders are not written"), UsageError);
  CHECK_THROWS_AS(zip.add("b", {}, 3), UsageError);
  CHECK_THROWS_AS(zip.write(as_bytes_of("x")), UsageError);
  zip.begin("c", 2);
  CHECK_THROWS_WITH_AS(zip.write(as_bytes_of("abc")), "ZipWriter: member 'c': more than the announced 2 bytes",
                       UsageError);
  CHECK_THROWS_AS(zip.finish(), UsageError);
  zip.end();
  zip.finish();
  CHECK_THROWS_AS(zip.add("d", {}), UsageError);
  CHECK_THROWS_AS(ZipWriter{sink}, UsageError);
}
