#include "ramet/ops/shape/view.h"

#include "ramet/ir/op.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

// The first axis longer than one: a range along it is one piece of memory if the axes behind it are taken whole.
std::size_t leading_axis(const Shape& shape) {
  std::size_t axis = 0;
  while (axis + 1 < shape.size() && shape[axis] == 1) ++axis;
  return axis;
}

bool is_one_piece(const Shape& x, const SliceAttrs& slice) {
  if (x.empty() || element_count(x) == 0) return false;
  const std::size_t leading = leading_axis(x);
  for (std::size_t axis = 0; axis < x.size(); ++axis) {
    if (slice.step[axis] != 1) return false;
    if (axis != leading && (slice.begin[axis] != 0 || slice.end[axis] != x[axis])) return false;
  }
  return slice.begin[leading] < slice.end[leading];
}

}  // namespace

bool is_view(const Program& program, const Instr& instr) {
  if (has(instr.op->traits, Trait::view)) return true;
  return instr.op == &slice_op && is_one_piece(program.spec(instr.inputs[0]).shape, instr.attrs.as<SliceAttrs>());
}

std::size_t view_offset(const Program& program, const Instr& instr) {
  if (instr.op != &slice_op) return 0;
  const Spec& x = program.spec(instr.inputs[0]);
  const std::size_t axis = leading_axis(x.shape);
  std::int64_t elements = instr.attrs.as<SliceAttrs>().begin[axis];
  for (std::size_t i = axis + 1; i < x.rank(); ++i) elements *= x.shape[i];
  return static_cast<std::size_t>(elements) * size_of(x.dtype);
}

int viewed(const Program& program, int value) {
  while (program.producer(value) >= 0 && is_view(program, program.instr(program.producer(value))))
    value = program.instr(program.producer(value)).inputs[0];
  return value;
}

}  // namespace ramet::ops
