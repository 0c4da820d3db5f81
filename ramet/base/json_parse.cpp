#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "ramet/base/error.h"
#include "ramet/base/json.h"
#include "ramet/base/utf8.h"

namespace ramet {
namespace {

// Whether a literal that from_chars found out of range is too small for a double rather than too large: the power of
// ten of its first digit that is not zero decides.
bool is_tiny(std::string_view literal) {
  const std::size_t e = std::min(literal.find_first_of("eE"), literal.size());
  const std::string_view mantissa = literal.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), e);
  const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  std::int64_t exponent = 0;
  if (e < literal.size()) {
    const char* digits = literal.data() + e + 1;
    if (*digits == '+') ++digits;
    const auto read = std::from_chars(digits, literal.data() + literal.size(), exponent);
    if (read.ec != std::errc()) return *digits == '-';
  }
  return exponent < first - static_cast<std::int64_t>(point);
}

// Recursive descent; `limits.depth` bounds the recursion.
class Parser {
 public:
  Parser(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  Json parse_document() {
    if (text_.size() > limits_.text_bytes) {
      refuse_at(0, cat("the text is larger than the limit of ", limits_.text_bytes, " bytes: ", text_.size()));
    }
    Json value = parse_value(0);
    skip_space();
    if (at_ != text_.size()) refuse("expected the end of the text");
    return value;
  }

 private:
  [[noreturn]] void refuse_at(std::size_t offset, const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    throw DataError(cat("JSON: line ", line, ", byte ", offset, ": ", what));
  }

  [[noreturn]] void refuse(const std::string& what) const { refuse_at(at_, what + "; got " + next_shown()); }

  std::string next_shown() const {
    if (at_ >= text_.size()) return "the end of the text";
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (c > 0x20 && c < 0x7F) return cat("'", text_[at_], "'");
    return cat("byte 0x", "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]);
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool next_is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void skip_space() {
    while (next_is(' ') || next_is('\n') || next_is('\r') || next_is('\t')) ++at_;
  }

  Json parse_value(int depth) {
    skip_space();
    if (++nodes_ > limits_.nodes) refuse_at(at_, cat("more values than the limit of ", limits_.nodes));
    if (next_is('[') || next_is('{')) {
      if (depth >= limits_.depth) refuse_at(at_, cat("nested deeper than the limit of ", limits_.depth));
      return next_is('[') ? Json(parse_array(depth)) : Json(parse_object(depth));
    }
    if (next_is('"')) return parse_string();
    if (take_word("null")) return nullptr;
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    if (next_is('N') || next_is('I') || text_.substr(at_, 2) == "-I") return parse_nonfinite();
    if (next_is('-') || next_is_digit()) return parse_number();
    refuse("expected a value");
  }

  Json parse_nonfinite() {
    static constexpr std::pair<std::string_view, double> words[] = {
        {"NaN", std::numeric_limits<double>::quiet_NaN()},
        {"Infinity", std::numeric_limits<double>::infinity()},
        {"-Infinity", -std::numeric_limits<double>::infinity()}};
    for (const auto& [word, value] : words) {
      if (text_.substr(at_, word.size()) != word) continue;
      if (!limits_.nonfinite) refuse_at(at_, cat(word, " is not a number that JSON has"));
      at_ += word.size();
      return value;
    }
    refuse("expected a value");
  }

  JsonArray parse_array(int depth) {
    JsonArray items;
    take('[');
    skip_space();
    if (take(']')) return items;
    while (true) {
      items.push_back(parse_value(depth + 1));
      skip_space();
      if (take(']')) return items;
      if (!take(',')) refuse("expected ',' or ']' in an array");
    }
  }

  JsonObject parse_object(int depth) {
    JsonObject object;
    take('{');
    skip_space();
    if (take('}')) return object;
    while (true) {
      skip_space();
      const std::size_t key_at = at_;
      if (!next_is('"')) refuse("expected a key in quotes");
      std::string key = parse_string();
      if (object.contains(key)) refuse_at(key_at, cat("the key ", Json(key).dump(), " is repeated"));
      skip_space();
      if (!take(':')) refuse("expected ':' after a key");
      object.append(std::move(key), parse_value(depth + 1));
      skip_space();
      if (take('}')) return object;
      if (!take(',')) refuse("expected ',' or '}' in an object");
    }
  }

  Json parse_number() {
    const std::size_t begin = at_;
    bool integer = true;
    take('-');
    if (!take('0')) skip_digits();
    if (take('.')) {
      integer = false;
      skip_digits();
    }
    if (take('e') || take('E')) {
      integer = false;
      if (!take('+')) take('-');
      skip_digits();
    }
    const std::string_view literal = text_.substr(begin, at_ - begin);
    return integer ? to_integer(literal, begin) : to_double(literal, begin);
  }

  void skip_digits() {
    if (!next_is_digit()) refuse("expected a digit");
    while (next_is_digit()) ++at_;
  }

  Json to_integer(std::string_view literal, std::size_t begin) const {
    std::int64_t value = 0;
    const auto read = std::from_chars(literal.data(), literal.data() + literal.size(), value);
    if (read.ec != std::errc()) refuse_at(begin, "an integer does not fit 64 bits: " + shortened(literal));
    return value;
  }

  Json to_double(std::string_view literal, std::size_t begin) const {
    double value = 0;
    const auto read = std::from_chars(literal.data(), literal.data() + literal.size(), value);
    const bool out_of_range = read.ec != std::errc() || std::isinf(value);
    if (!out_of_range) return value;
    if (!is_tiny(literal)) refuse_at(begin, "a number is too large for a double: " + shortened(literal));
    return literal[0] == '-' ? -0.0 : 0.0;
  }

  static std::string shortened(std::string_view literal) {
    return literal.size() <= 40 ? std::string(literal) : cat(literal.substr(0, 37), "...");
  }

  std::string parse_string() {
    const std::size_t begin = at_;
    std::string out;
    take('"');
    while (!take('"')) {
      if (out.size() > limits_.string_bytes) {
        refuse_at(begin, cat("a string is longer than the limit of ", limits_.string_bytes, " bytes"));
      }
      if (at_ >= text_.size()) refuse_at(begin, "a string has no end");
      if (static_cast<unsigned char>(text_[at_]) < 0x20) refuse("a control character in a string must be escaped");
      if (take('\\')) {
        parse_escape(out);
        continue;
      }
      const int bytes = decode_utf8(text_.substr(at_, 4)).bytes;
      if (bytes == 0) refuse("the text is not valid UTF-8");
      out.append(text_, at_, static_cast<std::size_t>(bytes));
      at_ += static_cast<std::size_t>(bytes);
    }
    return out;
  }

  void parse_escape(std::string& out) {
    static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (take('u')) return append_utf8(out, parse_escaped_code_point());
    const std::size_t which = at_ < text_.size() ? letters.find(text_[at_]) : letters.npos;
    if (which == letters.npos) refuse("unknown escape in a string");
    out += meanings[which];
    ++at_;
  }

  // UTF-16, as JSON escapes it: what lies past U+FFFF comes as a high and a low surrogate.
  char32_t parse_escaped_code_point() {
    const std::size_t begin = at_ - 2;
    const char32_t high = parse_hex4();
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high < 0xDC00 && take_word("\\u")) {
      const char32_t low = parse_hex4();
      if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }
    refuse_at(begin, "a surrogate stands alone; surrogates come in pairs");
  }

  char32_t parse_hex4() {
    std::uint32_t value = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() < 4 || read.ec != std::errc() || read.ptr != digits.data() + 4) {
      refuse("expected four hexadecimal digits after \\u");
    }
    at_ += 4;
    return value;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

Json Json::parse(std::string_view text, JsonLimits limits) { return Parser(text, limits).parse_document(); }

}  // namespace ramet
