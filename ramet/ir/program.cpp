#include "ramet/ir/program.h"

#include <mutex>

#include "ramet/base/error.h"
#include "ramet/ir/op.h"

namespace ramet {
namespace {

// Places are never given back: a value of a program that is gone still looks there.
struct Places {
  std::mutex mutex;
  std::vector<ProgramPlace*> free;
};
Places& places() {
  static auto& all = *new Places;  // programs may die after static objects
  return all;
}

// A value that is not of the program it is used in.
[[noreturn]] void refuse_stranger(const Value& value, std::string_view who) {
  if (!value.alive()) value.refuse(who);
  throw UsageError(cat(who,
                       ": a Value of another program was used; inside a loop or a nested call use only values that "
                       "were handed to it"));
}

}  // namespace

Program::Program() {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  if (all.free.empty()) all.free.push_back(new ProgramPlace);
  place_ = all.free.back();
  all.free.pop_back();
  place_->program = this;
  number_ = place_->number;
}

Program::~Program() {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  ++place_->number;
  place_->program = nullptr;
  all.free.push_back(place_);
}

void Value::refuse(std::string_view who) const {
  const std::string begin = who.empty() ? "" : cat(who, ": ");
  throw UsageError(
      place ? cat(begin,
                  "a Value of an earlier trace was used; values live as long as the call that made them, so make "
                  "it anew in every call")
            : cat(begin,
                  "an undefined Value was used; a mask or an argument that is not there is one: ask "
                  "`if (value)` first"));
}

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
  return value(id);
}

void Program::set_state(int index, Value value) {
  Input& input = inputs_.at(static_cast<std::size_t>(index));
  ensure(input.kind == InputKind::state, "'", input.name, "' is not state");
  ensure(value.belongs_to(*this) && value.spec() == spec(input.value), "state '", input.name, "' is ",
         spec(input.value), " and cannot become ", value.spec());
  input.update = value.id;
}

void Program::output(std::string name, Value value) {
  if (!value.belongs_to(*this)) refuse_stranger(value, cat("output '", name, "'"));
  outputs_.push_back({std::move(name), value.id});
}

Program& program_of(std::string_view op, std::span<const Value> in) {
  require(!in.empty(), op, ": called without a value");
  for (const Value& v : in)
    if (!v.alive()) v.refuse(op);
  return in[0].program();
}

Values Program::emit(const OpDef& op, std::span<const Value> inputs, Attrs attrs) {
  std::vector<Spec> specs;
  specs.reserve(inputs.size());
  Instr instr{&op, std::move(attrs), {}, {}, device};
  for (const Value& v : inputs) {
    if (!v.belongs_to(*this)) refuse_stranger(v, op.name);
    specs.push_back(v.spec());
    instr.inputs.push_back(v.id);
  }
  Values results;
  const int index = static_cast<int>(instrs_.size());
  for (Spec& spec : op.infer(instr.attrs, specs)) {
    instr.results.push_back(new_value(std::move(spec), index));
    results.push_back(value(instr.results.back()));
  }
  instrs_.push_back(std::move(instr));
  return results;
}

}  // namespace ramet
