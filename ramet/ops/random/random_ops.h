// Random numbers as functions of a state [seed, counter] (int64): the same state gives the same numbers, on any number
// of threads. Whoever draws adds one to the counter.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct RandomAttrs {
  std::vector<std::int64_t> shape;
  std::string dtype = "float32";
  static constexpr auto fields = Fields{field("shape", &RandomAttrs::shape), field("dtype", &RandomAttrs::dtype)};
};
extern const OpDef random_uniform_op, random_normal_op;

Value random_uniform(Value state, Shape shape, DType dtype = DType::f32);  // in [0, 1)
Value random_normal(Value state, Shape shape, DType dtype = DType::f32);   // mean 0, deviation 1
Value next_state(Value state);                                             // [seed, counter + 1]

}  // namespace ramet::ops
