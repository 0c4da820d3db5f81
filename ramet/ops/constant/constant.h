// Data inside a program, and counters.
#pragma once
#include "ramet/array/array.h"
#include "ramet/ir/op.h"

namespace ramet::ops {

struct ConstantAttrs {
  Array value;
};
struct IotaAttrs {
  std::vector<std::int64_t> shape;
  std::int64_t axis = 0;
  std::string dtype = "int32";
  static constexpr auto fields =
      Fields{field("shape", &IotaAttrs::shape), field("axis", &IotaAttrs::axis), field("dtype", &IotaAttrs::dtype)};
};
extern const OpDef constant_op, iota_op;

Value constant(Program& program, Array value);
Value zeros(Program& program, Shape shape, DType dtype = DType::f32);  // a scalar zero, broadcast
Value full(Program& program, Shape shape, double value, DType dtype = DType::f32);
// 0, 1, 2 … along `axis`, the same everywhere else.
Value iota(Program& program, Shape shape, int axis, DType dtype = DType::i32);

}  // namespace ramet::ops
