#include "ramet/plan/storage.h"

#include <algorithm>

#include "ramet/ir/op.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/ops/shape/view.h"

namespace ramet {
Storage::Storage(const Program& program)
    : program_(program), root_(at(program.value_count())), offset_(at(program.value_count()), 0) {
  for (int v = 0; v < program.value_count(); ++v) root_[at(v)] = v;
  for (const Instr& instr : program.instrs()) {
    if (!ops::is_view(program, instr)) continue;
    const int view = instr.results[0], of = instr.inputs[0];
    root_[at(view)] = root(of);
    offset_[at(view)] = offset(of) + ops::view_offset(program, instr);
  }
}

std::size_t Storage::bytes(int value) const {
  const Spec& spec = program_.spec(value);
  return static_cast<std::size_t>(element_count(spec.shape)) * size_of(spec.dtype);
}

// One piece of memory after the other, and each part a value of its own that is made by an instruction and neither
// leaves the program nor stands in the whole twice.
bool Storage::is_joinable(const Instr& concat) const {
  if (concat.op != &ops::concat_op) return false;
  const Shape& whole = program_.spec(concat.results[0]).shape;
  const auto axis = static_cast<std::size_t>(concat.attrs.as<ops::AxisAttrs>().axis);
  if (std::any_of(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(axis),
                  [](std::int64_t size) { return size != 1; }))
    return false;
  const auto leaves = [&](int v) {
    return std::any_of(program_.outputs().begin(), program_.outputs().end(),
                       [&](const auto& o) { return o.value == v; }) ||
           std::any_of(program_.inputs().begin(), program_.inputs().end(),
                       [&](const auto& i) { return i.update == v; });
  };
  return std::all_of(concat.inputs.begin(), concat.inputs.end(), [&](int part) {
    return root(part) == part && program_.producer(part) >= 0 &&
           program_.instr(program_.producer(part)).op != &ops::constant_op && !leaves(part) &&
           std::count(concat.inputs.begin(), concat.inputs.end(), part) == 1;
  });
}

void Storage::join(const Instr& concat) {
  std::size_t begin = 0;
  for (const int part : concat.inputs) {
    for (int v = 0; v < program_.value_count(); ++v)
      if (root(v) == part) root_[at(v)] = concat.results[0], offset_[at(v)] += begin;
    begin += bytes(part);
  }
}

}  // namespace ramet
