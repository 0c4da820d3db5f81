#include "ramet/io/zip_read.h"

#include <doctest/doctest.h>

#include "ramet/base/error.h"
#include "ramet/io/bytes.h"
#include "tests/support/zip_image.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

std::string text(const std::vector<std::byte>& bytes) { return std::string(as_text(bytes)); }

}  // namespace

TEST_CASE("zip: stored and deflated members are read, in the order of the directory") {
  ZipImage image;
  image.add("config.json", "{}");
  image.add("assets/words.txt", std::string(5000, 'w'), true);
  image.add("empty", "");
  image.add("empty deflated", "", true);
  const std::string bytes = image.bytes();
  const ZipReader zip(as_bytes_of(bytes), "file 'x'");
  REQUIRE(zip.members().size() == 4);
  CHECK(zip.members()[0].name == "config.json");
  CHECK(zip.members()[1].method == ZipMethod::deflated);
  CHECK(zip.members()[1].size == 5000);
  CHECK(text(zip.read(zip.members()[1])) == std::string(5000, 'w'));
  for (const ZipMember& member : zip.members()) CHECK_NOTHROW(zip.verify(member));
  CHECK(zip.read(*zip.find("empty")).empty());
  CHECK(zip.read(*zip.find("empty deflated")).empty());
  CHECK(zip.find("config") == nullptr);
}

TEST_CASE("zip: a stored member is seen in place, a compressed one is not") {
  ZipImage image;
  image.add("a", "hello");
  image.add("b", "hello", true);
  const std::string bytes = image.bytes();
  const ZipReader zip(as_bytes_of(bytes), "file 'x'");
  const auto view = zip.stored_view(*zip.find("a"));
  CHECK(as_text(view) == "hello");
  CHECK(reinterpret_cast<const char*>(view.data()) == bytes.data() + 31);
  CHECK_THROWS_WITH_AS(zip.stored_view(*zip.find("b")),
                       "file 'x': zip: member 'b': it is compressed; only stored ones can be read in place; at byte 67",
                       DataError);
}

TEST_CASE("zip: an archive of nothing, with a comment, or with folders is an archive") {
  ZipImage image;
  CHECK(ZipReader(as_bytes_of(image.bytes()), "x").members().empty());
  image.comment = std::string(65535, 'c');
  CHECK(ZipReader(as_bytes_of(image.bytes()), "x").members().empty());
  image.add("assets/", "");
  image.add("assets/größe", "1").central.flags = 1 << 11;
  image.parts[1].local.flags = 1 << 11;
  const std::string bytes = image.bytes();
  const ZipReader zip(as_bytes_of(bytes), "x");
  CHECK(zip.members()[0].is_folder());
  CHECK(zip.members()[1].name == "assets/größe");
}

TEST_CASE("zip: descriptors behind the content are accepted in all four forms") {
  for (const bool wide : {false, true}) {
    for (const bool signature : {false, true}) {
      for (const bool zeros : {false, true}) {
        ZipImage image;
        for (const char* name : {"a", "b"}) {
          ZipImagePart& part = image.add(name, std::string(100, name[0]), true);
          part.local.flags = part.central.flags = 1 << 3;
          const int size = wide ? 8 : 4;
          part.after =
              (signature ? "PK\7\b" : "") + le(part.local.crc, 4) + le(part.local.stored, size) + le(100, size);
          if (zeros) part.local.crc = part.local.stored = part.local.size = 0;
        }
        const std::string bytes = image.bytes();
        const ZipReader zip(as_bytes_of(bytes), "x");
        CHECK(text(zip.read(zip.members()[1])) == std::string(100, 'b'));
      }
    }
  }
}

TEST_CASE("zip: 64-bit sizes are accepted where they say the same") {
  ZipImage image;
  ZipImagePart& part = image.add("a", "hello");
  const std::string both = le(1, 2) + le(16, 2) + le(5, 8) + le(5, 8);
  part.local.size = part.local.stored = 0xFFFFFFFF;
  part.local.extra = both;
  SUBCASE("in the header, as NumPy writes it") {}
  SUBCASE("in the directory too") {
    part.central.size = part.central.stored = 0xFFFFFFFF;
    part.central.extra = both;
  }
  SUBCASE("for the offset") {
    part.offset = 0xFFFFFFFF;
    part.central.extra = le(1, 2) + le(8, 2) + le(0, 8);
  }
  SUBCASE("for the directory") {
    const std::size_t begin = 30 + 1 + 20 + 5, size = 46 + 1;
    image.before_end = "PK\6\6" + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 4) + le(0, 4) + le(1, 8) + le(1, 8) +
                       le(size, 8) + le(begin, 8) + "PK\6\7" + le(0, 4) + le(begin + size, 8) + le(1, 4);
    SUBCASE("beside the small numbers") {}
    SUBCASE("instead of the small numbers") {
      image.count = image.directory_size = image.directory_offset = 0xFFFFFFFF;
    }
  }
  const std::string bytes = image.bytes();
  const ZipReader zip(as_bytes_of(bytes), "x");
  CHECK(text(zip.read(zip.members()[0])) == "hello");
}

TEST_CASE("zip: limits bound members and bytes before anything is allocated") {
  ZipImage image;
  for (int i = 0; i < 5; ++i) image.add("m" + std::to_string(i), std::string(1000, 'x'), true);
  const std::string bytes = image.bytes();
  CHECK_NOTHROW(ZipReader(as_bytes_of(bytes), "x", {.bytes = 5000, .members = 5}));
  CHECK_THROWS_WITH_AS(ZipReader(as_bytes_of(bytes), "x", {.members = 4}),
                       doctest::Contains("5 members; the limit is 4"), DataError);
  CHECK_THROWS_WITH_AS(ZipReader(as_bytes_of(bytes), "x", {.bytes = 4999}),
                       doctest::Contains("member 'm4': the contents take more than the limit of 4999 bytes"),
                       DataError);
  CHECK_THROWS_WITH_AS(ZipReader(as_bytes_of(bytes), "x", {.allows_name = [](auto name) { return name != "m3"; }}),
                       doctest::Contains("member 'm3': the name is not one expected here"), DataError);
}
