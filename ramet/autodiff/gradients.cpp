#include "ramet/ir/gradients.h"

#include "ramet/base/error.h"
#include "ramet/ir/op.h"
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet {
namespace {

// Marks the values that depend on one of the xs: only through them does a gradient flow.
std::vector<bool> reached_from(const Program& program, std::span<const Value> xs) {
  std::vector<bool> reached(static_cast<std::size_t>(program.value_count()), false);
  for (const Value& x : xs) reached[static_cast<std::size_t>(x.id)] = true;
  for (const Instr& instr : program.instrs()) {
    bool any = false;
    for (const int in : instr.inputs) any = any || reached[static_cast<std::size_t>(in)];
    if (any)
      for (const int out : instr.results)
        if (is_floating(program.spec(out).dtype)) reached[static_cast<std::size_t>(out)] = true;
  }
  return reached;
}

}  // namespace

Values gradients(std::span<const Value> ys, std::span<const Value> dys, std::span<const Value> xs) {
  ensure(ys.size() == dys.size(), "gradients: ", ys.size(), " values with ", dys.size(), " gradients");
  Values result(xs.size());
  if (ys.empty()) return result;
  Program& program = ys[0].program();
  const std::vector<bool> reached = reached_from(program, xs);
  Values d(reached.size());  // gradient of each value, undefined while nothing has arrived
  const auto arrive = [&](int id, Value g) {
    Value& slot = d[static_cast<std::size_t>(id)];
    slot = slot ? ops::add(slot, g) : g;
  };
  for (std::size_t i = 0; i < ys.size(); ++i)
    if (reached[static_cast<std::size_t>(ys[i].id)]) arrive(ys[i].id, dys[i]);

  const Device device = program.device;
  for (int i = static_cast<int>(program.instrs().size()); i-- > 0;) {
    const Instr instr = program.instr(i);  // a copy: emitting moves the list
    if (instr.results.empty() || instr.results[0] >= static_cast<int>(reached.size()))
      continue;  // emitted by this walk
    Values in, out, d_out;
    bool arrived = false;
    for (const int id : instr.results) {
      out.push_back(program.value(id));
      d_out.push_back(d[static_cast<std::size_t>(id)]);
      arrived = arrived || d_out.back();
    }
    if (!arrived) continue;
    for (const int id : instr.inputs) in.push_back(program.value(id));
    if (instr.op->not_differentiable) continue;
    program.device = instr.device;  // the gradient is computed where the value was
    const Values d_in = instr.op->vjp(Vjp{instr.attrs, in, out, d_out});
    ensure(d_in.size() == in.size(), instr.op->name, ": ", d_in.size(), " gradients for ", in.size(), " inputs");
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (!d_in[k] || !reached[static_cast<std::size_t>(in[k].id)]) continue;
      ensure(d_in[k].spec() == in[k].spec(), instr.op->name, ": gradient ", k, " is ", d_in[k].spec(), ", not ",
             in[k].spec());
      arrive(in[k].id, d_in[k]);
    }
  }
  program.device = device;
  for (std::size_t i = 0; i < xs.size(); ++i) result[i] = d[static_cast<std::size_t>(xs[i].id)];
  return result;
}

Values inline_program(const Program& body, Program& into, std::span<const Value> inputs) {
  ensure(inputs.size() == body.inputs().size(), "inline: ", inputs.size(), " values for ", body.inputs().size(),
         " inputs");
  Values map(static_cast<std::size_t>(body.value_count()));
  for (std::size_t i = 0; i < inputs.size(); ++i) map[static_cast<std::size_t>(body.inputs()[i].value)] = inputs[i];
  for (const Instr& instr : body.instrs()) {
    Values in;
    for (const int id : instr.inputs) in.push_back(map[static_cast<std::size_t>(id)]);
    const Values out = into.emit(*instr.op, in, instr.attrs);
    for (std::size_t r = 0; r < out.size(); ++r) map[static_cast<std::size_t>(instr.results[r])] = out[r];
  }
  Values out;
  for (const auto& output : body.outputs()) out.push_back(map[static_cast<std::size_t>(output.value)]);
  return out;
}

}  // namespace ramet
