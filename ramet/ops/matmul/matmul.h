// Matrix product over the last two axes; leading axes are a batch and broadcast.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct MatmulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  static constexpr auto fields =
      Fields{field("transpose_a", &MatmulAttrs::transpose_a), field("transpose_b", &MatmulAttrs::transpose_b)};
};
extern const OpDef matmul_op;

Value matmul(Value a, Value b, MatmulAttrs attrs = {});

}  // namespace ramet::ops
