#include <charconv>
#include <cmath>

#include "ramet/base/error.h"
#include "ramet/base/json.h"
#include "ramet/base/utf8.h"

namespace ramet {
namespace {

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& value) {
    if (value.is_null()) out_ += "null";
    if (value.is_bool()) out_ += value.as_bool() ? "true" : "false";
    if (value.is_int()) out_ += std::to_string(value.as_int());
    if (value.is_double()) write_double(value.as_double());
    if (value.is_string()) write_string(value.as_string());
    if (value.is_array()) {
      write_items('[', value.as_array(), ']', [&](const Json& item) { write(item); });
    }
    if (value.is_object()) {
      write_items('{', value.as_object(), '}', [&](const JsonObject::Entry& entry) {
        write_string(entry.first);
        out_ += ": ";
        write(entry.second);
      });
    }
  }

  std::string take() { return std::move(out_); }

 private:
  template <class Items, class WriteItem>
  void write_items(char open, const Items& items, char close, const WriteItem& write_item) {
    out_ += open;
    ++depth_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += indent_ < 0 ? ", " : ",";
      first = false;
      new_line();
      write_item(item);
    }
    --depth_;
    if (!first) new_line();
    out_ += close;
  }

  void new_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  // Python's repr: the shortest digits that read back to the same bits, with an exponent from 1e16 up and below 1e-4.
  void write_double(double value) {
    if (std::isnan(value)) return void(out_ += "NaN");
    if (std::isinf(value)) return void(out_ += value < 0 ? "-Infinity" : "Infinity");
    const double size = std::fabs(value);
    const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
    const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, format).ptr;
    const std::string_view text(digits, end - digits);
    out_ += text;
    if (!exponent && text.find('.') == text.npos) out_ += ".0";
  }

  void write_string(std::string_view text) {
    out_ += '"';
    while (!text.empty()) {
      const CodePoint point = decode_utf8(text);
      if (point.bytes == 0) throw DataError("JSON: cannot write a string that is not UTF-8; convert it first");
      write_code_point(point.value);
      text.remove_prefix(point.bytes);
    }
    out_ += '"';
  }

  void write_code_point(char32_t value) {
    switch (value) {
      case '"': out_ += "\\\""; return;
      case '\\': out_ += "\\\\"; return;
      case '\b': out_ += "\\b"; return;
      case '\f': out_ += "\\f"; return;
      case '\n': out_ += "\\n"; return;
      case '\r': out_ += "\\r"; return;
      case '\t': out_ += "\\t"; return;
      default: break;
    }
    if (value >= 0x20 && value < 0x7F) {
      out_ += static_cast<char>(value);
    } else if (value < 0x10000) {
      write_unit(value);
    } else {
      write_unit(0xD800 + ((value - 0x10000) >> 10));
      write_unit(0xDC00 + ((value - 0x10000) & 0x3FF));
    }
  }

  void write_unit(char32_t unit) {
    out_ += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out_ += "0123456789abcdef"[(unit >> shift) & 0xF];
  }

  int indent_;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::string Json::dump(int indent) const {
  Writer writer(indent);
  writer.write(*this);
  return writer.take();
}

}  // namespace ramet
