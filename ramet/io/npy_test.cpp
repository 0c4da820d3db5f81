#include "ramet/io/npy.h"

#include <doctest/doctest.h>

#include <cstring>

#include "ramet/base/error.h"
#include "ramet/io/bytes.h"
#include "ramet/io/npy_header.h"
#include "tests/support/mutants.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;
using namespace ramet::testing;
using namespace std::string_literals;

namespace {

std::string recorded(const std::string& name) { return std::string(RAMET_TEST_DATA) + "/npy/" + name; }

// Element i of the recorded arrays, as tools/oracle/npy_files.py makes them.
double formula(char kind, std::int64_t i) {
  if (kind == 'b') return static_cast<double>(i % 2);
  if (kind == 'u') return static_cast<double>(3 * i);
  const double value = static_cast<double>(i % 2 ? -3 * i : 3 * i);
  return kind == 'f' ? value / 2 : value;
}

bool follows_formula(const Array& array, char kind) {
  const auto values = array.to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != formula(kind, static_cast<std::int64_t>(i))) return false;
  return true;
}

// A file with this dictionary and these elements.
std::string file_with(const std::string& dictionary, std::size_t element_bytes = 0, int version = 1) {
  std::string text = dictionary + "\n", out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(text.size() >> (8 * i));
  return out + text + std::string(element_bytes, '\1');
}

std::string refusal(const std::string& bytes) {
  try {
    parse_npy(as_bytes_of(bytes), "file 'x'");
    return "(accepted)";
  } catch (const DataError& error) { return error.what(); }
}

}  // namespace

TEST_CASE("npy: every element type of NumPy, in either byte order, becomes the nearest of Ramet's") {
  const std::pair<const char*, DType> cases[] = {{"b1", DType::boolean}, {"i1", DType::i8},  {"i2", DType::i32},
                                                 {"i4", DType::i32},     {"i8", DType::i64}, {"u1", DType::u8},
                                                 {"u2", DType::i32},     {"u4", DType::i64}, {"u8", DType::i64},
                                                 {"f4", DType::f32},     {"f8", DType::f64}};
  for (const auto& [name, dtype] : cases) {
    for (const std::string prefix : {"", "big_"}) {
      if (!prefix.empty() && name[1] == '1') continue;
      const std::string file = prefix + name + ".npy";
      CAPTURE(file);
      const Array array = load_npy(recorded(file));
      CHECK(array.dtype() == dtype);
      CHECK(array.shape() == Shape{2, 3});
      CHECK(follows_formula(array, name[0]));
    }
  }
}

TEST_CASE("npy: half precision keeps its bits") {
  for (const char* name : {"f2.npy", "big_f2.npy"}) {
    const Array array = load_npy(recorded(name));
    REQUIRE(array.dtype() == DType::f16);
    std::uint16_t second = 0;
    std::memcpy(&second, static_cast<const char*>(array.raw()) + 2, 2);
    CHECK(second == 0xBE00);  // -1.5
  }
}

TEST_CASE("npy: scalars, empty arrays, column-major arrays and newer versions") {
  const Array scalar = load_npy(recorded("scalar.npy"));
  CHECK(scalar.shape().empty());
  CHECK(scalar.item() == 1.5);
  CHECK(load_npy(recorded("empty.npy")).shape() == Shape{3, 0, 2});
  const Array fortran = load_npy(recorded("fortran.npy"));
  CHECK(fortran.shape() == Shape{2, 3, 4});
  CHECK(follows_formula(fortran, 'f'));
  CHECK(follows_formula(load_npy(recorded("fortran_big.npy")), 'i'));
  CHECK(follows_formula(load_npy(recorded("version2.npy")), 'f'));
  CHECK(follows_formula(load_npy(recorded("version3.npy")), 'f'));
}

TEST_CASE("npy: saving gives the bytes that NumPy writes") {
  const TemporaryFolder folder;
  for (const char* name : {"b1", "i1", "i4", "i8", "u1", "f2", "f4", "f8", "scalar", "empty"}) {
    CAPTURE(name);
    const std::string original = recorded(std::string(name) + ".npy");
    save_npy(folder / "x.npy", load_npy(original));
    CHECK(content_of(folder / "x.npy") == content_of(original));
  }
  CHECK_THROWS_WITH_AS(save_npy(folder / "x.npy", Array({2}, DType::bf16)),
                       ".npy has no element type bfloat16; use astype(DType::f32) first", UsageError);
  CHECK_THROWS_AS(save_npy(folder / "x.npy", Array()), UsageError);
  CHECK(content_of(folder / "x.npy") == content_of(recorded("empty.npy")));
}

TEST_CASE("npy: element types that are no numbers are refused by name") {
  const std::pair<const char*, const char*> cases[] = {
      {"object", "the elements are Python objects, which are pickles and could run code ('|O')"},
      {"record", "the elements are records"},
      {"string", "the elements are strings ('<U2')"},
      {"bytes", "the elements are byte strings ('|S2')"},
      {"complex", "the elements are complex numbers ('<c8')"},
      {"date", "the elements are dates"},
      {"span", "the elements are time differences"},
      {"raw", "the elements are records or raw bytes ('|V3')"},
      {"long_double", "floating types have 2, 4 or 8 bytes"},
      {"large_u8", "a uint64 element is too large for int64: 9223372036854775808; at byte 136"}};
  for (const auto& [name, message] : cases) {
    const std::string path = recorded(std::string("refused_") + name + ".npy");
    CHECK_THROWS_WITH_AS(load_npy(path), doctest::Contains(message), DataError);
  }
}

