// A JSON value, as Python's json module reads and writes it.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ramet {

class Json;

// Compilers disagree on JsonArray{JsonArray{1}} (clang 14 copies the inner one): write JsonArray{Json(JsonArray{1})}.
using JsonArray = std::vector<Json>;

// Where the keys of an object stand, once they are many: a table of places, by hash. Copies copy the table.
class JsonKeys {
 public:
  JsonKeys() = default;
  JsonKeys(const JsonKeys& other) : table_(other.table_ ? std::make_unique<Table>(*other.table_) : nullptr) {}
  JsonKeys(JsonKeys&&) noexcept = default;
  JsonKeys& operator=(JsonKeys other) noexcept {
    table_ = std::move(other.table_);
    return *this;
  }
  ~JsonKeys() = default;

 private:
  friend class JsonObject;
  using Table = std::vector<std::uint32_t>;
  std::unique_ptr<Table> table_;
};

// Keys and values in the order they were put in. Looking up takes constant time. Keys are not to be changed through
// iterators.
class JsonObject {
 public:
  using Entry = std::pair<std::string, Json>;

  JsonObject() = default;
  JsonObject(std::initializer_list<Entry> entries);  // a repeated key keeps its last value, as set() does

  const Json* find(std::string_view key) const;  // nullptr when absent
  Json* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Json& at(std::string_view key) const;  // throws DataError naming the key when absent
  Json& at(std::string_view key);
  Json& operator[](std::string_view key);      // puts in a null when absent
  void set(std::string_view key, Json value);  // replaces in place, or appends
  bool erase(std::string_view key);            // whether it was there
  void append(std::string key, Json value);    // REQUIRES: `key` is absent

  using iterator = std::vector<Entry>::iterator;
  using const_iterator = std::vector<Entry>::const_iterator;
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const_iterator begin() const;
  const_iterator end() const;
  iterator begin();
  iterator end();

  friend bool operator==(const JsonObject& a, const JsonObject& b);  // the order of keys does not matter

 private:
  void index_all();
  void index_last();
  std::vector<Entry> entries_;
  JsonKeys keys_;
};

// What parse() accepts before it refuses. The memory a text can claim is bounded by `text_bytes` and `nodes`.
struct JsonLimits {
  int depth = 128;
  std::size_t nodes = 4'000'000;
  std::size_t string_bytes = std::size_t{16} << 20;
  std::size_t text_bytes = std::size_t{64} << 20;
  bool nonfinite = false;  // whether NaN, Infinity and -Infinity, which dump() writes as Python does, are read
};

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : value_(value) {}  // exactly bool, so that no pointer becomes `true`
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) : value_(to_int(value)) {}
  Json(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(JsonArray value) : value_(std::move(value)) {}
  Json(JsonObject value) : value_(std::move(value)) {}

  bool is_null() const { return value_.index() == 0; }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_double() const { return std::holds_alternative<double>(value_); }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<JsonArray>(value_); }
  bool is_object() const { return std::holds_alternative<JsonObject>(value_); }

  // Each throws DataError saying what was found instead. An int is also a double; nothing else converts.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_double() const;
  const std::string& as_string() const;
  const JsonArray& as_array() const;
  const JsonObject& as_object() const;
  JsonArray& as_array();
  JsonObject& as_object();

  // Throws DataError unless this is an object that has `key`.
  const Json& at(std::string_view key) const { return as_object().at(key); }

  // "null", "bool", "int", "double", "string", "array" or "object".
  std::string_view type_name() const;

  // Numbers are equal when their values are, whether int or double; NaN equals nothing.
  friend bool operator==(const Json& a, const Json& b);

  // The bytes of Python's json.dumps(value, indent=indent); a negative indent means one line. A double always shows
  // that it is one (1.0, 1e+16) and reads back to the same bits. Throws DataError for a string that is not UTF-8.
  std::string dump(int indent = -1) const;

  // Strict RFC 8259. Throws DataError with line and byte for anything else: repeated keys, lone surrogates, text that
  // is not UTF-8, integers that do not fit 64 bits, numbers too large for a double, and what passes `limits`.
  static Json parse(std::string_view text, JsonLimits limits = {});

 private:
  static std::int64_t to_int(std::signed_integral auto value) { return value; }
  static std::int64_t to_int(std::unsigned_integral auto value) { return checked_unsigned(value); }
  static std::int64_t checked_unsigned(std::uint64_t value);

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, JsonArray, JsonObject> value_;
};

// Here, because they need Json complete.
inline std::size_t JsonObject::size() const { return entries_.size(); }
inline JsonObject::const_iterator JsonObject::begin() const { return entries_.begin(); }
inline JsonObject::const_iterator JsonObject::end() const { return entries_.end(); }
inline JsonObject::iterator JsonObject::begin() { return entries_.begin(); }
inline JsonObject::iterator JsonObject::end() { return entries_.end(); }

}  // namespace ramet
