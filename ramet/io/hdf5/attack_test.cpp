// Files made to harm, each for one weakness: recorded ones, and sound ones with a few bytes changed.
#include <doctest/doctest.h>

#include "ramet/io/hdf5/hdf5_read.h"
#include "ramet/io/hdf5/hdf5_write.h"
#include "tests/support/hdf5_files.h"

using namespace ramet;
using namespace ramet::hdf5;

namespace {

// The first refusal met on a walk through everything, in one line without control characters.
std::string refusal(const Group& group) {
  for (const std::string& name : group.names()) {
    if (group.is_group(name)) {
      const std::string inside = refusal(group.group(name));
      if (!inside.empty()) return inside;
      continue;
    }
    const Dataset dataset = group.dataset(name);
    for (const std::string& attribute : dataset.attribute_names()) dataset.attribute(attribute).raw();
    if (dataset.type().variable)
      dataset.strings();
    else
      bytes_of(dataset);
  }
  for (const std::string& name : group.attribute_names()) {
    const Attribute attribute = group.attribute(name);
    if (attribute.type().kind == Kind::string) attribute.strings();
  }
  return "";
}

std::string refusal(const Buffer& bytes, const Limits& limits = {}) {
  try {
    return refusal(open(bytes, limits));
  } catch (const DataError& error) {
    const std::string text = error.what();
    CHECK(std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
    CHECK(text.starts_with("HDF5"));
    return text;
  }
}

std::string refusal(const std::string& recorded) { return refusal(recorded_file("refused_" + recorded)); }

// Where `pattern` begins at or after `from`.
std::size_t find(const Buffer& bytes, std::string_view pattern, std::size_t from = 0) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.find(pattern, from);
  REQUIRE(at != text.npos);
  return at;
}

void put(Buffer& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.at(at + i) = static_cast<std::byte>(value >> 8 * i);
}

std::uint64_t number(const Buffer& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes.at(at + i));
  return value;
}

// A sound file: root with a text, group g with dataset x. The root's header is at 96, its first message at 112.
Buffer plain_file() {
  FileWriter writer;
  const Buffer elements(16);
  writer.dataset("g/x", DType::f32, {4}, elements);
  writer.dataset("g/y", DType::boolean, {16}, elements);
  writer.attribute("", "name", "some text");
  writer.attribute("g", "numbers", DType::f32, {4}, elements);
  Buffer out;
  writer.write([&](std::span<const std::byte> part) { out.insert(out.end(), part.begin(), part.end()); });
  return out;
}

std::size_t offset_in(const Buffer& bytes, std::span<const std::byte> part) {
  return static_cast<std::size_t>(part.data() - bytes.data());
}

const std::string kTreeOfChunks = "TREE\1";

}  // namespace

TEST_CASE("hdf5 attack: links out of the file or to another name") {
  CHECK(refusal("external_link").find("link 'x' is an external link; other files are not read") != std::string::npos);
  CHECK(refusal("external_group").find("'/a' at byte") != std::string::npos);
  CHECK(refusal("external_group").find("link 'b' is an external link") != std::string::npos);
  CHECK(refusal("soft_link").find("has a soft link 'x'; links are not followed") != std::string::npos);
  CHECK(refusal("soft_link_latest").find("link 'x' is a soft link; links are not followed") != std::string::npos);
  CHECK(refusal("loop").find("HDF5 '/a/b/c' at byte") == 0);
  CHECK(refusal("loop").find("is the same group as '/a'") != std::string::npos);
  const Buffer bytes = recorded_file("refused_external_group");
  CHECK_THROWS_AS(open(bytes).dataset("a/b/c"), DataError);
  CHECK_THROWS_AS(open(bytes).contains("a/b/c"), DataError);
}

TEST_CASE("hdf5 attack: elements that lie elsewhere") {
  CHECK(refusal("external_storage").find("stores its elements in external files") != std::string::npos);
  CHECK(refusal("virtual").find("layout is virtual") != std::string::npos);
}

TEST_CASE("hdf5 attack: types that are not read are named") {
  CHECK(refusal("committed").find("is neither a group nor a dataset") != std::string::npos);
  const Buffer bytes = recorded_file("refused_committed");
  CHECK_THROWS_WITH_AS(open(bytes).dataset("x"), doctest::Contains("has a shared or committed message"), DataError);
  CHECK(refusal("variable_sequence").find("is a variable-length sequence") != std::string::npos);
  CHECK(refusal("compound").find("is of a compound type") != std::string::npos);
  CHECK(refusal("array").find("is of an array type") != std::string::npos);
  CHECK(refusal("reference").find("is of a reference type") != std::string::npos);
  CHECK(refusal("enumeration").find("is an enumeration other than h5py's bool") != std::string::npos);
  CHECK(refusal("float128").find("is a float of 16 bytes that is none of") != std::string::npos);
  CHECK(refusal("lzf").find("use 'lzf' (32000), which is not read") != std::string::npos);
  CHECK(refusal("scaleoffset").find("use 'scaleoffset' (6), which is not read") != std::string::npos);
}

