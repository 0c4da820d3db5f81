#include "ramet/ops/pool/pool.h"

namespace ramet::ops {
namespace {

std::vector<Spec> infer(const PoolAttrs& a, std::span<const Spec> in) {
  const Spec& x = in[0];
  const std::size_t spatial = a.window.size();
  require(a.strides.size() == spatial && a.pad_before.size() == spatial && a.pad_after.size() == spatial,
          "pool attributes");
  require(x.rank() == spatial + 2, "pool: needs ", spatial, " spatial axes; got ", x);
  Spec out{{x.dim(0)}, x.dtype};
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto padded = x.shape[i + 1] + a.pad_before[i] + a.pad_after[i];
    const auto size = padded < a.window[i] ? 0 : (padded - a.window[i]) / a.strides[i] + 1;
    require(size > 0 || x.shape[i + 1] == 0,
            "Computed output size would be zero or negative. Received `inputs shape=", to_string(x.shape),
            "`, pool window ", to_string(a.window), "; use padding = \"same\" or a smaller window");
    out.shape.push_back(size);
  }
  out.shape.push_back(x.dim(-1));
  return {out};
}

}  // namespace

const OpDef max_pool_op = define_op<PoolAttrs>({.name = "max_pool", .infer = infer, .vjp = [](const Vjp& v) -> Values {
                                                  return {max_pool_grad(v.in[0], v.dy(), v.as<PoolAttrs>())};
                                                }});
const OpDef avg_pool_op = define_op<PoolAttrs>(
    {.name = "avg_pool", .infer = infer, .vjp = [](const Vjp& v) -> Values {
       const auto& a = v.as<PoolAttrs>();
       return {avg_pool_grad(v.dy(), {v.in[0].shape(), a.window, a.strides, a.pad_before, a.pad_after})};
     }});
// Second derivatives of max pooling are zero almost everywhere and wanted by nobody.
const OpDef max_pool_grad_op = define_op<PoolAttrs>(
    {.name = "max_pool_grad",
     .infer = [](const PoolAttrs&, std::span<const Spec> in) -> std::vector<Spec> { return {in[0]}; },
     .vjp = nullptr});
const OpDef avg_pool_grad_op =
    define_op<AvgPoolGradAttrs>({.name = "avg_pool_grad",
                                 .infer = [](const AvgPoolGradAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
                                   return {{a.shape, in[0].dtype}};
                                 },
                                 .vjp = [](const Vjp& v) -> Values {
                                   const auto& a = v.as<AvgPoolGradAttrs>();
                                   return {avg_pool(v.dy(), {a.window, a.strides, a.pad_before, a.pad_after})};
                                 }});

Value max_pool(Value x, PoolAttrs attrs) { return emit(max_pool_op, {x}, std::move(attrs))[0]; }
Value avg_pool(Value x, PoolAttrs attrs) { return emit(avg_pool_op, {x}, std::move(attrs))[0]; }
Value max_pool_grad(Value x, Value dy, PoolAttrs attrs) { return emit(max_pool_grad_op, {x, dy}, std::move(attrs))[0]; }
Value avg_pool_grad(Value dy, AvgPoolGradAttrs attrs) { return emit(avg_pool_grad_op, {dy}, std::move(attrs))[0]; }

}  // namespace ramet::ops
