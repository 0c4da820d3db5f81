#include "cli/common.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"

namespace ramet::cli {

void tell(std::string_view line) { std::cerr << one_line(line, Error::kLongest) << std::endl; }
void warn(std::string_view text) { tell(cat("ramet: warning: ", text)); }
void say(std::string_view text) { tell(cat("ramet: ", text)); }

Model open_model(const std::string& path, Compile compile) {
  Model model;
  try {
    model = load_model(path, {.compile = compile != Compile::no, .strict = compile == Compile::as_saved});
  } catch (const DataError& error) {
    if (compile != Compile::if_possible) throw;
    model = load_model(path, {.compile = false});
    warn(cat("how the model was compiled is left out: ", error.what()));
  }
  for (const std::string& warning : model.layer().file_info.warnings) warn(cat(path, ": ", warning));
  return model;
}

std::string_view extension_of(const std::string& path, std::string_view option,
                              std::initializer_list<std::string_view> extensions) {
  std::string_view best;
  const std::string file = std::filesystem::path(path).filename().string();
  for (const std::string_view e : extensions)
    if (file.size() > e.size() && file.ends_with(e) && e.size() > best.size()) best = e;
  if (best.empty()) throw WrongUsage(cat(option, " must end in ", join(extensions, " or "), "; got ", quoted(path)));
  return best;
}

void check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  const auto refuse = [&](const std::string& why) { throw DataError(cat("file ", quoted(path), ": ", why)); };
  if (fs::is_directory(path, error)) refuse("is a folder");
  if (!fs::is_directory(folder, error)) refuse(cat("there is no folder ", quoted(folder.string())));
  if (::access(folder.c_str(), W_OK) != 0) refuse(cat("the folder ", quoted(folder.string()), " cannot be written to"));
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes.data(), bytes.size())));
  file.commit();
}

void print_json(const Json& json) { std::cout << json.dump(2) << '\n'; }

Json shape_json(const Shape& shape) {
  JsonArray out;
  for (const std::int64_t size : shape) out.push_back(size == None ? Json(nullptr) : Json(size));
  return Json(std::move(out));
}

std::string short_number(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

Table::Table(std::vector<std::string> titles) {
  for (std::string& title : titles) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
  rows_.push_back(std::move(titles));
}

void Table::row(std::vector<std::string> cells) {
  ensure(cells.size() == right_.size(), "a table row with ", cells.size(), " cells");
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<int> width(right_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], display_width(row[c]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(static_cast<std::size_t>(width[c] - display_width(row[c])), ' ');
      line += cat(c ? "  " : "", right_[c] ? pad : "", row[c], right_[c] ? "" : pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace ramet::cli
