#include "ramet/base/json.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "ramet/base/error.h"
#include "ramet/base/utf8.h"
#include "tests/support/mutants.h"

using namespace ramet;

namespace doctest {
template <>
struct StringMaker<Json> {
  static String convert(const Json& value) { return value.dump().c_str(); }
};
}  // namespace doctest

TEST_CASE("Json: a C++ value becomes the JSON type it looks like") {
  CHECK(Json().is_null());
  CHECK(Json(nullptr).is_null());
  CHECK(Json(true).is_bool());
  CHECK(Json(3).is_int());
  CHECK(Json(std::size_t{3}).as_int() == 3);
  CHECK(Json(0.5f).as_double() == 0.5);
  CHECK(Json("text").as_string() == "text");
  CHECK(Json(std::string_view("text")).is_string());
  CHECK(Json(JsonArray{1, "two", nullptr}).as_array().size() == 3);
  CHECK(Json(JsonArray{Json(JsonArray{1, 2})}).as_array()[0].as_array().size() == 2);
  CHECK(Json(JsonObject{{"a", 1}}).at("a").as_int() == 1);
  CHECK_THROWS_AS(Json{std::numeric_limits<std::uint64_t>::max()}, UsageError);
}

TEST_CASE("Json: asking for another type says what was found") {
  CHECK_THROWS_WITH_AS(Json("x").as_int(), "JSON: expected an integer; got string \"x\"", DataError);
  CHECK_THROWS_WITH_AS(Json(1.5).as_int(), "JSON: expected an integer; got double 1.5", DataError);
  CHECK_THROWS_WITH_AS(Json(1).as_bool(), "JSON: expected true or false; got int 1", DataError);
  CHECK_THROWS_WITH_AS(Json().as_string(), "JSON: expected a string; got null", DataError);
  CHECK_THROWS_WITH_AS(Json(JsonArray{1}).as_object(), "JSON: expected an object; got a JSON array", DataError);
  CHECK_THROWS_WITH_AS(Json(true).as_double(), "JSON: expected a number; got bool true", DataError);
  CHECK_THROWS_WITH_AS(Json(std::string(99, 'x')).as_array(), "JSON: expected an array; got a JSON string", DataError);
  CHECK(Json(7).as_double() == 7.0);
}

TEST_CASE("JsonObject: many keys are found, replaced and taken away as few are") {
  JsonObject object;
  for (int i = 0; i < 1000; ++i) object.set("key " + std::to_string(i % 500), i);
  REQUIRE(object.size() == 500);
  for (int i = 0; i < 500; ++i) {
    CHECK((object.begin() + i)->first == "key " + std::to_string(i));
    CHECK(object.at("key " + std::to_string(i)).as_int() == 500 + i);
  }
  const JsonObject copy = object;
  JsonObject moved = std::move(object);
  for (int i = 0; i < 495; ++i) CHECK(moved.erase("key " + std::to_string(i)));
  CHECK_FALSE(moved.erase("key 0"));
  CHECK(moved.size() == 5);
  CHECK(moved.at("key 499").as_int() == 999);
  CHECK(moved.find("key 3") == nullptr);
  CHECK(copy.at("key 3").as_int() == 503);
  CHECK(copy == Json::parse(Json(copy).dump()).as_object());
  object = copy;
  object["one more"] = true;
  CHECK(object.contains("one more"));
  CHECK_FALSE(copy.contains("one more"));
}

TEST_CASE("JsonObject: keys that differ in zeros at their end, or only late, are different keys") {
  JsonObject object;
  for (std::size_t n = 0; n < 100; ++n) object.set(std::string(n, '\0'), n);
  for (std::size_t n = 0; n < 100; ++n) object.set(std::string(200, 'x') + std::to_string(n), n);
  CHECK(object.size() == 200);
  for (std::size_t n = 0; n < 100; ++n) CHECK(object.at(std::string(n, '\0')).as_int() == static_cast<int>(n));
}

TEST_CASE("JsonObject: keys keep the order they came in, also when a value is replaced") {
  JsonObject object{{"b", 1}, {"a", 2}};
  object.set("c", 3);
  object["b"] = "new";
  object["d"];
  CHECK(Json(object).dump() == R"({"b": "new", "a": 2, "c": 3, "d": null})");
  CHECK(object.erase("a"));
  CHECK_FALSE(object.erase("a"));
  CHECK_FALSE(object.contains("a"));
  CHECK(object.find("a") == nullptr);
  CHECK_THROWS_WITH_AS(object.at("a"), "JSON: the key 'a' is missing from an object of 3 keys", DataError);
}

