#include "ramet/base/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ramet/base/error.h"

namespace ramet {
namespace {

// What stands in an error message: the type, and the value where it is short.
std::string found(const Json& value) {
  const bool long_text = value.is_string() && value.as_string().size() > 40;
  if (value.is_null()) return "null";
  if (value.is_array() || value.is_object() || long_text) return "a JSON " + std::string(value.type_name());
  return cat(value.type_name(), " ", value.dump());
}

[[noreturn]] void refuse(std::string_view wanted, const Json& value) {
  throw DataError(cat("JSON: expected ", wanted, "; got ", found(value)));
}

// Exact also beyond 2^53, where converting the integer would round it.
bool equal(std::int64_t a, double b) {
  return b >= -0x1p63 && b < 0x1p63 && b == std::trunc(b) && static_cast<std::int64_t>(b) == a;
}

}  // namespace

std::int64_t Json::checked_unsigned(std::uint64_t value) {
  require(value <= std::numeric_limits<std::int64_t>::max(), "Json: ", value, " does not fit a 64-bit signed integer");
  return static_cast<std::int64_t>(value);
}

std::string_view Json::type_name() const {
  static constexpr std::array<std::string_view, 7> names{"null", "bool", "int", "double", "string", "array", "object"};
  return names[value_.index()];
}

bool Json::as_bool() const {
  if (!is_bool()) refuse("true or false", *this);
  return std::get<bool>(value_);
}

std::int64_t Json::as_int() const {
  if (!is_int()) refuse("an integer", *this);
  return std::get<std::int64_t>(value_);
}

double Json::as_double() const {
  if (is_int()) return static_cast<double>(as_int());
  if (!is_double()) refuse("a number", *this);
  return std::get<double>(value_);
}

const std::string& Json::as_string() const {
  if (!is_string()) refuse("a string", *this);
  return std::get<std::string>(value_);
}

const JsonArray& Json::as_array() const {
  if (!is_array()) refuse("an array", *this);
  return std::get<JsonArray>(value_);
}

const JsonObject& Json::as_object() const {
  if (!is_object()) refuse("an object", *this);
  return std::get<JsonObject>(value_);
}

JsonArray& Json::as_array() { return const_cast<JsonArray&>(std::as_const(*this).as_array()); }

JsonObject& Json::as_object() { return const_cast<JsonObject&>(std::as_const(*this).as_object()); }

bool operator==(const Json& a, const Json& b) {
  if (a.is_int() && b.is_double()) return equal(a.as_int(), b.as_double());
  if (a.is_double() && b.is_int()) return equal(b.as_int(), a.as_double());
  return a.value_ == b.value_;
}

}  // namespace ramet
