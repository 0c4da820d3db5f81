#include "ramet/io/hdf5/hdf5_read.h"

#include <doctest/doctest.h>

#include <thread>

#include "tests/support/hdf5_files.h"

using namespace ramet;
using namespace ramet::hdf5;

namespace {

const std::vector<std::string> kNumbers = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};

void check_recorded(const Dataset& dataset) {
  CAPTURE(dataset.path());
  const std::vector<double> got = numbers_of(dataset);
  CHECK(got.size() == static_cast<std::size_t>(element_count(dataset.shape())));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != recorded_value(dataset.type(), i);
  CHECK(wrong == 0);
}

std::string name_of_type(const std::string& code) {  // "f4" → "float32"
  const std::string bits = std::to_string(8 * (code[1] - '0'));
  return (code[0] == 'f' ? "float" : code[0] == 'i' ? "int" : "uint") + bits;
}

}  // namespace

TEST_CASE("hdf5: every number type, as array, single value and empty array") {
  for (const char* file : {"types", "types_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Group root = open(bytes);
    std::vector<std::string> names = kNumbers;
    names.push_back("bool");
    for (const std::string& name : names) {
      const std::string type = name == "bool" ? name : name_of_type(name);
      const Dataset whole = root.dataset(name), one = root.dataset("scalar/" + name),
                    empty = root.dataset("empty/" + name);
      CHECK(to_string(whole.type()) == type);
      CHECK(whole.shape() == Shape{3, 5});
      check_recorded(whole);
      CHECK(one.shape() == Shape{});
      CHECK(numbers_of(one) == std::vector{recorded_value(one.type(), 4)});
      CHECK(empty.shape() == Shape{0, 4});
      CHECK(empty.byte_size() == 0);
      CHECK(bytes_of(empty).empty());
    }
    CHECK(root.dataset("f4").dtype() == DType::f32);
    CHECK(root.dataset("bool").dtype() == DType::boolean);
    CHECK(root.dataset("u8").dtype() == std::nullopt);
  }
}

TEST_CASE("hdf5: contiguous elements are seen in place") {
  const Buffer bytes = recorded_file("types");
  const Dataset dataset = open(bytes).dataset("f4");
  const auto raw = dataset.raw();
  REQUIRE(raw.has_value());
  CHECK(raw->data() > bytes.data());
  CHECK(raw->data() + raw->size() <= bytes.data() + bytes.size());
  CHECK(Buffer(raw->begin(), raw->end()) == bytes_of(dataset));
  CHECK(open(bytes).dataset("big/f4").raw() == std::nullopt);
}

TEST_CASE("hdf5: big-endian numbers are turned round") {
  for (const char* file : {"types", "types_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Group big = open(bytes).group("big");
    CHECK(big.names().size() == 5);
    for (const std::string& name : big.names()) {
      CHECK(big.dataset(name).type().big_endian);
      check_recorded(big.dataset(name));
    }
  }
}

TEST_CASE("hdf5: bfloat16 is recognised as Keras marks it, other opaque bytes stay opaque") {
  for (const char* file : {"types", "types_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Dataset brain = open(bytes).dataset("brain");
    CHECK(brain.dtype() == DType::bf16);
    CHECK(to_string(brain.type()) == "opaque(2)");
    const Buffer stored = bytes_of(brain);
    REQUIRE(stored.size() == 12);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::uint32_t bits =
          std::to_integer<std::uint32_t>(stored[2 * i]) << 16 | std::to_integer<std::uint32_t>(stored[2 * i + 1]) << 24;
      CHECK(std::bit_cast<float>(bits) == static_cast<float>(i) * 0.5f - 3);
    }
    const Dataset opaque = open(bytes).dataset("opaque");
    CHECK(opaque.dtype() == std::nullopt);
    CHECK(opaque.shape() == Shape{3});
    const Buffer content = bytes_of(opaque);
    for (std::size_t i = 0; i < 12; ++i) CHECK(content[i] == static_cast<std::byte>(i));
  }
}

TEST_CASE("hdf5: text, compact elements, fill values and nothing at all") {
  for (const char* file : {"types", "types_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Group root = open(bytes);
    CHECK(root.dataset("text").strings() == std::vector<std::string>{"plain", "", "Größe"});
    CHECK(root.dataset("text_fixed").strings() == std::vector<std::string>{"ab", "abcd", ""});
    CHECK(root.dataset("text_one").strings() == std::vector<std::string>{"a single one"});
    CHECK(root.dataset("compact").storage() == "compact");
    check_recorded(root.dataset("compact"));
    CHECK(root.dataset("compact").raw().has_value());
    CHECK(numbers_of(root.dataset("unwritten")) == std::vector<double>{2.5, 2.5, 2.5});
    CHECK(root.dataset("unwritten").raw() == std::nullopt);
    CHECK(root.dataset("null").null());
    CHECK(root.dataset("null").byte_size() == 0);
  }
}

TEST_CASE("hdf5: groups of 0 to 1000 children, listed as bytes sort") {
  for (const char* file : {"groups", "groups_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Group root = open(bytes);
    for (const int count : {0, 1, 8, 9, 100, 1000}) {
      const Group group = root.group("n" + std::to_string(count));
      std::vector<std::string> expected;
      for (int i = 0; i < count; ++i) expected.push_back("c" + std::to_string(i));
      std::sort(expected.begin(), expected.end());
      CHECK(group.names() == expected);
      for (const std::string& name : expected) CHECK(group.dataset(name).byte_size() == 8);
    }
    check_recorded(root.dataset("n1000/c999"));
    check_recorded(root.dataset("a/b/c/d/e/f/g/h/x"));
    check_recorded(root.group("a/b/c").dataset("/d/e//f/g/h/x"));
    check_recorded(root.dataset("grüße"));
    CHECK(root.dataset("a/b/c/d/e/f/g/h/x").path() == "/a/b/c/d/e/f/g/h/x");
    CHECK(root.contains("a/b"));
    CHECK_FALSE(root.contains("a/c"));
    CHECK_FALSE(root.contains("leaf/x"));
    CHECK(root.is_group("a"));
    CHECK_FALSE(root.is_group("leaf"));
  }
}

TEST_CASE("hdf5: chunks under every index and filter") {
  for (const char* file : {"chunks", "chunks_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Group root = open(bytes);
    CHECK(root.names().size() == 19);
    for (const std::string& name : root.names())
      if (name != "part" && name != "text" && name != "endless_pages") check_recorded(root.dataset(name));
    CHECK(root.dataset("two_axes").storage() == "chunked (shuffle, deflate)");
    CHECK(root.dataset("two_axes").raw() == std::nullopt);

    const std::vector<double> part = numbers_of(root.dataset("part"));
    REQUIRE(part.size() == 40);
    for (std::size_t i = 0; i < part.size(); ++i)
      CHECK(part[i] == (i >= 8 && i < 20 ? static_cast<double>(i - 8) * 0.5 - 3 : 2.5));
    const std::vector<double> pages = numbers_of(root.dataset("endless_pages"));  // an index of more than one level
    REQUIRE(pages.size() == 140'000);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < pages.size(); ++i)
      wrong += pages[i] != (i >= 139'000 && i < 139'200 ? static_cast<double>(7 * (i - 139'000) % 251) : 0);
    CHECK(wrong == 0);
    const std::vector<std::string> words = root.dataset("text").strings();
    REQUIRE(words.size() == 20);
    for (std::size_t i = 0; i < words.size(); ++i) CHECK(words[i] == "word " + std::to_string(i));
  }
}

TEST_CASE("hdf5: attributes of all kinds, few and many") {
  for (const char* file : {"attributes", "attributes_latest"}) {
    const Buffer bytes = recorded_file(file);
    const Group root = open(bytes);
    const Group few = root.group("few");
    CHECK(few.attribute_names() ==
          std::vector<std::string>{"ascii", "empty", "fixed", "grüße", "name", "nothing", "null"});
    CHECK(few.attribute("name").text() == "dense");
    CHECK(few.attribute("empty").text().empty());
    CHECK(few.attribute("grüße").text() == "Größe");
    CHECK(few.attribute("ascii").strings() == std::vector<std::string>{"a", "bcd", ""});
    CHECK(few.attribute("fixed").strings() == std::vector<std::string>{"ab", "abcd"});
    CHECK(few.attribute("nothing").shape() == Shape{0});
    CHECK(to_string(few.attribute("nothing").type()) == "float64");
    CHECK(few.attribute("nothing").numbers().empty());
    CHECK(few.attribute("null").null());

    const Group many = root.group("many");
    CHECK(many.attribute_names().size() == 33);
    for (int i = 0; i < 30; ++i)
      CHECK(many.attribute("attribute_" + std::to_string(i)).text() == "value " + std::to_string(i));
    const std::vector<double> numbers = many.attribute("long").numbers();
    REQUIRE(numbers.size() == 900);
    for (std::size_t i = 0; i < 900; ++i) CHECK(numbers[i] == static_cast<double>(i) * 0.5 - 3);
    const std::string text = many.attribute("long_text").text();
    CHECK(text.size() == 7000);
    CHECK(text.substr(6990) == "0123456789");
    CHECK_THROWS_AS(many.attribute("reference"), DataError);

    const Dataset data = root.dataset("data");
    CHECK(data.attribute("one").numbers() == std::vector<double>{7});
    std::vector<std::string> names = kNumbers;
    names.insert(names.end(), {"bool", ">i4", ">f8"});
    for (const std::string& name : names) {
      const Attribute attribute = data.attribute(name);
      CHECK(attribute.shape() == Shape{2, 4});
      const std::vector<double> got = attribute.numbers();
      REQUIRE(got.size() == 8);
      for (std::size_t i = 0; i < 8; ++i) CHECK(got[i] == recorded_value(attribute.type(), i));
    }
  }
}

TEST_CASE("hdf5: a user block before the file") {
  const Buffer bytes = recorded_file("user_block");
  const Dataset x = open(bytes).dataset("x");
  check_recorded(x);
  CHECK(x.attribute("name").text() == "after the user block");
}

TEST_CASE("hdf5: weights saved by Keras") {
  const Buffer bytes = recorded_file("keras.weights");
  const Group root = open(bytes);
  CHECK(root.names() == std::vector<std::string>{"layers", "optimizer", "vars"});
  CHECK(root.group("layers").names() ==
        std::vector<std::string>{"batch_normalization", "dense", "dense_1", "input_layer"});
  CHECK(root.group("layers/dense/vars").attribute("name").text() == "first");
  CHECK(root.group("layers/input_layer/vars").names().empty());
  CHECK(root.dataset("layers/dense/vars/0").shape() == Shape{3, 4});
  CHECK(root.dataset("layers/dense_1/vars/1").shape() == Shape{2});
  for (const char* path : {"dense/vars/0", "dense/vars/1", "dense_1/vars/0", "dense_1/vars/1",
                           "batch_normalization/vars/0", "batch_normalization/vars/3"}) {
    const Dataset dataset = root.dataset(std::string("layers/") + path);
    check_recorded(dataset);
    CHECK(dataset.raw().has_value());
    CHECK(dataset.dtype() == DType::f32);
  }
}

TEST_CASE("hdf5: a whole model saved by Keras in the old format") {
  const Buffer bytes = recorded_file("keras_legacy");
  const Group root = open(bytes);
  CHECK(root.attribute("keras_version").text().starts_with("3."));
  CHECK(root.attribute("model_config").text().starts_with("{"));
  CHECK(root.attribute("training_config").text().starts_with("{"));
  const Group weights = root.group("model_weights");
  CHECK(weights.attribute("layer_names").strings() == std::vector<std::string>{"input", "first", "norm", "second"});
  CHECK(weights.group("input").attribute("weight_names").numbers().empty());
  for (const std::string& layer : weights.attribute("layer_names").strings()) {
    const Attribute names = weights.group(layer).attribute("weight_names");
    if (names.type().kind != Kind::string) continue;
    for (const std::string& name : names.strings()) check_recorded(weights.group(layer).dataset(name));
  }
}

TEST_CASE("hdf5: messages say where and what") {
  const Buffer bytes = recorded_file("types");
  const Group root = open(bytes);
  const auto message = [](auto&& act) -> std::string {
    try {
      act();
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  CHECK(message([&] { root.dataset("big/f2"); }).starts_with("HDF5 '/big' at byte "));
  CHECK(message([&] { root.dataset("big/f2"); }).ends_with(": has no child 'f2'; it has f4, f8, i4, i8, u2"));
  CHECK(message([&] { root.dataset("big"); }).ends_with(": is a group, not a dataset"));
  CHECK(message([&] { root.group("f4"); }).ends_with(": is a dataset, not a group"));
  CHECK(message([&] { root.group("f4/x"); }).ends_with(": is a dataset and has no child 'x'"));
  CHECK(message([&] { root.attribute("a\nb"); }).ends_with(": has no attribute 'a b'"));
  CHECK(message([&] { root.dataset("f4").strings(); }).ends_with(": holds float32, not text"));
  CHECK(message([&] {
          root.dataset("brain").attribute("dtype").numbers();
        }).ends_with(": attribute 'dtype' holds string, not numbers"));
  Buffer small(3);
  CHECK(message([&] { root.dataset("f4").read_into(small); }) == "HDF5 '/f4': has 60 bytes; got room for 3");
  CHECK(message([&] { open(small); }) == "HDF5: not an HDF5 file: its 3 bytes have no signature");
  CHECK(message([&] {
          open(bytes, {.max_bytes = 59}).dataset("f4");
        }).ends_with(": declares float32(3, 5), more than the limit of 59 bytes"));
}

TEST_CASE("hdf5: several threads may read one file concurrently") {
  const Buffer bytes = recorded_file("chunks_latest");
  const Group root = open(bytes);
  std::vector<std::thread> threads;
  std::vector<std::size_t> counts(4);
  for (std::size_t& count : counts) threads.emplace_back([&root, &count] { count = read_everything(root); });
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t count : counts) CHECK(count == 1 + 2 * 19);
}