TEST_CASE("Json: equality goes by value; numbers compare as numbers, keys in any order") {
  CHECK(Json(1) == Json(1.0));
  CHECK(Json(1) != Json(true));
  CHECK(Json(0) != Json());
  CHECK(Json(JsonObject{{"a", 1}, {"b", 2}}) == Json(JsonObject{{"b", 2}, {"a", 1.0}}));
  CHECK(Json(JsonObject{{"a", 1}}) != Json(JsonObject{{"b", 1}}));
  CHECK(Json(JsonArray{1, 2}) != Json(JsonArray{2, 1}));
  CHECK(Json(std::int64_t{9007199254740993}) != Json(9007199254740992.0));
  CHECK(Json(std::numeric_limits<std::int64_t>::max()) != Json(0x1p63));
  CHECK(Json(std::nan("")) != Json(std::nan("")));
}

TEST_CASE("Json: dump writes what Python's json.dumps writes") {
  CHECK(Json(JsonArray{}).dump() == "[]");
  CHECK(Json(JsonObject{}).dump(2) == "{}");
  const Json value = JsonObject{{"a", JsonArray{1, true, nullptr}}, {"b", JsonObject{{"c", "d"}}}, {"e", JsonArray{}}};
  CHECK(value.dump() == R"({"a": [1, true, null], "b": {"c": "d"}, "e": []})");
  CHECK(value.dump(2) ==
        "{\n  \"a\": [\n    1,\n    true,\n    null\n  ],\n  \"b\": {\n    \"c\": \"d\"\n  },\n  \"e\": []\n}");
  CHECK(Json("\"\\/\b\f\n\r\t\x01\x7f é€😀").dump() == R"("\"\\/\b\f\n\r\t\u0001\u007f \u00e9\u20ac\ud83d\ude00")");
  CHECK_THROWS_WITH_AS(Json("\xff").dump(), "JSON: cannot write a string that is not UTF-8; convert it first",
                       DataError);
}

TEST_CASE("Json: a double stays a double and takes the fewest digits") {
  const std::pair<double, const char*> cases[] = {{0.0, "0.0"},
                                                  {-0.0, "-0.0"},
                                                  {1.0, "1.0"},
                                                  {0.1, "0.1"},
                                                  {0.001, "0.001"},
                                                  {1e-4, "0.0001"},
                                                  {1e-5, "1e-05"},
                                                  {1.5e-7, "1.5e-07"},
                                                  {123456789.125, "123456789.125"},
                                                  {9007199254740994.0, "9007199254740994.0"},
                                                  {1e15, "1000000000000000.0"},
                                                  {1e16, "1e+16"},
                                                  {1.7976931348623157e308, "1.7976931348623157e+308"},
                                                  {5e-324, "5e-324"},
                                                  {double{0.1f}, "0.10000000149011612"},
                                                  {HUGE_VAL, "Infinity"},
                                                  {-HUGE_VAL, "-Infinity"},
                                                  {std::nan(""), "NaN"}};
  for (const auto& [value, text] : cases) CHECK(Json(value).dump() == text);
}

TEST_CASE("Json: parse reads every kind of value") {
  const Json value = Json::parse(
      " {\"a\": [1, -2.5e1, 1E2, true, false, null], \"b\": {\"c\": \"\\u00e9\\ud83d\\ude00\\/\"},\r\n\t\"\": -0} ");
  CHECK(value ==
        Json(JsonObject{
            {"a", JsonArray{1, -25.0, 100.0, true, false, nullptr}}, {"b", JsonObject{{"c", "é😀/"}}}, {"", 0}}));
  CHECK(value.at("a").as_array()[2].is_double());
  CHECK(Json::parse("-9223372036854775808").as_int() == std::numeric_limits<std::int64_t>::min());
  CHECK(Json::parse("\"a\\u0000b\"").as_string() == std::string("a\0b", 3));
}

TEST_CASE("Json: NaN and Infinity are read only when asked for") {
  CHECK(std::isnan(Json::parse("NaN", {.nonfinite = true}).as_double()));
  CHECK(Json::parse("[Infinity, -Infinity]", {.nonfinite = true}).as_array()[1].as_double() == -HUGE_VAL);
  CHECK_THROWS_WITH_AS(Json::parse("NaN"), "JSON: line 1, byte 0: NaN is not a number that JSON has", DataError);
  CHECK_THROWS_WITH_AS(Json::parse("[-Infinity]"), "JSON: line 1, byte 1: -Infinity is not a number that JSON has",
                       DataError);
  CHECK_THROWS_AS(Json::parse("[Infinity]"), DataError);
  CHECK_THROWS_AS(Json::parse("-Inf", {.nonfinite = true}), DataError);
  CHECK_THROWS_AS(Json::parse("Nan", {.nonfinite = true}), DataError);
}

