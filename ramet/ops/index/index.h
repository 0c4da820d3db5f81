// Looking up by integer.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct GatherAttrs {
  std::string what = "index";  // what an index is called in the error for one that is out of range
  static constexpr auto fields = Fields{field("what", &GatherAttrs::what)};
};
struct ScatterAttrs {
  std::int64_t size = 0;
  static constexpr auto fields = Fields{field("size", &ScatterAttrs::size)};
};
extern const OpDef gather_op, scatter_add_op, take_last_op, put_last_op;

// Rows of x: result [index…, x without its first axis]. An index out of range is a DataError at run time.
Value gather(Value x, Value index, GatherAttrs attrs = {});
// Zeros of [size, …] with rows[i] added at row index[i], in order.
Value scatter_add(Value index, Value rows, std::int64_t size);
// One element of each last-axis row: result[…] = x[…, index[…]].
Value take_last(Value x, Value index, GatherAttrs attrs = {});
// Zeros of […, size] with values[…] at index[…].
Value put_last(Value index, Value values, std::int64_t size);
// 1 at the index and 0 elsewhere; all 0 for an index out of range.
Value one_hot(Value index, std::int64_t classes, DType dtype = DType::f32);

}  // namespace ramet::ops