TEST_CASE("npy: a header is exactly what NumPy writes, or the file is refused") {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  REQUIRE(refusal(file_with(good, 24)) == "(accepted)");
  CHECK(refusal(file_with("{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"<f4\"}  ", 24)) == "(accepted)");
  const auto dictionary = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return file_with("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }", 24);
  };
  const auto shape = [&](const std::string& text) { return dictionary("'<f4'", "False", text); };
  const auto descr = [&](const std::string& text) { return dictionary(text, "False", "(2, 3)"); };
  std::string ones;
  for (int axis = 0; axis < 65; ++axis) ones += "1,";
  const std::pair<std::string, const char*> cases[] = {
      {"", "does not begin as a .npy file"},
      {"\x93NUMPX\1\0\0\0"s, "does not begin as a .npy file"},
      {file_with(good, 24, 4), "version 4.0 is not known"},
      {file_with(good, 24, 0), "version 0.0 is not known"},
      {"\x93NUMPY\2\0\0\0"s, "the header is cut short"},
      {"\x93NUMPY\1\0\xFF\0{}"s, "the header is cut short"},
      {file_with(good + std::string(10'000, ' '), 24), "is longer than 10000"},
      {"\x93NUMPY\2\0\xFF\xFF\xFF\xFF{}"s, "a header of 4294967295 bytes is longer than 10000"},
      {file_with(good, 23), "the shape (2, 3) needs 24 bytes after the header; got 23"},
      {file_with(good, 25), "the shape (2, 3) needs 24 bytes after the header; got 25"},
      {file_with(good + "x", 24), "the header goes on after its dictionary"},
      {file_with(good + good, 24), "the header goes on after its dictionary"},
      {file_with("", 24), "the header needs '{' here; at byte 11"},
      {file_with("{'descr': '<f4', 'shape': (2, 3)}", 24), "the header lacks"},
      {file_with("{'shape': (2,), 'shape': (2, 3)}", 24), "the header has 'shape' twice"},
      {file_with("{'shape': (2,), 'x': 1}", 24), "unknown key 'x'"},
      {file_with("{'shape': (2,) 'x': 1}", 24), "the header needs ',' here"},
      {file_with("{'shape", 24), "a string of the header has no end"},
      {file_with("{__import__('os')}", 24), "the header needs a string here"},
      {dictionary("'<f4'", "0", "(2, 3)"), "'fortran_order' must be True or False"},
      {shape("(6)"), "a number in brackets, not a tuple"},
      {shape("[2, 3]"), "the header needs '(' here"},
      {shape("(2, -3)"), "not negative and below 2^63"},
      {shape("(2, 3.0)"), "the shape needs ',' here"},
      {shape("(2 3)"), "the shape needs ',' here"},
      {shape("(2,, 3)"), "the shape needs a size here"},
      {shape("(02, 3)"), "the shape needs a size here"},
      {shape("(2, 3"), "the shape needs a size here"},
      {shape("(9223372036854775808,)"), "below 2^63"},
      {shape("(9223372036854775807,)"), "has too many elements"},
      {shape("(4294967296, 4294967296)"), "has too many elements"},
      {shape("(4294967296, 4294967296, 0)"), "has too many elements"},
      {shape("(1099511627776, 1024)"), "needs 4503599627370496 bytes after the header; got 24"},
      {shape("(" + ones + ")"), "more than 64 axes"},
      {descr("'f4'"), "the elements are of a type that is not known ('f4')"},
      {descr("'=f4'"), "the byte order of '=f4' is not known"},
      {descr("'|f4'"), "the byte order of '|f4' is not known"},
      {descr("'<f'"), "floating types have 2, 4 or 8 bytes"},
      {descr("'<f04'"), "floating types have 2, 4 or 8 bytes"},
      {descr("'<f3'"), "floating types have 2, 4 or 8 bytes"},
      {descr("'<i16'"), "type that is not known ('<i16')"},
      {descr("'<f4\n'"), "a string of the header has no end"},
      {descr("'\\x3cf4'"), "a string of the header has no end"},
      {descr("''"), "the element type '' is not known"},
      {descr("('<f4', (2,))"), "the header needs a string here"},
      {file_with("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }") + "\2", "a boolean is 2, not 0 or 1"},
  };
  for (const auto& [bytes, message] : cases) {
    const std::string got = refusal(bytes), wanted = message;
    CHECK_MESSAGE(got.find(wanted) != got.npos, wanted << " / " << got);
    CHECK(got.starts_with("file 'x': npy: "));
  }
}

TEST_CASE("npy: a file cut at any byte is refused") {
  const std::string bytes = content_of(recorded("fortran.npy"));
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(refusal(bytes.substr(0, size)) != "(accepted)");
}

TEST_CASE("npy: twenty thousand mutants are read or refused, never worse") {
  const std::string originals[] = {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24),
                                   file_with("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 2), }", 24, 2),
                                   content_of(recorded("u8.npy"))};
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed)
    accepted += refusal(mutant(originals[seed % 3], seed)) == "(accepted)";
  CHECK(accepted < 10'000);  // elements may be anything, and so may the spaces of a header
}
