#include "ramet/ops/matmul/matmul.h"

#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const MatmulAttrs& attrs, std::span<const Spec> in) {
  const Spec &a = in[0], &b = in[1];
  require(a.rank() >= 2 && b.rank() >= 2, "matmul: both operands need at least two axes; got ", a, " and ", b);
  require(a.dtype == b.dtype, "matmul: ", a, " and ", b);
  const auto k_a = a.dim(attrs.transpose_a ? -2 : -1), k_b = b.dim(attrs.transpose_b ? -1 : -2);
  require(k_a == k_b, "matmul: inner dimensions differ: ", a, " brings ", k_a, ", ", b, " brings ", k_b);
  Shape out = broadcast_shapes(Shape(a.shape.begin(), a.shape.end() - 2), Shape(b.shape.begin(), b.shape.end() - 2));
  out.push_back(a.dim(attrs.transpose_a ? -1 : -2));
  out.push_back(b.dim(attrs.transpose_b ? -2 : -1));
  return {{out, a.dtype}};
}

// Y = op(A) op(B).  With no transposes  dA = dY Bᵀ  and  dB = Aᵀ dY;  a transposed operand swaps the roles, so both
// cases are one product with the flags moved across.
Values vjp(const Vjp& v) {
  const auto& at = v.as<MatmulAttrs>();
  const Value a = v.in[0], b = v.in[1], dy = v.dy();
  const Value da = at.transpose_a ? matmul(b, dy, {.transpose_a = at.transpose_b, .transpose_b = true})
                                  : matmul(dy, b, {.transpose_a = false, .transpose_b = !at.transpose_b});
  const Value db = at.transpose_b ? matmul(dy, a, {.transpose_a = true, .transpose_b = at.transpose_a})
                                  : matmul(a, dy, {.transpose_a = !at.transpose_a, .transpose_b = false});
  return {sum_to(da, a.shape()), sum_to(db, b.shape())};
}

}  // namespace

const OpDef matmul_op = define_op<MatmulAttrs>({.name = "matmul", .infer = infer, .vjp = vjp});

Value matmul(Value a, Value b, MatmulAttrs attrs) {
  const DType dtype = promote(a.dtype(), b.dtype());
  return emit(matmul_op, {cast(a, dtype), cast(b, dtype)}, attrs)[0];
}

}  // namespace ramet::ops
