#include "ramet/io/hdf5/hdf5_write.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/hdf5_files.h"

using namespace ramet;
using namespace ramet::hdf5;

namespace {

const std::vector<DType> kTypes = {DType::f32, DType::f64,     DType::i32, DType::i64, DType::i8,
                                   DType::u8,  DType::boolean, DType::f16, DType::bf16};

Buffer written(const FileWriter& writer) {
  Buffer out;
  writer.write([&](std::span<const std::byte> part) { out.insert(out.end(), part.begin(), part.end()); });
  CHECK(out.size() == writer.size());
  return out;
}

// Element i of the sample arrays: i/2 - 3 for floats, i - 3 for signed integers, 7 i mod 251 for unsigned ones,
// (i mod 3 == 0) for booleans. The halves are exact in all float types, so their bits follow from those of float32.
Buffer sample(DType dtype, std::size_t count) {
  Buffer out;
  for (std::size_t i = 0; i < count; ++i) {
    const double n = static_cast<double>(i), value = is_floating(dtype) ? n * 0.5 - 3 : n - 3;
    const auto put = [&out](auto v) {
      const auto bytes = std::as_bytes(std::span(&v, 1));
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    switch (dtype) {
      case DType::f32: put(static_cast<float>(value)); break;
      case DType::f64: put(value); break;
      case DType::i32: put(static_cast<std::int32_t>(value)); break;
      case DType::i64: put(static_cast<std::int64_t>(value)); break;
      case DType::i8: put(static_cast<std::int8_t>(value)); break;
      case DType::u8: put(static_cast<std::uint8_t>(7 * i % 251)); break;
      case DType::boolean: put(static_cast<std::uint8_t>(i % 3 == 0)); break;
      case DType::bf16: put(static_cast<std::uint16_t>(bits >> 16)); break;
      case DType::f16:
        put(static_cast<std::uint16_t>(
            value == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits >> 23 & 0xFF) - 112) << 10 | (bits >> 13 & 0x3FF)));
        break;
    }
  }
  return out;
}