TEST_CASE("hdf5 attack: shapes and chunks larger than what is stored") {
  const Limits wide{.max_bytes = ~std::uint64_t{0}};
  CHECK(refusal("shape_bomb").find("more than the limit of 1099511627776 bytes") != std::string::npos);
  CHECK(refusal(recorded_file("refused_shape_bomb"), wide).find("but at most 0 are stored") != std::string::npos);
  CHECK(refusal("chunk_bomb").find("more than the limit") != std::string::npos);
  CHECK(refusal(recorded_file("refused_chunk_bomb"), wide).find("but at most 1400 are stored") != std::string::npos);
  CHECK(refusal("deflate_bomb").find("unpacks to more than the 68 bytes of a chunk") != std::string::npos);
  CHECK(refusal("large_chunk").find("are stored") != std::string::npos);

  Buffer padded = recorded_file("refused_large_chunk");  // large enough to pass for what is declared
  padded.resize(300'000);
  put(padded, 40, padded.size(), 8);
  CHECK(refusal(padded).find("declares 268435456 bytes, but stores") != std::string::npos);

  Buffer overflow = plain_file();                   // 2^62 elements of 4 bytes
  const std::string four("\1\1\1\0\0\0\0\0\4", 9);  // shape of the attribute, then of the dataset
  const std::size_t space = find(overflow, four, find(overflow, four) + 1);
  put(overflow, space + 8, std::uint64_t{1} << 62, 8);
  put(overflow, space + 16, std::uint64_t{1} << 62, 8);
  CHECK(refusal(overflow, wide).find("more than the limit") != std::string::npos);
}

TEST_CASE("hdf5 attack: chunk indexes that loop or lie") {
  const Buffer sound = recorded_file("chunks");
  CHECK(refusal(sound).empty());
  std::size_t tree = find(sound, kTreeOfChunks);  // one with levels: keys of 24 bytes, children of 8
  while (sound[tree + 5] == std::byte{0}) tree = find(sound, kTreeOfChunks, tree + 1);

  Buffer twice = sound;
  put(twice, tree + 24 + 32 + 24, number(sound, tree + 24 + 24), 8);
  CHECK(refusal(twice).find("B-tree node is reached twice: the structure is a loop") != std::string::npos);
  Buffer itself = sound;
  put(itself, tree + 24 + 24, tree, 8);
  CHECK(refusal(itself).find("B-tree node is reached twice") != std::string::npos);
  Buffer deep = sound;
  put(deep, tree + 5, 33, 1);
  CHECK(refusal(deep).find("stands at level 33; at most 32 are followed") != std::string::npos);
  Buffer wrong_level = sound;
  put(wrong_level, tree + 5, 2, 1);
  CHECK(refusal(wrong_level).find("stands at level 0 where 1 belongs") != std::string::npos);
  Buffer wide = sound;
  put(wide, tree + 6, 0xFFFF, 2);
  CHECK(refusal(wide).find("B-tree node") != std::string::npos);

  const std::size_t leaf = number(sound, tree + 24 + 24);
  Buffer shared = sound;
  put(shared, leaf + 24 + 32 + 24, number(sound, leaf + 24 + 24), 8);
  CHECK(refusal(shared).find("two chunks share the same bytes") != std::string::npos);
  Buffer same = sound;
  put(same, leaf + 24 + 32 + 8, number(sound, leaf + 24 + 8), 8);
  CHECK(refusal(same).find("is stored twice") != std::string::npos);
  Buffer outside = sound;
  put(outside, leaf + 24 + 8, 1 << 20, 8);
  CHECK(refusal(outside).find("names a chunk outside the shape") != std::string::npos);
  Buffer odd = sound;
  put(odd, leaf + 24 + 8, 1, 8);
  CHECK(refusal(odd).find("which is no multiple of 2") != std::string::npos);

  // The layout of 'one_axis': version 3, chunked, 2 sizes, address, 16 elements of 4 bytes.
  Buffer empty = sound;
  const std::size_t sizes = find(sound, std::string("\x10\0\0\0\4\0\0\0", 8), find(sound, "\3\2\2"));
  put(empty, sizes, 0, 4);
  CHECK(refusal(empty).find("layout has chunks of size 0") != std::string::npos);
  put(empty, sizes, 0xFFFFFFFF, 4);
  CHECK(refusal(empty).find("layout has chunks of more than 4 GiB") != std::string::npos);
}

TEST_CASE("hdf5 attack: damaged chunks are noticed") {
  for (const char* file : {"chunks", "chunks_latest"}) {
    const Buffer sound = recorded_file(file);
    std::size_t noticed = 0;
    for (const std::size_t packed : {find(sound, "\x78\x5e"), find(sound, "\x78\x5e", find(sound, "\x78\x5e") + 1)}) {
      Buffer damaged = sound;
      damaged[packed + 12] ^= std::byte{0x55};
      noticed += refusal(damaged).find("chunk's compressed data is damaged") != std::string::npos;
    }
    CHECK(noticed == 2);
  }
}

TEST_CASE("hdf5 attack: headers, groups and heaps of old files") {
  const Buffer sound = plain_file();
  CHECK(refusal(sound).empty());
  const auto patched = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    Buffer bytes = sound;
    put(bytes, at, value, size);
    return refusal(bytes);
  };
  CHECK(patched(112 + 2, 0xFFF8, 2).find("that goes beyond its block") != std::string::npos);
  CHECK(patched(104, 0xFFFFFFFF, 4).find("lies outside the file") != std::string::npos);
  CHECK(patched(112, 0x18, 2).find("has a metadata cache image") != std::string::npos);
  CHECK(patched(112, 0x77, 2).find("has a message of unknown type 119") != std::string::npos);
  CHECK(patched(96, 7, 1).find("object header has version 7") != std::string::npos);
  CHECK(patched(40, sound.size() + 1, 8).find("it is cut short") != std::string::npos);
  CHECK(patched(24, 512, 8).find("says the file begins at byte 512") != std::string::npos);
  CHECK(patched(64, ~std::uint64_t{0}, 8).find("object header has no address") != std::string::npos);
  CHECK(patched(64, std::uint64_t{1} << 63, 8).find("lies outside the file") != std::string::npos);
  CHECK(patched(13, 3, 1).find("has offsets or lengths of 3 bytes") != std::string::npos);

  Buffer loop = sound;  // the symbol table message becomes a continuation, to the block it stands in
  put(loop, 112, 0x10, 2);
  put(loop, 120, 112, 8);
  put(loop, 128, 24, 8);
  CHECK(refusal(loop).find("object header block is reached twice: the structure is a loop") != std::string::npos);

  const std::size_t tree = number(sound, 120), heap = number(sound, 128), node = number(sound, tree + 32);
  CHECK(patched(heap + 8, std::uint64_t{1} << 40, 8).find("local heap's data of") != std::string::npos);
  CHECK(patched(heap + 24, std::uint64_t{1} << 40, 8).find("lies outside the file") != std::string::npos);
  CHECK(patched(node + 8, 1 << 20, 8).find("has a name at 1048576 in a local heap of 88 bytes") != std::string::npos);
  CHECK(patched(node + 6, 0xFFFF, 2).find("symbol table node of") != std::string::npos);
  CHECK(patched(tree + 5, 1, 1).find("B-tree node does not begin with 'TREE'") != std::string::npos);
  CHECK(patched(tree + 32, tree, 8).find("symbol table node does not begin with 'SNOD'") != std::string::npos);
  CHECK(patched(node + 8, 0, 8).find("has a child named ''") != std::string::npos);
  CHECK(patched(number(sound, heap + 24) + 8, '/', 1).find("which cannot stand in a path") != std::string::npos);
  CHECK(patched(number(sound, heap + 24) + 8, '\n', 1).empty());  // strange, but a name

  Buffer self = sound;
  put(self, tree + 5, 1, 1);
  put(self, tree + 32, tree, 8);
  CHECK(refusal(self).find("B-tree node is reached twice") != std::string::npos);
}