TEST_CASE("Json: a number too small for a double is zero, one too large is refused") {
  CHECK(Json::parse("1e-400").as_double() == 0.0);
  CHECK(std::signbit(Json::parse("-1e-99999999999999999999").as_double()));
  CHECK(Json::parse("0." + std::string(400, '0') + "1").as_double() == 0.0);
  CHECK(Json::parse("0e999999").as_double() == 0.0);
  CHECK(Json::parse("4.9e-324").as_double() == 5e-324);
  CHECK(Json::parse("1" + std::string(400, '0') + "e-399").as_double() == 10.0);
  CHECK_THROWS_WITH_AS(Json::parse("[1e309]"), "JSON: line 1, byte 1: a number is too large for a double: 1e309",
                       DataError);
  CHECK_THROWS_AS(Json::parse("1e+99999999999999999999"), DataError);
  CHECK_THROWS_AS(Json::parse("1" + std::string(400, '0') + ".0"), DataError);
}

TEST_CASE("Json: what is not JSON is refused with its place") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "line 1, byte 0: expected a value; got the end of the text"},
      {"\xEF\xBB\xBF{}", "line 1, byte 0: expected a value; got byte 0xef"},
      {"[1, 2\n 3]", "line 2, byte 7: expected ',' or ']' in an array; got '3'"},
      {"[1,]", "line 1, byte 3: expected a value; got ']'"},
      {"{\"a\" 1}", "line 1, byte 5: expected ':' after a key; got '1'"},
      {"{a: 1}", "line 1, byte 1: expected a key in quotes; got 'a'"},
      {"{\"a\": 1,}", "line 1, byte 8: expected a key in quotes; got '}'"},
      {"{\"a\": 1 ]", "line 1, byte 8: expected ',' or '}' in an object; got ']'"},
      {"{\"a\": 1, \"a\": 2}", "line 1, byte 9: the key \"a\" is repeated"},
      {"1 2", "line 1, byte 2: expected the end of the text; got '2'"},
      {"[] // no", "line 1, byte 3: expected the end of the text; got '/'"},
      {"nul", "line 1, byte 0: expected a value; got 'n'"},
      {"+1", "line 1, byte 0: expected a value; got '+'"},
      {"-", "line 1, byte 1: expected a digit; got the end of the text"},
      {"01", "line 1, byte 1: expected the end of the text; got '1'"},
      {"1.", "line 1, byte 2: expected a digit; got the end of the text"},
      {".5", "line 1, byte 0: expected a value; got '.'"},
      {"1e+", "line 1, byte 3: expected a digit; got the end of the text"},
      {"0x10", "line 1, byte 1: expected the end of the text; got 'x'"},
      {"9223372036854775808", "line 1, byte 0: an integer does not fit 64 bits: 9223372036854775808"},
      {"'a'", "line 1, byte 0: expected a value; got '''"},
      {"[\"abc", "line 1, byte 1: a string has no end"},
      {"\"a\nb\"", "line 1, byte 2: a control character in a string must be escaped; got byte 0x0a"},
      {"\"\xC3(\"", "line 1, byte 1: the text is not valid UTF-8; got byte 0xc3"},
      {"\"\\x\"", "line 1, byte 2: unknown escape in a string; got 'x'"},
      {"\"\\u12g4\"", "line 1, byte 3: expected four hexadecimal digits after \\u; got '1'"},
      {"\"\\ud800\"", "line 1, byte 1: a surrogate stands alone; surrogates come in pairs"},
      {"\"\\ud800\\u0041\"", "line 1, byte 1: a surrogate stands alone; surrogates come in pairs"},
      {"\"\\udc00\\ud800\"", "line 1, byte 1: a surrogate stands alone; surrogates come in pairs"},
  };
  for (const auto& [text, message] : cases) {
    const std::string expected = "JSON: " + std::string(message);
    CHECK_THROWS_WITH_AS(Json::parse(text), expected.c_str(), DataError);
  }
}

TEST_CASE("Json: a repeated key is found also among many") {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i) + "\": 1, ";
  CHECK(Json::parse(text + "\"end\": 1}").as_object().size() == 1001);
  CHECK_THROWS_AS(Json::parse(text + "\"k3\": 1}"), DataError);
  CHECK_THROWS_AS(Json::parse(text + "\"k900\": 1}"), DataError);
}

