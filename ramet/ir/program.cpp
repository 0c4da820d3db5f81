#include "ramet/ir/program.h"

#include "ramet/base/error.h"
#include "ramet/ir/op.h"

namespace ramet {

std::int64_t Spec::dim(int axis) const {
  return shape[static_cast<std::size_t>(canonical_axis(axis, shape.size(), "shape"))];
}

std::string to_string(const Spec& spec) {
  std::string out(short_name(spec.dtype));
  out += '[';
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    if (i) out += ", ";
    out += spec.shape[i] == None ? "None" : std::to_string(spec.shape[i]);
  }
  return out + ']';
}

int Program::new_value(Spec spec, int producer) {
  require(spec.rank() <= kMostAxes, "a tensor of ", spec.rank(), " axes; the most are ", kMostAxes);
  specs_.push_back(std::move(spec));
  producer_.push_back(producer);
  return value_count() - 1;
}

Value Program::input(std::string name, Spec spec, InputKind kind) {
  ensure(fully_known(spec.shape), "program input '", name, "' has an unknown size: ", spec);
  const int id = new_value(std::move(spec), -1);
  inputs_.push_back({std::move(name), kind, id, -1});
  return {this, id};
}

void Program::set_state(int index, Value value) {
  Input& input = inputs_.at(static_cast<std::size_t>(index));
  ensure(input.kind == InputKind::state, "'", input.name, "' is not state");
  ensure(value.program == this && value.spec() == spec(input.value), "state '", input.name, "' is ", spec(input.value),
         " and cannot become ", value.spec());
  input.update = value.id;
}

void Program::output(std::string name, Value value) {
  ensure(value.program == this, "output '", name, "' belongs to another program");
  outputs_.push_back({std::move(name), value.id});
}

Values Program::emit(const OpDef& op, std::span<const Value> inputs, Attrs attrs) {
  std::vector<Spec> specs;
  specs.reserve(inputs.size());
  Instr instr{&op, std::move(attrs), {}, {}, device};
  for (const Value& v : inputs) {
    ensure(v.program == this, op.name, ": a value of another program was passed");
    specs.push_back(v.spec());
    instr.inputs.push_back(v.id);
  }
  Values results;
  const int index = static_cast<int>(instrs_.size());
  for (Spec& spec : op.infer(instr.attrs, specs)) {
    instr.results.push_back(new_value(std::move(spec), index));
    results.push_back({this, instr.results.back()});
  }
  instrs_.push_back(std::move(instr));
  return results;
}

}  // namespace ramet
