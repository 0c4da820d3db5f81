// The table as text. Keras has it drawn by the Python library rich; what that does with widths is done here the same
// way.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include "ramet/base/strings.h"
#include "ramet/base/utf8.h"
#include "ramet/graph/summary.h"

namespace ramet {
namespace {

enum class Align : unsigned char { left, right, center };

struct Column {
  std::string title;
  Align align;
  int width = 0;  // of the text, without the blanks at its sides
};

// Left edge, line, crossing, right edge: of the top, the header, below the header, a row, between rows, the bottom.
struct BoxChars {
  std::array<std::string_view, 4> top, head, below_head, row, between, bottom;
  std::string_view ellipsis, branch;
};
constexpr BoxChars kUnicode{{"┏", "━", "┳", "┓"},
                            {"┃", " ", "┃", "┃"},
                            {"┡", "━", "╇", "┩"},
                            {"│", " ", "│", "│"},
                            {"├", "─", "┼", "┤"},
                            {"└", "─", "┴", "┘"},
                            "…",
                            "└"};
constexpr BoxChars kAscii{{"+", "-", "-", "+"},
                          {"|", " ", "|", "|"},
                          {"|", "-", "+", "|"},
                          {"|", " ", "|", "|"},
                          {"|", "-", "+", "|"},
                          {"+", "-", "-", "+"},
                          "~",
                          "+"};

// As Python decides: the "C" locale counts as UTF-8, an encoding that is named counts as itself.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string text(value);
    if (text == "C" || text == "POSIX") return true;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return true;
}

int terminal_columns() {
  if (const char* text = std::getenv("COLUMNS"))
    if (const int columns = std::atoi(text); columns > 0) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// Keras cuts the line at the positions; rich finds these columns too wide by their edges and blanks, and takes the
// excess away from them in turn, rounding to even.
void set_widths(std::vector<Column>& columns, const std::vector<double>& positions, int line_length) {
  const int n = static_cast<int>(columns.size());
  int at = 0, excess = 3 * n + 1 - line_length;
  for (int i = 0; i < n; ++i) {
    auto& column = columns[static_cast<std::size_t>(i)];
    column.width = static_cast<int>(positions[static_cast<std::size_t>(i)] * line_length) - at;
    require(column.width >= 4, "Insufficient console width to print summary: column '", column.title, "' would have ",
            column.width, " characters; give a larger line_length");
    at += column.width;
    excess += column.width;
  }
  for (int i = 0; i < n && excess > 0; ++i) {
    const int taken = static_cast<int>(std::nearbyint(static_cast<double>(excess) / (n - i)));
    columns[static_cast<std::size_t>(i)].width -= taken;
    excess -= taken;
  }
}

// Text outside the table folds at the terminal's width. Blanks at the end of a line stay while there is room.
std::string folded(const std::string& text, int width) {
  std::string out;
  std::size_t at = 0;
  for (const std::string& line : wrap(text, width)) {
    at += line.size();
    out += line;
    int room = width - display_width(line);
    for (; at < text.size() && text[at] == ' '; ++at)
      if (room-- > 0) out += ' ';
    out += '\n';
  }
  return out;
}

std::string spaces(int n) { return std::string(static_cast<std::size_t>(std::max(n, 0)), ' '); }

std::string aligned(const std::string& text, const Column& column) {
  const int room = column.width - display_width(text);
  const int before = column.align == Align::left ? 0 : column.align == Align::right ? room : room / 2;
  return spaces(before) + text + spaces(room - before);
}

std::string shape_text(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const auto size : shape) sizes.push_back(size == None ? "None" : std::to_string(size));
  return cat("(", join(sizes, ", "), ")");
}

std::string shapes_text(const std::vector<Shape>& shapes) {
  if (shapes.empty()) return "?";
  std::vector<std::string> all;
  for (const Shape& shape : shapes) all.push_back(shape_text(shape));
  return all.size() == 1 ? all[0] : cat("[", join(all, ", "), "]");
}

class TableText {
 public:
  TableText(const BoxChars& box, std::vector<Column> columns, int crop)
      : box_(box), columns_(std::move(columns)), crop_(crop) {
    rule(box_.top);
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    cells(titles, box_.head, true);
    rule(box_.below_head);
  }

  void row(const std::vector<std::string>& texts) {
    if (!first_) rule(box_.between);
    first_ = false;
    cells(texts, box_.row, false);
  }

  std::string finish() {
    rule(box_.bottom);
    return std::move(out_);
  }

