// The part of strings.h that counts terminal columns.
#include <algorithm>
#include <array>

#include "ramet/base/error.h"
#include "ramet/base/strings.h"
#include "ramet/base/utf8.h"

namespace ramet {
namespace {

struct Range {
  char32_t first, last;
};

// Marks drawn over the character before them, and invisible ones (Unicode 15, categories Mn, Me, Cf; the usual blocks).
constexpr std::array kNoColumn{
    Range{0x0000, 0x001F},  Range{0x007F, 0x009F}, Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
    Range{0x0610, 0x061A},  Range{0x064B, 0x065F}, Range{0x093C, 0x093C}, Range{0x0941, 0x0948}, Range{0x0E34, 0x0E3A},
    Range{0x0E47, 0x0E4E},  Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x202A, 0x202E},
    Range{0x2060, 0x2064},  Range{0x20D0, 0x20F0}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
    Range{0xE0100, 0xE01EF}};

// East Asian Width W and F, by block.
constexpr std::array kTwoColumns{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},   Range{0x25FD, 0x25FE},
    Range{0x2614, 0x2615},   Range{0x26A1, 0x26A1},   Range{0x2705, 0x2705},   Range{0x2728, 0x2728},
    Range{0x274C, 0x274C},   Range{0x2753, 0x2755},   Range{0x2795, 0x2797},   Range{0x2B50, 0x2B50},
    Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},
    Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE30, 0xFE6F},   Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x16FE0, 0x18AFF},
    Range{0x1B000, 0x1B2FF}, Range{0x1F18E, 0x1F19A}, Range{0x1F200, 0x1F320}, Range{0x1F32D, 0x1F335},
    Range{0x1F337, 0x1F37C}, Range{0x1F37E, 0x1F393}, Range{0x1F3A0, 0x1F3CA}, Range{0x1F3CF, 0x1F3D3},
    Range{0x1F3E0, 0x1F3F0}, Range{0x1F3F4, 0x1F3F4}, Range{0x1F3F8, 0x1F43E}, Range{0x1F440, 0x1F440},
    Range{0x1F442, 0x1F4FC}, Range{0x1F4FF, 0x1F53D}, Range{0x1F54B, 0x1F567}, Range{0x1F595, 0x1F596},
    Range{0x1F5A4, 0x1F5A4}, Range{0x1F5FB, 0x1F64F}, Range{0x1F680, 0x1F6C5}, Range{0x1F6CC, 0x1F6CC},
    Range{0x1F6D0, 0x1F6D7}, Range{0x1F6DC, 0x1F6DF}, Range{0x1F6EB, 0x1F6EC}, Range{0x1F6F4, 0x1F6FC},
    Range{0x1F7E0, 0x1F7EB}, Range{0x1F90C, 0x1F9FF}, Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool lies_in(const std::array<Range, N>& ranges, char32_t value) {
  const auto range = std::partition_point(ranges.begin(), ranges.end(), [&](Range r) { return r.last < value; });
  return range != ranges.end() && range->first <= value;
}

int columns_of(char32_t value) {
  if (value >= 0x20 && value < 0x7F) return 1;
  return lies_in(kNoColumn, value) ? 0 : lies_in(kTwoColumns, value) ? 2 : 1;
}

// How many bytes of `text` fit in `width` columns.
std::size_t bytes_within(std::string_view text, int width) {
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text.substr(at));
    width -= point.bytes ? columns_of(point.value) : 1;
    if (width < 0) break;
    at += static_cast<std::size_t>(std::max(point.bytes, 1));
  }
  return at;
}

std::string_view without_end_spaces(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

class Wrapper {
 public:
  Wrapper(int width, LongWord long_word) : width_(width), long_word_(long_word) {}

  // `word` brings the spaces that follow it, the first one also those before it; those at the end of a line take no
  // room.
  void add(std::string_view word) {
    if (display_width(line_) + display_width(without_end_spaces(word)) > width_ && !line_.empty()) end_line();
    line_ += word;
    const bool too_long = display_width(without_end_spaces(line_)) > width_;
    if (too_long && long_word_ == LongWord::ellipsis) line_ = line_.substr(0, bytes_within(line_, width_ - 1)) + "…";
    while (display_width(without_end_spaces(line_)) > width_) {
      const std::size_t fits = bytes_within(line_, width_);
      // One character wider than the line cannot be cut; it stands alone.
      const std::size_t cut = fits > 0 ? fits : static_cast<std::size_t>(decode_utf8(line_).bytes);
      std::string rest = line_.substr(cut);
      line_.resize(cut);
      if (rest.empty()) return;
      end_line();
      line_ = std::move(rest);
    }
  }

  void end_line() {
    lines_.emplace_back(without_end_spaces(line_));
    line_.clear();
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  int width_;
  LongWord long_word_;
  std::string line_;
  std::vector<std::string> lines_;
};

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    width += point.bytes ? columns_of(point.value) : 1;  // a stray byte is shown as one replacement character
    text.remove_prefix(static_cast<std::size_t>(std::max(point.bytes, 1)));
  }
  return width;
}

std::vector<std::string> wrap(std::string_view text, int width, LongWord long_word) {
  require(width >= 1, "wrap: the width must be positive; got ", width);
  Wrapper wrapper(width, long_word);
  while (true) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, line_end);
    while (!line.empty()) {
      const std::size_t word = std::min(line.find_first_not_of(' '), line.size());
      const std::size_t spaces = std::min(line.find(' ', word), line.size());
      const std::size_t next = std::min(line.find_first_not_of(' ', spaces), line.size());
      wrapper.add(line.substr(0, next));
      line.remove_prefix(next);
    }
    wrapper.end_line();
    if (line_end == text.size()) return wrapper.take();
    text.remove_prefix(line_end + 1);
  }
}

}  // namespace ramet