TEST_CASE("Json: limits bound depth, values, strings and the text") {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK_NOTHROW(Json::parse(nested(128)));
  CHECK_THROWS_WITH_AS(Json::parse(nested(129)), "JSON: line 1, byte 128: nested deeper than the limit of 128",
                       DataError);
  CHECK_THROWS_AS(Json::parse(std::string(100'000, '[')), DataError);
  CHECK_NOTHROW(Json::parse("[1, 2]", {.nodes = 3}));
  CHECK_THROWS_WITH_AS(Json::parse("[1, 2]", {.nodes = 2}), "JSON: line 1, byte 4: more values than the limit of 2",
                       DataError);
  CHECK_NOTHROW(Json::parse("\"abc\"", {.string_bytes = 3}));
  CHECK_THROWS_AS(Json::parse("\"abcde\"", {.string_bytes = 3}), DataError);
  CHECK_THROWS_AS(Json::parse("[        ]", {.text_bytes = 5}), DataError);
}

namespace {

// Any value at all, with every kind of double and code point.
Json random_json(std::mt19937_64& random, int depth) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto random_text = [&] {
    std::string text;
    for (auto n = below(8); n > 0; --n) {
      const auto point = static_cast<char32_t>(below(2) ? below(0x80) : below(0x110000));
      append_utf8(text, point >= 0xD800 && point <= 0xDFFF ? U'?' : point);
    }
    return text;
  };
  switch (below(depth > 0 ? 8 : 6)) {
    case 0: return nullptr;
    case 1: return below(2) == 1;
    case 2: return static_cast<std::int64_t>(random()) >> below(64);
    case 3: return static_cast<double>(static_cast<std::int64_t>(random()) >> below(64)) / 8;
    case 4: {
      const double value = std::bit_cast<double>(random());
      return std::isnan(value) ? Json(HUGE_VAL) : Json(value);
    }
    case 5: return random_text();
    case 6: {
      JsonArray items;
      for (auto n = below(5); n > 0; --n) items.push_back(random_json(random, depth - 1));
      return items;
    }
    default: {
      JsonObject object;
      for (auto n = below(5); n > 0; --n) object.set(random_text(), random_json(random, depth - 1));
      return object;
    }
  }
}

}  // namespace

TEST_CASE("Json: parsing what dump wrote gives the same value and the same bytes") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Json value = random_json(random, 4);
    const int indent = i % 4 - 1;
    const std::string text = value.dump(indent);
    const Json back = Json::parse(text, {.nonfinite = true});
    REQUIRE(back == value);
    REQUIRE(back.dump(indent) == text);
  }
}

TEST_CASE("Json: a text cut or changed at any byte is parsed or refused, never worse") {
  const std::string text = R"({"a": [1, -2.5e-1, "x\u00e9\ud83d\ude00"], "b": {"c": null, "d": [true, 0]}})";
  for (std::size_t i = 0; i < text.size(); ++i) {
    CHECK_THROWS_AS(Json::parse(text.substr(0, i)), DataError);
    for (int c = 0; c < 256; ++c) {
      std::string changed = text;
      changed[i] = static_cast<char>(c);
      try {
        Json::parse(changed);
      } catch (const DataError&) {}
    }
  }
}

TEST_CASE("Json: twenty thousand mutants are parsed or refused, never worse") {
  const std::string text =
      R"({"module": "keras.layers", "class_name": "Dense", "config": {"name": "d\u00e9", "units": 64, "rate": -1.5e-3,)"
      R"( "shape": [null, 28, 28, 1], "nested": [[[{"a": true}]], {}], "text": "\ud83d\ude00 \" \\ é"}})";
  REQUIRE_NOTHROW(Json::parse(text));
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    try {
      const Json value = Json::parse(testing::mutant(text, seed));
      REQUIRE(Json::parse(value.dump()) == value);
    } catch (const DataError& error) { REQUIRE(std::string_view(error.what()).starts_with("JSON: line ")); }
  }
}

TEST_CASE("Json: hostile texts are refused quickly, whatever their size") {
  const std::pair<std::string, const char*> cases[] = {
      {std::string(100'000, '['), "nested deeper than the limit of 128"},
      {[] {
         std::string text;
         for (int i = 0; i < 50'000; ++i) text += "{\"a\":";
         return text;
       }(),
       "nested deeper than the limit of 128"},
      {"\"" + std::string(17 << 20, 'x') + "\"", "a string is longer than the limit of"},
      {std::string((64 << 20) + 1, ' '), "the text is larger than the limit of"},
      {"[" + std::string(10 << 20, '1') + "]", "an integer does not fit 64 bits"},
      {"{} {}", "expected the end of the text"},
      {"/* */ {}", "expected a value; got '/'"},
      {"{} # comment", "expected the end of the text; got '#'"},
      {std::string("{}\0", 3), "expected the end of the text; got byte 0x00"},
      {"\xFF\xFE{\0}\0", "expected a value; got byte 0xff"},
      {"\"\xED\xA0\x80\"", "the text is not valid UTF-8"},  // a surrogate in UTF-8
      {"\"\xC0\xAF\"", "the text is not valid UTF-8"},      // an overlong '/'
      {"{\"a\": 1, \"\\u0061\": 2}", "the key \"a\" is repeated"},
  };
  for (const auto& [text, message] : cases) {
    CHECK_THROWS_WITH_AS(Json::parse(text), doctest::Contains(message), DataError);
  }
}
