#include "ramet/io/npy_header.h"

#include <charconv>
#include <limits>
#include <utility>

#include "ramet/base/quoted.h"

namespace ramet {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 10'000;
constexpr std::size_t kMostAxes = 64;

// What an element type that is not read is called in the refusal.
std::string_view refused_kind(char kind) {
  switch (kind) {
    case 'O': return "Python objects, which are pickles and could run code";
    case 'S':
    case 'a': return "byte strings";
    case 'U': return "strings";
    case 'V': return "records or raw bytes";
    case 'c': return "complex numbers";
    case 'M': return "dates";
    case 'm': return "time differences";
    default: return "of a type that is not known";
  }
}

// The dictionary, read strictly: the three keys once each in any order, with Python's literals and nothing else.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::size_t offset, const std::string& who)
      : text_(text), offset_(offset), who_(who) {}

  void parse_into(NpyHeader& header) {
    if (text_.empty() || text_.back() != '\n') refuse("the header does not end in a line feed");
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = parse_string();
      expect(':');
      const auto once = [&](bool& seen) {
        if (std::exchange(seen, true)) refuse(cat("the header has ", quoted(key), " twice"));
      };
      if (key == "descr") {
        once(descr);
        parse_descr(header);
      } else if (key == "fortran_order") {
        once(order);
        header.fortran_order = parse_bool();
      } else if (key == "shape") {
        once(shape);
        header.shape = parse_shape();
      } else {
        refuse(cat("the header has an unknown key ", quoted(key)));
      }
      if (take('}')) break;
      expect(',');
    }
    skip_space();
    if (at_ != text_.size()) refuse("the header goes on after its dictionary");
    if (!descr || !order || !shape) refuse("the header lacks 'descr', 'fortran_order' or 'shape'");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(cat(who_, ": npy: ", what, "; at byte ", offset_ + at_));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse(cat("the header needs '", c, "' here"));
  }

  std::string_view parse_string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse("the header needs a string here");
    const std::size_t end = text_.find(quote, at_ + 1);
    const std::string_view inside = text_.substr(at_ + 1, end == text_.npos ? 0 : end - at_ - 1);
    if (end == text_.npos || inside.find_first_of("\\\n") != inside.npos) refuse("a string of the header has no end");
    at_ = end + 1;
    return inside;
  }

  bool parse_bool() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    refuse("'fortran_order' must be True or False");
  }

  // "<f4": byte order, kind, bytes.
  void parse_descr(NpyHeader& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') refuse("the elements are records; only plain numbers are read");
    const std::string_view descr = parse_string();
    if (descr.size() < 2) refuse(cat("the element type ", quoted(descr), " is not known"));
    const char order = descr[0];
    header.kind = descr[1];
    header.element_bytes = 0;
    const auto read = std::from_chars(descr.data() + 2, descr.data() + descr.size(), header.element_bytes);
    const bool number = read.ec == std::errc() && read.ptr == descr.data() + descr.size() && descr[2] != '0';
    const std::size_t n = header.element_bytes;
    const bool wide = n == 2 || n == 4 || n == 8;
    const bool known = number && ((header.kind == 'b' && n == 1) || (header.kind == 'f' && wide) ||
                                  ((header.kind == 'i' || header.kind == 'u') && (n == 1 || wide)));
    if (!known && header.kind == 'f')
      refuse(cat("the elements are ", quoted(descr), "; floating types have 2, 4 or 8 bytes"));
    if (!known)
      refuse(cat("the elements are ", refused_kind(header.kind), " (", quoted(descr), "); only numbers are read"));
    if (order != '<' && order != '>' && !(order == '|' && n == 1))
      refuse(cat("the byte order of ", quoted(descr), " is not known"));
    header.big_endian = order == '>';
  }

  Shape parse_shape() {
    Shape shape;
    expect('(');
    bool comma = true;
    while (!take(')')) {
      if (!comma) refuse("the shape needs ',' here");
      if (shape.size() == kMostAxes) refuse(cat("the shape has more than ", kMostAxes, " axes"));
      shape.push_back(parse_size());
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) refuse("the shape is a number in brackets, not a tuple");
    return shape;
  }

  std::int64_t parse_size() {
    skip_space();
    std::int64_t size = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const auto read = std::from_chars(begin, end, size);
    const bool leading_zero = read.ptr - begin > 1 && *begin == '0';
    if (read.ec != std::errc() || *begin == '-' || leading_zero)
      refuse("the shape needs a size here, not negative and below 2^63");
    at_ += static_cast<std::size_t>(read.ptr - begin);
    return size;
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& who_;
  std::size_t at_ = 0;
};

// Elements of the shape. What its sizes other than 0 multiply to must be addressable, so that strides are too.
std::size_t checked_elements(const NpyHeader& header, const std::string& who) {
  std::uint64_t bytes = header.element_bytes;
  bool empty = false;
  for (const std::int64_t size : header.shape) {
    if (size == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes) ||
             bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw DataError(cat(who, ": npy: the shape ", to_string(header.shape), " has too many elements"));
  }
  return empty ? 0 : bytes / header.element_bytes;
}

}  // namespace

NpyHeader read_npy_header(Bytes file, const std::string& who) {
  const auto refuse = [&](const std::string& what) { throw DataError(cat(who, ": npy: ", what)); };
  if (file.size() < 10 || as_text(file.first(6)) != kMagic) refuse("does not begin as a .npy file; at byte 0");
  const int major = std::to_integer<int>(file[6]), minor = std::to_integer<int>(file[7]);
  if (major < 1 || major > 3 || minor != 0)
    refuse(cat("version ", major, ".", minor, " is not known; 1.0 to 3.0 are; at byte 6"));
  const std::size_t begin = major == 1 ? 10 : 12;
  if (file.size() < begin) refuse("the header is cut short; at byte 8");
  const std::size_t length = major == 1 ? load_le<std::uint16_t>(file, 8) : load_le<std::uint32_t>(file, 8);
  if (length > kMostHeader) refuse(cat("a header of ", length, " bytes is longer than ", kMostHeader, "; at byte 8"));
  if (length > file.size() - begin) refuse("the header is cut short; at byte 8");

  NpyHeader header;
  HeaderParser(as_text(file.subspan(begin, length)), begin, who).parse_into(header);
  header.header_bytes = begin + length;
  header.elements = checked_elements(header, who);
  return header;
}

std::string npy_header_text(DType dtype, const Shape& shape) {
  const auto descr = [&]() -> std::string_view {
    switch (dtype) {
      case DType::f32: return "<f4";
      case DType::f64: return "<f8";
      case DType::f16: return "<f2";
      case DType::i32: return "<i4";
      case DType::i64: return "<i8";
      case DType::i8: return "|i1";
      case DType::u8: return "|u1";
      case DType::boolean: return "|b1";
      case DType::bf16: break;
    }
    throw UsageError(cat(".npy has no element type ", dtype, "; use astype(DType::f32) first"));
  }();
  std::string text = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", to_string(shape), ", }");
  // NumPy leaves room for the first size to grow to 21 digits, then pads so that the elements begin at 64 bytes.
  if (!shape.empty()) text += std::string(21 - std::to_string(shape[0]).size(), ' ');
  const std::size_t before = kMagic.size() + 4;
  text += std::string(63 - (before + text.size()) % 64, ' ') + '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(text.size() & 0xFF);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

}  // namespace ramet