// Everything the writer can write. tools/oracle/check_hdf5.py knows the same content.
class Sample {
 public:
  Sample() {
    for (const DType dtype : kTypes) {
      const std::string name(keras_name(dtype));
      writer.dataset("types/" + name, dtype, {3, 5}, keep(sample(dtype, 15)));
      writer.dataset("scalar/" + name, dtype, {}, keep(sample(dtype, 1)));
      writer.dataset("empty/" + name, dtype, {0, 4}, Buffer());
    }
    for (const int count : {0, 1, 8, 9, 100, 300, 1000}) {
      const std::string group = "n" + std::to_string(count);
      writer.group(group);
      for (int i = 0; i < count; ++i) {
        const std::string child = group + "/c" + std::to_string(i);
        if (i % 10 == 9)
          writer.group(child);
        else
          writer.dataset(child, DType::u8, {}, keep(sample(DType::u8, 1)));
      }
    }
    writer.dataset("a/b/c/d/e/f/g/h/x", DType::i32, {3}, keep(sample(DType::i32, 3)));
    writer.dataset("grüße", DType::f32, {1}, keep(sample(DType::f32, 1)));
    writer.dataset("streamed", DType::f64, {1000}, [](const ByteSink& sink) {
      const Buffer all = sample(DType::f64, 1000);
      for (std::size_t i = 0; i < all.size(); i += 1000) sink(std::span(all).subspan(i, 1000));
    });

    writer.attribute("", "keras_version", "3.15.1");
    writer.attribute("", "model_config", std::string(100'000, 'x'));
    writer.group("attributes");
    writer.attribute("attributes", "name", "Größe");
    writer.attribute("attributes", "empty", "");
    writer.attribute("attributes", "names", std::vector<std::string>{"dense/kernel", "", "dense/bias"});
    writer.attribute("attributes", "no_names", std::vector<std::string>{});
    writer.attribute("attributes", "nothing", DType::f64, {0}, {});
    writer.attribute("attributes", "numbers", DType::f32, {2, 4}, sample(DType::f32, 8));
    writer.attribute("attributes", "one", DType::i64, {}, sample(DType::i64, 1));
    for (int i = 0; i < 500; ++i)
      writer.attribute("attributes", "attribute_" + std::to_string(i), "value " + std::to_string(i));
    writer.attribute("types/float32", "name", "on a dataset");
    std::vector<std::string> most(kLargestAttribute / 16);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = "layer_" + std::to_string(i);
    writer.attribute("n0", "layer_names", most);
  }

  FileWriter writer;

 private:
  std::span<const std::byte> keep(Buffer bytes) { return kept_.emplace_back(std::move(bytes)); }
  std::vector<Buffer> kept_;
};

}  // namespace

TEST_CASE("hdf5 writer: what was written is read back") {
  const Buffer bytes = written(Sample().writer);
  const Group root = open(bytes);
  for (const DType dtype : kTypes) {
    const std::string name(keras_name(dtype));
    const Dataset whole = root.dataset("types/" + name);
    CHECK(whole.dtype() == dtype);
    CHECK(whole.shape() == Shape{3, 5});
    CHECK(bytes_of(whole) == sample(dtype, 15));
    CHECK(root.dataset("scalar/" + name).shape() == Shape{});
    CHECK(bytes_of(root.dataset("scalar/" + name)) == sample(dtype, 1));
    CHECK(root.dataset("empty/" + name).shape() == Shape{0, 4});
    CHECK(root.dataset("empty/" + name).dtype() == dtype);
  }
  for (const std::size_t count : {0, 1, 8, 9, 100, 300, 1000}) {
    const Group group = root.group("n" + std::to_string(count));
    CHECK(group.names().size() == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(group.is_group("c" + std::to_string(i)) == (i % 10 == 9));
  }
  CHECK(bytes_of(root.dataset("a/b/c/d/e/f/g/h/x")) == sample(DType::i32, 3));
  CHECK(bytes_of(root.dataset("grüße")) == sample(DType::f32, 1));
  CHECK(bytes_of(root.dataset("streamed")) == sample(DType::f64, 1000));

  CHECK(root.attribute("keras_version").text() == "3.15.1");
  CHECK(root.attribute("model_config").text() == std::string(100'000, 'x'));
  const Group group = root.group("attributes");
  CHECK(group.attribute_names().size() == 507);
  CHECK(group.attribute("name").text() == "Größe");
  CHECK(group.attribute("empty").text().empty());
  CHECK(group.attribute("names").strings() == std::vector<std::string>{"dense/kernel", "", "dense/bias"});
  CHECK(group.attribute("no_names").strings().empty());
  CHECK(group.attribute("nothing").shape() == Shape{0});
  CHECK(to_string(group.attribute("nothing").type()) == "float64");
  CHECK(group.attribute("numbers").numbers() == std::vector<double>{-3, -2.5, -2, -1.5, -1, -0.5, 0, 0.5});
  CHECK(group.attribute("one").numbers() == std::vector<double>{-3});
  for (int i = 0; i < 500; ++i)
    CHECK(group.attribute("attribute_" + std::to_string(i)).text() == "value " + std::to_string(i));
  CHECK(root.dataset("types/float32").attribute("name").text() == "on a dataset");
  CHECK(root.group("n0").attribute("layer_names").strings().back() == "layer_4031");

  if (const char* folder = std::getenv("RAMET_HDF5_SAMPLES")) {  // for tools/oracle/check_hdf5.py
    std::ofstream out(std::string(folder) + "/sample.h5", std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

TEST_CASE("hdf5 writer: equal input gives equal bytes, written once or twice") {
  const Sample first, second;
  CHECK(written(first.writer) == written(second.writer));
  CHECK(written(first.writer) == written(first.writer));
}

TEST_CASE("hdf5 writer: elements lie at multiples of 64 bytes") {
  const Buffer bytes = written(Sample().writer);
  const Group root = open(bytes);
  for (const char* path : {"types/float32", "types/int8", "scalar/bool", "streamed", "n1000/c0", "n1000/c998"}) {
    const auto raw = root.dataset(path).raw();
    REQUIRE(raw.has_value());
    CHECK((raw->data() - bytes.data()) % 64 == 0);
  }
}

TEST_CASE("hdf5 writer: the structures are those h5py writes") {
  const Buffer theirs = recorded_file("keras.weights");
  const Group root = open(theirs);
  FileWriter writer;
  writer.group("");
  const Buffer bytes = written(writer);
  // Superblock but for the end of the file, and where the root's tables lie.
  CHECK(std::equal(bytes.begin(), bytes.begin() + 40, theirs.begin()));
  CHECK(std::equal(bytes.begin() + 48, bytes.begin() + 96, theirs.begin() + 48));
  CHECK(open(bytes).names().empty());
  CHECK(bytes.size() == 96 + 16 + 24 + 544 + 32 + 88);
}

TEST_CASE("hdf5 writer: mistakes are named") {
  const auto message = [](auto&& act) -> std::string {
    try {
      FileWriter writer;
      writer.dataset("a/x", DType::f32, {2}, Buffer(8));
      act(writer);
    } catch (const UsageError& error) { return error.what(); }
    return "no error";
  };
  CHECK(message([](FileWriter& w) { w.dataset("a/x", DType::f32, {2}, Buffer(8)); }) == "HDF5 'a/x': exists already");
  CHECK(message([](FileWriter& w) { w.dataset("a", DType::f32, {2}, Buffer(8)); }) == "HDF5 'a': exists already");
  CHECK(message([](FileWriter& w) { w.dataset("", DType::f32, {2}, Buffer(8)); }) == "HDF5 '': exists already");
  CHECK(message([](FileWriter& w) { w.group("a/x"); }) == "HDF5 'a/x': is a dataset, not a group");
  CHECK(message([](FileWriter& w) { w.group("a/x/y"); }) == "HDF5 'a/x/y': a dataset has no child 'y'");
  CHECK(message([](FileWriter& w) { w.group("a/./y"); }) == "HDF5 'a/./y': '.' cannot name a child");
  CHECK(message([](FileWriter& w) { w.dataset("y", DType::f32, {2}, Buffer(7)); }) ==
        "HDF5 'y': float32(2,) has 8 bytes; got 7");
  CHECK(message([](FileWriter& w) { w.dataset("y", DType::f32, {None}, Buffer(7)); }) ==
        "HDF5 'y': the shape (None,) is not known");
  CHECK(message([](FileWriter& w) { w.attribute("b", "n", "t"); }) == "HDF5 'b': there is no such group or dataset");
  CHECK(message([](FileWriter& w) {
          w.attribute("a", "n", "t");
          w.attribute("a", "n", "t");
        }) == "HDF5 'a': has two attributes 'n'");
  CHECK(message([](FileWriter& w) { w.attribute("a", "n", DType::u8, {64513}, Buffer(64513)); }) ==
        "HDF5 'a': attribute 'n' has 64513 bytes; HDF5 allows 64512 (a string counts 16): split it");
  for (const std::size_t given : {7, 9})
    CHECK(message([given](FileWriter& w) {
            w.dataset("y", DType::f32, {2}, [given](const ByteSink& sink) { sink(Buffer(given)); });
            w.write([](std::span<const std::byte>) {});
          }).starts_with("HDF5 '/y': has 8 bytes; got "));
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "/x";
  CHECK(message([&](FileWriter& w) { w.group(deep); }).ends_with("': has more than 256 levels"));
}
