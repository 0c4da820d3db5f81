#include "cli/args.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"

namespace ramet::cli {
namespace {

template <class T>
bool parse_number(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

const Option* find_flag(const Command& command, std::string_view name) {
  for (const Option& o : command.options)
    if (o.name == name) return &o;
  return nullptr;
}

[[noreturn]] void refuse_flag(const Command& command, std::string_view name) {
  std::vector<std::string_view> names{"--help"};
  for (const Option& o : command.options)
    if (!o.by_place()) names.push_back(o.name);
  const std::string near = nearest(name, names);
  throw WrongUsage(cat("unknown option ", quoted(name), near.empty() ? "" : cat("; did you mean '", near, "'?")));
}

std::string written(const Option& o) {
  return o.by_place() || o.value.empty() ? std::string(o.name) : cat(o.name, " ", o.value);
}

}  // namespace

void read_value(std::string_view name, std::string_view text, std::string& out) {
  if (text.empty()) throw WrongUsage(cat(name, " must not be empty"));
  out = text;
}
void read_value(std::string_view, std::string_view, bool& out) { out = true; }
void read_value(std::string_view name, std::string_view text, std::int64_t& out) {
  if (!parse_number(text, out) || out < 1)
    throw WrongUsage(cat(name, " must be a positive integer; got ", quoted(text)));
}
void read_value(std::string_view name, std::string_view text, std::uint64_t& out) {
  if (!parse_number(text, out)) throw WrongUsage(cat(name, " must be an integer from 0; got ", quoted(text)));
}
void read_value(std::string_view name, std::string_view text, double& out) {
  if (!parse_number(text, out) || !std::isfinite(out))
    throw WrongUsage(cat(name, " must be a number; got ", quoted(text)));
}
void read_value(std::string_view name, std::string_view text, std::vector<std::string>& out) {
  while (true) {
    const std::size_t comma = text.find(',');
    read_value(name, text.substr(0, comma), out.emplace_back());
    if (comma == text.npos) return;
    text.remove_prefix(comma + 1);
  }
}

void parse(const Command& command, std::span<const std::string_view> words, void* args) {
  std::vector<const Option*> places, given;
  for (const Option& o : command.options)
    if (o.by_place()) places.push_back(&o);
  std::size_t place = 0;
  bool flags_end = false;
  const auto set = [&](const Option& o, std::string_view text) {
    if (std::find(given.begin(), given.end(), &o) != given.end()) throw WrongUsage(cat(o.name, " is given twice"));
    given.push_back(&o);
    o.set(args, o.name, text);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!flags_end && word == "--") {
      flags_end = true;
    } else if (flags_end || word.size() < 2 || word[0] != '-') {  // "-" alone is a file: stdin or stdout
      if (place == places.size()) throw WrongUsage(cat("unexpected argument ", quoted(word)));
      set(*places[place++], word);
    } else {
      const std::size_t equals = word.find('=');
      const std::string_view name = word.substr(0, equals);
      const Option* o = find_flag(command, name);
      if (!o) refuse_flag(command, name);
      if (o->value.empty()) {
        if (equals != word.npos) throw WrongUsage(cat(name, " takes no value"));
        set(*o, "");
      } else if (equals != word.npos) {
        set(*o, word.substr(equals + 1));
      } else {
        if (i + 1 == words.size() || words[i + 1].starts_with("--"))
          throw WrongUsage(cat(name, " needs a value: ", written(*o)));
        set(*o, words[++i]);
      }
    }
  }
  for (const Option& o : command.options)
    if (o.required && std::find(given.begin(), given.end(), &o) == given.end())
      throw WrongUsage(cat(written(o), " is missing"));
}

std::string usage_line(const Command& command) {
  std::string out = cat("ramet ", command.name);
  for (const Option& o : command.options)
    if (o.required || o.by_place()) out += o.required ? cat(" ", written(o)) : cat(" [", written(o), "]");
  for (const Option& o : command.options)
    if (!o.required && !o.by_place()) out += cat(" [", written(o), "]");
  return out;
}

std::string help_text(const Command& command) {
  std::string out = cat(command.brief, "\n\nExamples\n");
  for (std::string_view rest = command.examples; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += cat("  ", rest.substr(0, end), "\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  out += "\nUsage\n";
  bool first = true;
  for (const std::string& line : wrap(usage_line(command), 96)) {
    out += cat(first ? "  " : "      ", line, "\n");
    first = false;
  }
  std::vector<std::pair<std::string, std::string_view>> rows;
  for (const Option& o : command.options) rows.emplace_back(written(o), o.help);
  rows.emplace_back("-h, --help", "this text");
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  out += "\nOptions\n";
  for (const auto& [left, right] : rows) {
    std::string indent = cat("  ", left, std::string(width - left.size() + 2, ' '));
    for (const std::string& line : wrap(right, static_cast<int>(96 - width))) {
      out += cat(indent, line, "\n");
      indent.assign(width + 4, ' ');
    }
  }
  if (!command.notes.empty()) out += cat("\n", command.notes, "\n");
  return out;
}

}  // namespace ramet::cli
