// Archives made to deceive: each attack alone, every cut, and twenty thousand random ones.
#include <doctest/doctest.h>

#include "ramet/base/error.h"
#include "ramet/io/bytes.h"
#include "ramet/io/zip_read.h"
#include "tests/support/mutants.h"
#include "tests/support/zip_image.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// Three members, the second compressed: what every attack below starts from.
ZipImage plain() {
  ZipImage image;
  image.add("metadata.json", R"({"keras_version": "3.15.1"})");
  image.add("config.json", std::string(300, ' ') + "{}", true);
  image.add("model.weights.h5", std::string(200, '\7'));
  return image;
}

void read_all(const std::string& bytes) {
  const ZipReader zip(as_bytes_of(bytes), "file 'x'", {.bytes = 100'000});
  for (const ZipMember& member : zip.members()) zip.read(member);
}

// The message, or what came instead of it.
std::string refusal(const std::string& bytes) {
  try {
    read_all(bytes);
    return "(accepted)";
  } catch (const DataError& error) { return error.what(); }
}

void rename(ZipImagePart& part, const std::string& name) { part.local.name = part.central.name = name; }
void set_flags(ZipImagePart& part, unsigned flags) { part.local.flags = part.central.flags = flags; }
std::string zip64(std::uint64_t size, std::uint64_t stored) {
  return le(1, 2) + le(16, 2) + le(size, 8) + le(stored, 8);
}

struct Attack {
  const char* what;
  void (*apply)(ZipImage&);
  const char* message;
};

const Attack kAttacks[] = {
    // names
    {"climbing out", [](ZipImage& z) { rename(z.parts[0], "../evil"); }, "member '../evil': a part of the name"},
    {"climbing out inside", [](ZipImage& z) { rename(z.parts[0], "a/../../evil"); },
     "a part of the name is empty, '.' or '..'"},
    {"climbing out at the end", [](ZipImage& z) { rename(z.parts[0], "assets/.."); },
     "a part of the name is empty, '.' or '..'"},
    {"dot part", [](ZipImage& z) { rename(z.parts[0], "./config.json"); }, "a part of the name is empty, '.' or '..'"},
    {"empty part", [](ZipImage& z) { rename(z.parts[0], "assets//a"); }, "a part of the name is empty, '.' or '..'"},
    {"only a slash", [](ZipImage& z) { rename(z.parts[0], "/"); }, "absolute path"},
    {"absolute path", [](ZipImage& z) { rename(z.parts[0], "/etc/passwd"); }, "the name is an absolute path"},
    {"drive letter", [](ZipImage& z) { rename(z.parts[0], "C:evil"); }, "the name begins with a drive"},
    {"backslash", [](ZipImage& z) { rename(z.parts[0], "..\\evil"); }, "the name has a backslash"},
    {"NUL", [](ZipImage& z) { rename(z.parts[0], std::string("a\0b", 3)); },
     "member 'a\\x00b': the name has a control character"},
    {"line feed", [](ZipImage& z) { rename(z.parts[0], "a\nb"); },
     "member 'a\\x0ab': the name has a control character"},
    {"empty name", [](ZipImage& z) { rename(z.parts[0], ""); }, "the name is empty"},
    {"endless name", [](ZipImage& z) { rename(z.parts[0], std::string(513, 'a')); },
     "the name is longer than 512 bytes"},
    {"no UTF-8", [](ZipImage& z) { rename(z.parts[0], "\xff"); }, "the name is not UTF-8"},
    {"UTF-8 not said", [](ZipImage& z) { rename(z.parts[0], "ä"); }, "the name is not ASCII and not said to be UTF-8"},
    {"duplicate", [](ZipImage& z) { rename(z.parts[2], "config.json"); },
     "member 'config.json': the name is taken twice"},
    {"a second name", [](ZipImage& z) { z.parts[0].central.extra = le(0x7075, 2) + le(6, 2) + "\1abcde"; },
     "it has a second name"},
    {"a second name in front", [](ZipImage& z) { z.parts[0].local.extra = le(0x7075, 2) + le(6, 2) + "\1abcde"; },
     "it has a second name"},
    {"folder with content", [](ZipImage& z) { rename(z.parts[0], "assets/"); }, "a folder has content"},
    {"symbolic link", [](ZipImage& z) { z.parts[0].attributes = 0120777u << 16; }, "it is a symbolic link or a device"},
    // header against directory
    {"another name in front", [](ZipImage& z) { z.parts[0].local.name = "metadata.jsoN"; },
     "its header calls it 'metadata.jsoN'"},
    {"longer name in front", [](ZipImage& z) { z.parts[0].local.name = "metadata.json2"; }, "its header calls it"},
    {"other flags in front", [](ZipImage& z) { z.parts[0].local.flags = 1 << 11; }, "different flags"},
    {"encrypted only in front", [](ZipImage& z) { z.parts[0].local.flags = 1; }, "different flags"},
    {"other method in front", [](ZipImage& z) { z.parts[1].local.method = 0; }, "different methods"},
    {"other CRC in front", [](ZipImage& z) { z.parts[0].local.crc ^= 1; }, "different CRCs"},
    {"other size in front", [](ZipImage& z) { z.parts[1].local.size++; }, "different sizes"},
    {"other stored size in front", [](ZipImage& z) { z.parts[1].local.stored--; }, "different sizes"},
    {"zero CRC without descriptor", [](ZipImage& z) { z.parts[0].local.crc = 0; }, "different CRCs"},
    {"zero sizes without descriptor", [](ZipImage& z) { z.parts[0].local.size = z.parts[0].local.stored = 0; },
     "different sizes"},
    {"no header in front", [](ZipImage& z) { z.parts[0].offset = 1; }, "no header where the directory says"},
    {"header behind the file", [](ZipImage& z) { z.parts[0].offset = 0x7FFFFFFF; },
     "its header lies outside the members"},
    {"header in the directory", [](ZipImage& z) { z.parts[2].offset = z.bytes().size() - 60; },
     "its header lies outside the members"},
    // content
    {"wrong CRC", [](ZipImage& z) { z.parts[0].data[3] ^= 1; },
     "member 'metadata.json': the content is damaged: its CRC is another"},
    {"wrong CRC, deflated", [](ZipImage& z) { z.parts[1].local.crc = z.parts[1].central.crc = 7; },
     "its CRC is another"},
    {"deflate damaged", [](ZipImage& z) { z.parts[1].data[0] = '\7'; }, "the compressed data is damaged"},
    {"encrypted", [](ZipImage& z) { set_flags(z.parts[0], 1); }, "it is encrypted"},
    {"strongly encrypted", [](ZipImage& z) { set_flags(z.parts[0], 1 << 6); }, "unknown flags 64"},
    {"patch data", [](ZipImage& z) { set_flags(z.parts[0], 1 << 5); }, "unknown flags 32"},
    {"masked headers", [](ZipImage& z) { set_flags(z.parts[0], 1 << 13); }, "unknown flags 8192"},
    {"level of a stored member", [](ZipImage& z) { set_flags(z.parts[0], 2); }, "unknown flags 2"},
    {"bzip2", [](ZipImage& z) { z.parts[0].local.method = z.parts[0].central.method = 12; },
     "method 12; only stored (0) and deflated (8)"},
    {"deflate64", [](ZipImage& z) { z.parts[1].local.method = z.parts[1].central.method = 9; }, "method 9"},
    {"no method", [](ZipImage& z) { z.parts[1].local.method = z.parts[1].central.method = 65535; }, "method 65535"},
    {"stored with two sizes", [](ZipImage& z) { z.parts[0].central.size = 99; }, "stored, but 27 bytes give 99"},
    {"larger than the file", [](ZipImage& z) { z.parts[0].central.size = z.parts[0].central.stored = 50'000; },
     "more than lie before the directory"},
    {"larger than the budget", [](ZipImage& z) { z.parts[0].central.size = z.parts[0].central.stored = 0x7FFFFFFF; },
     "more than lie before the directory"},
    // bombs
    {"deflate bomb",
     [](ZipImage& z) {
       z.parts.clear();
       z.add("bomb", std::string(5'000'000, '\0'), true);
     },
     "the contents take more than the limit of 100000 bytes"},
    {"bomb with a small size",
     [](ZipImage& z) {
       auto& p = z.add("bomb", std::string(90'000, '\0'), true);
       p.local.size = p.central.size = 10;
     },
     "gives more than the announced size"},
    {"bomb with size 0",
     [](ZipImage& z) {
       auto& p = z.add("bomb", std::string(90'000, '\0'), true);
       p.local.size = p.central.size = 0;
     },
     "gives more than the announced size"},
    {"less than announced", [](ZipImage& z) { z.parts[1].local.size = z.parts[1].central.size = 400; },
     "gives 98 bytes less than announced"},
    {"more than deflate can", [](ZipImage& z) { z.parts[1].local.size = z.parts[1].central.size = 90'000; },
     "compressed bytes cannot give 90000"},
    {"bytes behind deflate",
     [](ZipImage& z) {
       z.parts[1].data += "hidden";
       z.parts[1].local.stored += 6;
       z.parts[1].central.stored += 6;
     },
     "6 bytes follow the end of the compressed data"},
    {"deflate cut short",
     [](ZipImage& z) {
       z.parts[1].data.pop_back();
       z.parts[1].local.stored--;
       z.parts[1].central.stored--;
     },
     "the compressed data is cut short"},
    {"overlap: one content twice",
     [](ZipImage& z) {
       z.parts[0].offset = 0;
       z.parts.push_back(z.parts[0]);
       rename(z.parts[3], "metadata.json");
       z.parts[3].local.name = z.parts[3].central.name = "b";
       z.parts[3].offset = 0;
     },
     "its header calls it"},
    {"overlap: quoted header",
     [](ZipImage& z) {
       // The first content contains a whole second member, as in overlap bombs.
       ZipImage inner;
       inner.add("inner", "kernel");
       const std::string local = inner.bytes().substr(0, 30 + 5 + 6);
       z.parts.clear();
       z.add("outer", local);
       z.parts.push_back(inner.parts[0]);
       z.parts[1].offset = 30 + 5;
     },
     "member 'inner': overlaps member 'outer'"},
    {"overlap by a size",
     [](ZipImage& z) {
       auto& p = z.parts[0];
       p.local.size = p.local.stored = p.central.size = p.central.stored = 60;
     },
     "overlaps member 'metadata.json'"},
    // what belongs to no member
    {"prepended, offsets as before",
     [](ZipImage& z) {
       z.parts[0].before = "#!/bin/sh\n";
       z.directory_offset = z.bytes().size() - 22 - 171 - 10;
       for (auto& p : z.parts) p.offset = 0;
     },
     "something was put before, between or after"},
    {"prepended, offsets put right", [](ZipImage& z) { z.parts[0].before = "MZ"; },
     "2 bytes before it belong to no member"},
    {"gap between members", [](ZipImage& z) { z.parts[1].before = "gap"; }, "3 bytes before it belong to no member"},
    {"gap before the directory", [](ZipImage& z) { z.before_directory = "gap"; },
     "between the last member and the directory belong to nobody"},
    {"member that the directory hides",
     [](ZipImage& z) {
       ZipImage hidden;
       hidden.add("hidden", "1");
       z.before_directory = hidden.bytes().substr(0, 37);
     },
     "belong to nobody"},
    {"gap before the end", [](ZipImage& z) { z.before_end = "gap"; }, "something was put before, between or after"},
    {"trailing bytes", [](ZipImage& z) { z.after = "trailing"; }, "announces a comment of 0 bytes; 8 bytes follow"},
    {"comment longer than the file", [](ZipImage& z) { z.comment_size = 9; },
     "announces a comment of 9 bytes; 0 bytes follow"},
    {"two ends", [](ZipImage& z) { z.after = ZipImage().bytes(); }, "something was put before, between or after"},
    {"end in a comment", [](ZipImage& z) { z.comment = ZipImage().bytes(); },
     "something was put before, between or after"},
    {"two whole archives", [](ZipImage& z) { z.after = plain().bytes(); },
     "something was put before, between or after"},
    // directory and end
    {"no end",
     [](ZipImage& z) {
       z.comment = std::string(40, 'c');
       z.after = std::string(66'000, 'x');
     },
     "no end record"},
    {"fewer members", [](ZipImage& z) { z.count = 2; }, "the directory does not end after its last member"},
    {"more members", [](ZipImage& z) { z.count = 4; }, "a directory of 178 bytes cannot name 4 members"},
    {"more members than headers",
     [](ZipImage& z) {
       z.count = 4;
       z.parts[2].comment = std::string(60, 'c');
     },
     "the directory is cut short"},
    {"far more members", [](ZipImage& z) { z.count = 9000; }, "cannot name 9000 members"},
    {"too many members", [](ZipImage& z) { z.count = 20'000; }, "20000 members; the limit is 10000"},
    {"directory elsewhere", [](ZipImage& z) { z.directory_offset = 0; },
     "the directory should lie before its end record"},
    {"directory past the end", [](ZipImage& z) { z.directory_offset = 0xFFFFFFF0; },
     "the directory should lie before its end record"},
    {"directory of another size", [](ZipImage& z) { z.directory_size = 5; },
     "the directory should lie before its end record"},
    {"several disks", [](ZipImage& z) { z.disk = 1; }, "the archive has several disks"},
    {"member on another disk", [](ZipImage& z) { z.parts[1].disk = 1; }, "it lies on another disk"},
    {"extra fields cut", [](ZipImage& z) { z.parts[0].central.extra = "abc"; }, "its extra fields are damaged"},
    {"extra field past its end", [](ZipImage& z) { z.parts[0].local.extra = le(9, 2) + le(5, 2) + "abcd"; },
     "its extra fields are damaged"},
    // zip64
    {"zip64 number missing", [](ZipImage& z) { z.parts[0].central.size = 0xFFFFFFFF; }, "a zip64 number is missing"},
    {"zip64 numbers too few",
     [](ZipImage& z) {
       z.parts[0].central.size = z.parts[0].central.stored = 0xFFFFFFFF;
       z.parts[0].central.extra = le(1, 2) + le(8, 2) + le(27, 8);
     },
     "a zip64 number is missing"},
    {"zip64 numbers too many", [](ZipImage& z) { z.parts[0].central.extra = zip64(27, 27); },
     "numbers that nothing asks for"},
    {"two zip64 fields",
     [](ZipImage& z) {
       z.parts[0].central.size = z.parts[0].central.stored = 0xFFFFFFFF;
       z.parts[0].central.extra = zip64(27, 27) + zip64(1, 1);
     },
     "it has two zip64 fields"},
    {"zip64 size of 2^63",
     [](ZipImage& z) {
       z.parts[0].central.size = z.parts[0].central.stored = 0xFFFFFFFF;
       z.parts[0].central.extra = zip64(1ull << 63, 1ull << 63);
     },
     "more than lie before the directory"},
    {"zip64 size of 2^64 - 1",
     [](ZipImage& z) {
       z.parts[1].central.size = z.parts[1].central.stored = 0xFFFFFFFF;
       z.parts[1].central.extra = zip64(~0ull, ~0ull);
     },
     "more than lie before the directory"},
    {"zip64 lies in front",
     [](ZipImage& z) {
       z.parts[0].local.size = z.parts[0].local.stored = 0xFFFFFFFF;
       z.parts[0].local.extra = zip64(26, 27);
     },
     "different sizes"},
    {"zip64 too short in front",
     [](ZipImage& z) {
       z.parts[0].local.size = 0xFFFFFFFF;
       z.parts[0].local.extra = le(1, 2) + le(8, 2) + le(27, 8);
     },
     "another size than 16"},
    {"zip64 offset past the end",
     [](ZipImage& z) {
       z.parts[0].offset = 0xFFFFFFFF;
       z.parts[0].central.extra = le(1, 2) + le(8, 2) + le(~0ull - 5, 8);
     },
     "its header lies outside the members"},
    {"zip64 end missing", [](ZipImage& z) { z.directory_offset = 0xFFFFFFFF; }, "there is none before it"},
    {"zip64 end elsewhere",
     [](ZipImage& z) { z.before_end = std::string(56, 'x') + "PK\6\7" + le(0, 4) + le(3, 8) + le(1, 4); },
     "the zip64 end record is not where its locator says"},
    {"zip64 end says otherwise",
     [](ZipImage& z) {
       const std::size_t begin = z.bytes().size() - 22 - 178;
       z.before_end = "PK\6\6" + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 8) + le(2, 8) + le(2, 8) + le(178, 8) +
                      le(begin, 8) + "PK\6\7" + le(0, 4) + le(begin + 178, 8) + le(1, 4);
     },
     "the zip64 end record and the end record say different things"},
    // descriptors
    {"descriptor missing", [](ZipImage& z) { set_flags(z.parts[0], 8); }, "no descriptor fits the 0 bytes"},
    {"descriptor of odd size",
     [](ZipImage& z) {
       set_flags(z.parts[0], 8);
       z.parts[0].after = std::string(13, '\0');
     },
     "no descriptor fits the 13 bytes"},
    {"descriptor with another CRC",
     [](ZipImage& z) {
       set_flags(z.parts[0], 8);
       z.parts[0].after = "PK\7\b" + le(1, 4) + le(27, 4) + le(27, 4);
     },
     "descriptor and directory differ"},
    {"descriptor with another size",
     [](ZipImage& z) {
       set_flags(z.parts[0], 8);
       z.parts[0].after = le(z.parts[0].local.crc, 4) + le(27, 4) + le(28, 4);
     },
     "descriptor and directory differ"},
    {"descriptor without its mark",
     [](ZipImage& z) {
       set_flags(z.parts[0], 8);
       z.parts[0].after = std::string(16, 'x');
     },
     "its descriptor is damaged"},
    {"descriptor not announced",
     [](ZipImage& z) { z.parts[0].after = "PK\7\b" + le(z.parts[0].local.crc, 4) + le(27, 4) + le(27, 4); },
     "16 bytes before it belong to no member"},
};

}  // namespace

TEST_CASE("zip: every named attack is refused by its own message") {
  REQUIRE(refusal(plain().bytes()) == "(accepted)");
  for (const Attack& attack : kAttacks) {
    CAPTURE(attack.what);
    ZipImage image = plain();
    attack.apply(image);
    const std::string message = refusal(image.bytes());
    CHECK_MESSAGE(message.find(attack.message) != message.npos, message);
    CHECK(message.starts_with("file 'x': zip: "));
    CHECK(message.find("; at byte ") != message.npos);
    for (const char c : message) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST_CASE("zip: an archive cut at any byte is refused") {
  const std::string bytes = plain().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(refusal(bytes.substr(0, size)) != "(accepted)");
}

TEST_CASE("zip: any single flipped bit of a stored content is found") {
  const std::string bytes = plain().bytes();
  const std::size_t begin = bytes.find(std::string(200, '\7'));
  for (std::size_t bit = 0; bit < 200 * 8; ++bit) {
    std::string flipped = bytes;
    flipped[begin + bit / 8] = static_cast<char>(flipped[begin + bit / 8] ^ (1 << bit % 8));
    CHECK(refusal(flipped).find("its CRC is another") != std::string::npos);
  }
}

TEST_CASE("zip: twenty thousand mutants are read or refused, never worse") {
  ZipImage streamed = plain();
  for (ZipImagePart& part : streamed.parts) {
    set_flags(part, 8);
    part.after = "PK\7\b" + le(part.local.crc, 4) + le(part.local.stored, 4) + le(part.local.size, 4);
    part.local.size = part.local.stored = part.local.crc = 0;
  }
  const std::string originals[] = {plain().bytes(), streamed.bytes()};
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed)
    accepted += refusal(mutant(originals[seed % 2], seed)) == "(accepted)";
  CHECK(accepted < 4000);  // dates, attributes, versions and the like do not matter
}