TEST_CASE("hdf5 attack: attributes, strings and types") {
  const Buffer sound = plain_file();
  const Group root = open(sound);
  const std::size_t reference = offset_in(sound, root.attribute("name").raw());
  const auto patched = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    Buffer bytes = sound;
    put(bytes, at, value, size);
    return refusal(bytes);
  };
  CHECK(patched(reference, 0xFFFFFFFF, 4).find("has 4294967295 bytes, but its heap object has 9") != std::string::npos);
  CHECK(patched(reference + 4, std::uint64_t{1} << 40, 8).find("global heap of 16 bytes lies outside") !=
        std::string::npos);
  CHECK(patched(reference + 4, 96, 8).find("global heap does not begin with 'GCOL'") != std::string::npos);
  CHECK(patched(reference + 12, 77, 4).find("points to object 77 of the global heap") != std::string::npos);
  const std::size_t heap = number(sound, reference + 4);
  CHECK(patched(heap + 8, ~std::uint64_t{0}, 8).find("lies outside the file") != std::string::npos);
  CHECK(patched(heap + 24, ~std::uint64_t{0}, 8).find("global heap is cut short") != std::string::npos);

  const std::size_t numbers = offset_in(sound, root.group("g").attribute("numbers").raw());
  CHECK(patched(numbers - 16, 1 << 30, 8).find("is larger than it says") != std::string::npos);
  Buffer huge = sound;
  put(huge, numbers - 16, std::uint64_t{1} << 40, 8);
  put(huge, numbers - 8, std::uint64_t{1} << 40, 8);
  CHECK(refusal(huge).find("attribute 'numbers' of shape (1099511627776,) declares more than") != std::string::npos);

  const std::size_t text_type = find(sound, std::string("\x19\1\1\0\x10\0\0\0", 8));
  CHECK(patched(text_type + 8, 0x19, 1).find("is a variable-length string of a variable length type") !=
        std::string::npos);
  const std::size_t boolean = find(sound, std::string("\x18\2\0\0\1", 5));
  CHECK(patched(boolean + 8, 0x18, 1).find("is an enumeration of an enumeration type") != std::string::npos);
  CHECK(patched(boolean + 4, 0, 4).find("has elements of 0 bytes") != std::string::npos);
  CHECK(patched(boolean, 0x1F, 1).find("has the unknown class 15") != std::string::npos);
}

