#include "ramet/ir/verify.h"

#include "ramet/base/error.h"
#include "ramet/ir/op.h"

namespace ramet {

void verify(const Program& program, std::string_view after) {
  std::vector<bool> defined(static_cast<std::size_t>(program.value_count()), false);
  const auto define = [&](int v) {
    ensure(v >= 0 && v < program.value_count() && !defined[static_cast<std::size_t>(v)], "after ", after, ": value %",
           v, " is defined twice");
    defined[static_cast<std::size_t>(v)] = true;
  };
  const auto use = [&](int v, std::string_view where) {
    ensure(v >= 0 && v < program.value_count() && defined[static_cast<std::size_t>(v)], "after ", after, ": ", where,
           " uses %", v, " before it is defined");
  };
  for (const auto& input : program.inputs()) define(input.value);
  for (const Instr& instr : program.instrs()) {
    std::vector<Spec> specs;
    for (const int v : instr.inputs) use(v, instr.op->name), specs.push_back(program.spec(v));
    // A caller's mistake was refused when the instruction was emitted; what is wrong now, Ramet made.
    const auto inferred = [&] {
      try {
        return instr.op->infer(instr.attrs, specs);
      } catch (const UsageError& error) { throw InternalError(cat("after ", after, ": ", error.what())); }
    }();
    ensure(inferred.size() == instr.results.size(), "after ", after, ": ", instr.op->name, " has ",
           instr.results.size(), " results, not ", inferred.size());
    for (std::size_t r = 0; r < inferred.size(); ++r) {
      define(instr.results[r]);
      ensure(program.spec(instr.results[r]) == inferred[r], "after ", after, ": ", instr.op->name, " gives ",
             inferred[r], ", not ", program.spec(instr.results[r]));
    }
    if (instr.op->body)
      if (const Program* body = instr.op->body(instr.attrs)) verify(*body, after);
  }
  for (const auto& input : program.inputs())
    if (input.update >= 0) {
      use(input.update, cat("state '", input.name, "'"));
      ensure(program.spec(input.update) == program.spec(input.value), "after ", after, ": state '", input.name,
             "' changes its spec");
    }
  for (const auto& output : program.outputs()) use(output.value, cat("output '", output.name, "'"));
}

}  // namespace ramet
