// Ops that move elements without changing them.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct ReshapeAttrs {
  std::vector<std::int64_t> shape;
  static constexpr auto fields = Fields{field("shape", &ReshapeAttrs::shape)};
};
struct TransposeAttrs {
  std::vector<std::int64_t> axes;
  static constexpr auto fields = Fields{field("axes", &TransposeAttrs::axes)};
};
struct SliceAttrs {
  std::vector<std::int64_t> begin, end, step;  // per axis; 0 ≤ begin ≤ end ≤ size, step ≥ 1
  static constexpr auto fields =
      Fields{field("begin", &SliceAttrs::begin), field("end", &SliceAttrs::end), field("step", &SliceAttrs::step)};
};
struct PadAttrs {
  std::vector<std::int64_t> before, after,
      inside;  // zeros before, after and between the elements; before/after may crop (< 0)
  static constexpr auto fields =
      Fields{field("before", &PadAttrs::before), field("after", &PadAttrs::after), field("inside", &PadAttrs::inside)};
};
struct AxisAttrs {
  std::int64_t axis = 0;
  static constexpr auto fields = Fields{field("axis", &AxisAttrs::axis)};
};
struct ReverseAttrs {
  std::vector<std::int64_t> axes;
  static constexpr auto fields = Fields{field("axes", &ReverseAttrs::axes)};
};
extern const OpDef reshape_op, transpose_op, broadcast_to_op, slice_op, pad_op, concat_op, reverse_op;

Value reshape(Value x, Shape shape);                       // one -1 is worked out
Value transpose(Value x, std::vector<std::int64_t> axes);  // result axis i is x's axis axes[i]
Value broadcast_to(Value x, Shape shape);
Value slice(Value x, std::vector<std::int64_t> begin, std::vector<std::int64_t> end,
            std::vector<std::int64_t> step = {});
Value slice_axis(Value x, int axis, std::int64_t begin, std::int64_t end);
Value pad(Value x, std::vector<std::int64_t> before, std::vector<std::int64_t> after,
          std::vector<std::int64_t> inside = {});
Value concat(const Values& xs, int axis);
Value reverse(Value x, std::vector<std::int64_t> axes);
Value expand_dims(Value x, int axis);
Value squeeze(Value x, int axis);
Value swap_axes(Value x, int a, int b);
Value repeat_along(Value x, int axis, std::int64_t times);  // each element `times` times in a row
Values split_sizes(Value x, int axis, const std::vector<std::int64_t>& sizes);
Value stack(const Values& xs, int axis);

}  // namespace ramet::ops