TEST_CASE("hdf5 attack: one long string cannot be told many times") {
  FileWriter writer;
  writer.attribute("", "long", std::string(200'000, 'x'));
  writer.attribute("", "names", std::vector<std::string>(4000, "y"));
  Buffer bytes;
  writer.write([&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  const Group root = open(bytes);
  const auto long_one = root.attribute("long").raw(), many = root.attribute("names").raw();
  Buffer bomb = bytes;  // all 4000 refer to the long one: 800 MB
  for (std::size_t i = 0; i < 4000; ++i)
    std::copy(long_one.begin(), long_one.end(),
              bomb.begin() + static_cast<std::ptrdiff_t>(offset_in(bytes, many) + 16 * i));
  CHECK(refusal(bomb).find("are together longer than the file") != std::string::npos);
}

TEST_CASE("hdf5 attack: one long name cannot be read for many children") {
  FileWriter writer;
  for (int i = 0; i < 2000; ++i) writer.dataset("c" + std::to_string(i), DType::u8, {0}, Buffer());
  writer.dataset(std::string(60'000, 'x'), DType::u8, {0}, Buffer());
  Buffer bytes;
  writer.write([&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  CHECK(open(bytes).names().size() == 2001);
  const std::uint64_t names = number(bytes, number(bytes, 88) + 24);
  const std::uint64_t long_name = find(bytes, std::string(100, 'x')) - names;
  for (std::size_t node = find(bytes, "SNOD"); bytes[node] == std::byte{'S'}; node += 328)  // one after the other
    for (std::size_t i = 0; i < 8; ++i) put(bytes, node + 8 + 40 * i, long_name, 8);
  CHECK(refusal(bytes).find("takes more work to read than a file of") != std::string::npos);
}

TEST_CASE("hdf5 attack: a changed byte in a checksummed structure is noticed") {
  const Buffer sound = recorded_file("chunks_latest");
  CHECK(refusal(sound).empty());
  for (const char* signature : {"OHDR", "FAHD", "FADB", "EAHD", "EAIB", "EADB", "EASB", "BTHD", "BTLF", "BTIN"}) {
    CAPTURE(signature);
    Buffer changed = sound;
    changed[find(sound, signature) + 7] ^= std::byte{1};
    CHECK_FALSE(refusal(changed).empty());
  }
  const Buffer groups = recorded_file("groups_latest");
  for (const char* signature : {"FRHP", "FHDB", "FHIB"}) {
    CAPTURE(signature);
    Buffer changed = groups;
    changed[find(groups, signature) + 40] ^= std::byte{1};
    CHECK(refusal(changed).find("does not match its checksum") != std::string::npos);
  }
  Buffer block = recorded_file("small_latest");
  block[find(block, "OCHK") + 40] ^= std::byte{1};
  CHECK(refusal(block).find("object header block does not match its checksum") != std::string::npos);
  Buffer superblock = sound;
  superblock[36] ^= std::byte{1};
  CHECK(refusal(superblock).find("superblock does not match its checksum") != std::string::npos);
}
