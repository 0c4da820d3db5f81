#include "ramet/io/npz.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "ramet/base/error.h"
#include "ramet/io/bytes.h"
#include "ramet/io/npy.h"
#include "tests/support/mutants.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_image.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

std::string recorded(const std::string& name) { return std::string(RAMET_TEST_DATA) + "/npy/" + name; }

// 0, -3, 6, -9, … (half of it for floats, without signs for unsigned), as tools/oracle/npy_files.py makes them.
Array by_formula(Shape shape, DType dtype) {
  Array out(std::move(shape), dtype);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::int64_t i = 0;
    for (T& x : out.data<T>()) {
      const double value = static_cast<double>(3 * i) * (i % 2 && dtype != DType::u8 ? -1 : 1);
      x = dtype == DType::boolean ? static_cast<T>(i % 2) : static_cast<T>(is_floating(dtype) ? value / 2 : value);
      ++i;
    }
  });
  return out;
}

std::string npy_text(const Array& array) {
  MemorySink sink;
  write_npy(sink, array);
  return std::string(as_text(sink.bytes()));
}

std::string refusal(const std::string& bytes) {
  try {
    parse_npz(as_bytes_of(bytes), "file 'x'", 100'000);
    return "(accepted)";
  } catch (const DataError& error) { return error.what(); }
}

}  // namespace

TEST_CASE("npz: what NumPy saved is read, stored, deflated and streamed") {
  for (const char* name : {"stored.npz", "deflated.npz", "streamed.npz"}) {
    CAPTURE(name);
    const NamedArrays arrays = load_npz(recorded(name));
    REQUIRE(arrays.size() == 3);
    CHECK(arrays[0].first == "kernel");
    CHECK(arrays[0].second.identical(by_formula({3, 4}, DType::f32)));
    CHECK(arrays[1].first == "layers/dense/vars/0");
    CHECK(arrays[1].second.identical(by_formula({5}, DType::i64)));
    CHECK(arrays[2].second.identical(by_formula({}, DType::boolean)));
  }
  CHECK(load_npz(recorded("savez.npz"))[0].second.shape() == Shape{3, 4});
}

TEST_CASE("npz: saving and loading give the same arrays in the same order") {
  const TemporaryFolder folder;
  const NamedArrays arrays{{"z", by_formula({7, 5}, DType::f64)},
                           {"a/b", by_formula({}, DType::f32)},
                           {"größe", by_formula({2, 0}, DType::i32)},
                           {"half", Array({3}, DType::f16)}};
  save_npz(folder / "x.npz", arrays);
  const NamedArrays back = load_npz(folder / "x.npz");
  REQUIRE(back.size() == arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    CHECK(back[i].first == arrays[i].first);
    CHECK(back[i].second.identical(arrays[i].second));
  }
  save_npz(folder / "none.npz", {});
  CHECK(load_npz(folder / "none.npz").empty());
}

TEST_CASE("npz: names that cannot be saved leave the old file as it was") {
  const TemporaryFolder folder;
  put(folder / "x.npz", "old");
  const Array one = Array::scalar(1);
  CHECK_THROWS_AS(save_npz(folder / "x.npz", {{"a", one}, {"a", one}}), UsageError);
  CHECK_THROWS_AS(save_npz(folder / "x.npz", {{"../a", one}}), UsageError);
  CHECK_THROWS_AS(save_npz(folder / "x.npz", {{"a", Array()}}), UsageError);
  CHECK(content_of(folder / "x.npz") == "old");
  CHECK(folder.names().size() == 1);
}

TEST_CASE("npz: what is not an archive of arrays is refused") {
  const std::string array = npy_text(by_formula({2, 3}, DType::f32));
  const auto archive = [](const std::string& name, const std::string& content) {
    ZipImage image;
    image.add(name, content, true);
    return image.bytes();
  };
  REQUIRE(refusal(archive("a.npy", array)) == "(accepted)");
  const std::pair<std::string, const char*> cases[] = {
      {array, "no end record"},
      {archive("a", array), "the name is not one expected here"},
      {archive(".npy", array), "the name is not one expected here"},
      {archive("a.npy/", ""), "the name is not one expected here"},
      {archive("a.npy", ""), "member 'a.npy': npy: does not begin as a .npy file"},
      {archive("a.npy", array + "x"), "needs 24 bytes after the header; got 25"},
      {archive("a.npy", array.substr(0, array.size() - 1)), "needs 24 bytes after the header; got 23"},
      {archive("a.npy", array + std::string(200'000, '\0')), "more than the limit of 100000 bytes"},
  };
  for (const auto& [bytes, message] : cases) {
    const std::string got = refusal(bytes), wanted = message;
    CHECK_MESSAGE(got.find(wanted) != got.npos, wanted << " / " << got);
  }
  CHECK_THROWS_WITH_AS(load_npz(recorded("no such file")), doctest::Contains("cannot be opened"), DataError);
}

TEST_CASE("npz: an archive cut at any byte is refused") {
  for (const char* name : {"stored.npz", "streamed.npz"}) {
    const std::string bytes = content_of(recorded(name));
    for (std::size_t size = 0; size < bytes.size(); ++size) REQUIRE(refusal(bytes.substr(0, size)) != "(accepted)");
  }
}

TEST_CASE("npz: twenty thousand mutants are read or refused, never worse") {
  const std::string originals[] = {content_of(recorded("stored.npz")), content_of(recorded("deflated.npz")),
                                   content_of(recorded("streamed.npz"))};
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed)
    accepted += refusal(mutant(originals[seed % 3], seed)) == "(accepted)";
  CHECK(accepted < 4000);
}

TEST_CASE("npz: files for the oracle are kept when asked for") {
  const char* folder = std::getenv("RAMET_KEEP_FILES");
  if (!folder) return;
  NamedArrays arrays;
  const std::pair<const char*, DType> types[] = {{"boolean", DType::boolean}, {"i8", DType::i8}, {"i32", DType::i32},
                                                 {"i64", DType::i64},         {"u8", DType::u8}, {"f32", DType::f32},
                                                 {"f64", DType::f64}};
  for (const auto& [name, dtype] : types) arrays.emplace_back(std::string("arrays/") + name, by_formula({2, 3}, dtype));
  save_npz(std::string(folder) + "/ramet.npz", arrays);
  save_npy(std::string(folder) + "/ramet.npy", by_formula({2, 3}, DType::f32));
}