 private:
  void rule(const std::array<std::string_view, 4>& chars) {
    std::string line(chars[0]);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i) line += chars[2];
      for (int k = 0; k < columns_[i].width + 2; ++k) line += chars[1];
    }
    put(line += chars[3]);
  }

  // Rows begin at the top of their cells, titles stand at the bottom.
  void cells(const std::vector<std::string>& texts, const std::array<std::string_view, 4>& chars, bool at_bottom) {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      wrapped.push_back(columns_[i].width > 0 ? wrap(texts[i], columns_[i].width, LongWord::ellipsis)
                                              : std::vector<std::string>{""});
      height = std::max(height, wrapped.back().size());
    }
    for (std::size_t y = 0; y < height; ++y) {
      std::string line(chars[0]);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& lines = wrapped[i];
        const std::size_t skipped = at_bottom ? height - lines.size() : 0;
        const bool blank = y < skipped || y - skipped >= lines.size();
        if (i) line += chars[2];
        line += " " + aligned(blank ? "" : drawable(lines[y - skipped]), columns_[i]) + " ";
      }
      put(line += chars[3]);
    }
  }

  // `wrap` writes its own ellipsis.
  std::string drawable(std::string text) const {
    static constexpr std::string_view kEllipsis = "…";
    if (text.ends_with(kEllipsis)) text.replace(text.size() - kEllipsis.size(), kEllipsis.size(), box_.ellipsis);
    return text;
  }

  void put(std::string_view line) {
    std::size_t at = 0;
    for (int width = 0; at < line.size();) {
      const auto bytes = static_cast<std::size_t>(std::max(decode_utf8(line.substr(at)).bytes, 1));
      width += display_width(line.substr(at, bytes));
      if (width > crop_) break;
      at += bytes;
    }
    out_ += line.substr(0, at);
    out_ += '\n';
  }

  const BoxChars& box_;
  std::vector<Column> columns_;
  int crop_;
  bool first_ = true;
  std::string out_;
};

std::string total_text(std::string_view what, const ParamTotal& total) {
  return cat(" ", what, ": ", with_thousands(total.count), " (", readable_size(total.bytes), ")");
}

}  // namespace

std::string to_text(const SummaryTable& table, const SummaryOptions& options) {
  const bool unicode = options.boxes == Boxes::unicode || (options.boxes == Boxes::automatic && locale_is_utf8());
  const BoxChars& box = unicode ? kUnicode : kAscii;
  const int terminal = options.columns > 0 ? options.columns : terminal_columns();

  std::vector<Column> columns = {
      {"Layer (type)", Align::left}, {"Output Shape", Align::left}, {"Param #", Align::right}};
  std::vector<double> positions =
      table.chain ? std::vector<double>{0.45, 0.80, 1.0} : std::vector<double>{0.3, 0.56, 0.74, 1.0};
  if (!table.chain) columns.push_back({"Connected to", Align::left});
  if (!options.positions.empty()) {
    require(options.positions.size() == columns.size(), "summary: `positions` must have one entry for each of the ",
            columns.size(), " columns; got ", options.positions.size());
    positions = options.positions;
  }
  int line_length = table.chain ? 88 : 108;
  if (options.show_trainable) {
    line_length += 12;
    for (double& p : positions) p *= 0.90;
    positions.push_back(1.0);
    columns.push_back({"Trainable", Align::center});
  }
  line_length = options.line_length > 0 ? options.line_length : std::min(line_length, terminal - 4);
  set_widths(columns, positions, line_length);

  TableText text(box, std::move(columns), terminal);
  for (const SummaryRow& row : table.rows) {
    const std::string prefix = row.depth ? cat(spaces(3 * row.depth), box.branch, " ") : "";
    std::vector<std::string> cells = {cat(prefix, row.name, " (", row.class_name, ")"), shapes_text(row.output_shapes),
                                      row.built ? with_thousands(row.params) : "0 (unbuilt)"};
    if (!table.chain) cells.push_back(row.connected_to.empty() ? "-" : join(row.connected_to, ", "));
    if (options.show_trainable) cells.push_back(!row.trainable ? "-" : *row.trainable ? "Y" : "N");
    text.row(cells);
  }
  std::string out = folded(cat("Model: \"", table.model, "\""), terminal) + text.finish();
  out += folded(total_text("Total params", table.total), terminal);
  out += folded(total_text("Trainable params", table.trainable), terminal);
  out += folded(total_text("Non-trainable params", table.non_trainable), terminal);
  if (table.optimizer) out += folded(total_text("Optimizer params", *table.optimizer), terminal);
  return out;
}

std::ostream& operator<<(std::ostream& out, const SummaryTable& table) { return out << to_text(table); }

}  // namespace ramet
