// What the commands share: opening models, checking where output will go, printing.
#pragma once
#include <iosfwd>

#include "cli/args.h"
#include "ramet/graph/model.h"
#include "ramet/io/model_file.h"

namespace ramet::cli {

// A line on stderr, as long as an error may be and no longer.
void tell(std::string_view line);
// "ramet: warning: …" on stderr.
void warn(std::string_view text);
// "ramet: …" on stderr: what was done, for people.
void say(std::string_view text);

// Opens a model file and passes its warnings on.
enum class Compile : unsigned char {
  no,
  as_saved,     // an error when that cannot be
  if_possible,  // a warning then
};
Model open_model(const std::string& path, Compile compile = Compile::no);

// The longest of `extensions` that `path` ends in; WrongUsage naming all when there is none.
std::string_view extension_of(const std::string& path, std::string_view option,
                              std::initializer_list<std::string_view> extensions);

// Refuses, before any work is done, a place where no file can be written (exit status 1).
void check_writable(const std::string& path);

// Writes a file as a whole or not at all.
void write_file(const std::string& path, std::string_view bytes);

void print_json(const Json& json);

Json shape_json(const Shape& shape);
// Fewest digits that tell the number: 0.25, 1.2e-05.
std::string short_number(double value, int digits = 4);

// Columns of text, as wide as they need to be; numbers to the right.
class Table {
 public:
  // A title that begins with '>' is of a column aligned to the right.
  explicit Table(std::vector<std::string> titles);
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> right_;
};

}  // namespace ramet::cli
