#include "ramet/ir/text.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "ramet/base/error.h"
#include "ramet/ir/op.h"

namespace ramet {
namespace {

std::string quoted(const std::string& text) { return Json(text).dump(); }

void print(const Program& p, std::string& out, const std::string& indent) {
  out += "program(";
  for (std::size_t i = 0; i < p.inputs().size(); ++i) {
    const auto& input = p.inputs()[i];
    out += cat(i ? ", " : "", input.kind == InputKind::state ? "state " : "", "%", input.value, " ", quoted(input.name),
               " : ", p.spec(input.value));
  }
  out += ") {\n";
  for (const Instr& instr : p.instrs()) {
    out += indent + "  ";
    for (std::size_t r = 0; r < instr.results.size(); ++r) out += cat(r ? ", %" : "%", instr.results[r]);
    out += cat(" = ", instr.op->name, "(");
    for (std::size_t i = 0; i < instr.inputs.size(); ++i) out += cat(i ? ", %" : "%", instr.inputs[i]);
    out += ")";
    if (const Json attrs = instr.op->encode(instr.attrs); !attrs.as_object().empty()) out += " " + attrs.dump();
    if (instr.device != Device()) out += cat(" @", instr.device);
    if (const Program* body = instr.op->body ? instr.op->body(instr.attrs) : nullptr) {
      out += " ";
      print(*body, out, indent + "  ");
    }
    out += " : ";
    for (std::size_t r = 0; r < instr.results.size(); ++r) out += cat(r ? ", " : "", p.spec(instr.results[r]));
    out += "\n";
  }
  out += indent + "  return";
  bool first = true;
  for (const auto& output : p.outputs())
    out += cat(first ? " %" : ", %", output.value, " ", quoted(output.name)), first = false;
  for (const auto& input : p.inputs())
    if (input.update >= 0) out += cat(first ? " %" : ", %", input.update, " -> %", input.value), first = false;
  out += "\n" + indent + "}";
}

class Parser {
 public:
  Parser(std::string_view text, const std::function<const OpDef*(std::string_view)>& find) : text_(text), find_(find) {}

  std::unique_ptr<Program> program() {
    auto p = std::make_unique<Program>();
    std::map<std::int64_t, Value> values;
    std::map<std::int64_t, int> states;
    word("program");
    take('(');
    while (!peek(')')) {
      if (!values.empty()) take(',');
      const bool state = try_word("state");
      const auto id = value();
      const std::string name = json().as_string();
      take(':');
      if (state) states[id] = static_cast<int>(p->inputs().size());
      if (!values.emplace(id, p->input(name, spec(), state ? InputKind::state : InputKind::data)).second)
        fail("a value is defined twice");
    }
    take(')');
    take('{');
    while (!try_word("return")) instruction(*p, values);
    bool first = true;
    while (!peek('}')) {
      if (!first) take(',');
      first = false;
      const Value v = use(values, value());
      if (peek('-')) {
        take('-'), take('>');
        const auto it = states.find(value());
        if (it == states.end()) fail("only state can be changed");
        p->set_state(it->second, v);
      } else
        p->output(json().as_string(), v);
    }
    take('}');
    return p;
  }

  void end() {
    space();
    if (at_ != text_.size()) fail("text after the program");
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    throw DataError(cat("program text, line ", line, ": ", what));
  }
  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool peek(char c) {
    space();
    return at_ < text_.size() && text_[at_] == c;
  }
  void take(char c) {
    if (!peek(c)) fail(cat("'", c, "' expected"));
    ++at_;
  }
  std::string_view name() {
    space();
    const auto begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool try_word(std::string_view w) {
    const auto before = at_;
    if (name() == w) return true;
    at_ = before;
    return false;
  }
  void word(std::string_view w) {
    if (!try_word(w)) fail(cat("'", w, "' expected"));
  }
  std::int64_t integer() {
    space();
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (error != std::errc()) fail("a number expected");
    at_ = static_cast<std::size_t>(end - text_.data());
    return n;
  }
  std::int64_t value() {
    take('%');
    return integer();
  }
  Value use(const std::map<std::int64_t, Value>& values, std::int64_t id) const {
    const auto it = values.find(id);
    if (it == values.end()) fail(cat("%", id, " is not defined"));
    return it->second;
  }
  Spec spec() {
    Spec out;
    try {
      out.dtype = dtype_from(name());
    } catch (const UsageError& e) { fail(e.what()); }
    take('[');
    while (!peek(']')) {
      if (!out.shape.empty()) take(',');
      out.shape.push_back(integer());
      if (out.shape.back() < 0) fail("a size is negative");
    }
    take(']');
    return out;
  }
  // The JSON value that starts here: a string or an object.
  Json json() {
    space();
    const auto begin = at_;
    int depth = 0;
    bool in_string = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (in_string) {
        if (c == '\\')
          ++at_;
        else if (c == '"')
          in_string = false;
      } else if (c == '"')
        in_string = true;
      else if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      if (!in_string && depth == 0 && (c == '"' || c == '}' || c == ']')) {
        ++at_;
        return Json::parse(text_.substr(begin, at_ - begin), {.nonfinite = true});
      }
    }
    fail("a JSON value is not closed");
  }

  void instruction(Program& p, std::map<std::int64_t, Value>& values) {
    std::vector<std::int64_t> results{value()};
    while (peek(',')) take(','), results.push_back(value());
    take('=');
    const std::string_view op_name = name();
    const OpDef* op = find_(op_name);
    if (!op) fail(cat("there is no op '", op_name, "'"));
    take('(');
    Values in;
    while (!peek(')')) {
      if (!in.empty()) take(',');
      in.push_back(use(values, value()));
    }
    take(')');
    const Json attrs = peek('{') ? json() : Json(JsonObject{});
    p.device = Device();
    if (peek('@')) {
      take('@');
      const auto kind = name();
      take(':');
      p.device = Device(std::string_view(cat(kind, ":", integer())));
    }
    std::unique_ptr<Program> body;
    const auto before = at_;
    if (try_word("program")) {
      at_ = before;
      body = program();
    }
    take(':');
    try {
      const Values made = p.emit(*op, in, body ? op->decode_with_body(attrs, std::move(body)) : op->decode(attrs));
      if (made.size() != results.size()) fail(cat(op_name, " has ", made.size(), " results"));
      for (std::size_t r = 0; r < made.size(); ++r) {
        if (r) take(',');
        if (spec() != made[r].spec()) fail(cat(op_name, " gives ", made[r].spec()));
        if (!values.emplace(results[r], made[r]).second) fail("a value is defined twice");
      }
    } catch (const UsageError& e) { fail(e.what()); }
  }

  std::string_view text_;
  const std::function<const OpDef*(std::string_view)>& find_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_text(const Program& program) {
  std::string out;
  print(program, out, "");
  return out + "\n";
}

std::unique_ptr<Program> parse_program(std::string_view text,
                                       const std::function<const OpDef*(std::string_view)>& find) {
  Parser parser(text, find);
  auto program = parser.program();
  parser.end();
  return program;
}

}  // namespace ramet
