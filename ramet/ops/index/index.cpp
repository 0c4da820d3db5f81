#include "ramet/ops/index/index.h"

#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

void check_index(const Spec& index, std::string_view who) {
  require(index.dtype == DType::i32 || index.dtype == DType::i64, who, ": indices must be int32 or int64; got ", index);
}

Shape tail(const Shape& shape) { return Shape(shape.begin() + 1, shape.end()); }

}  // namespace

const OpDef gather_op =
    define_op<GatherAttrs>({.name = "gather",
                            .infer = [](const GatherAttrs&, std::span<const Spec> in) -> std::vector<Spec> {
                              require(in[0].rank() >= 1, "gather: a scalar has no rows");
                              check_index(in[1], "gather");
                              Shape out = in[1].shape;
                              for (const auto size : tail(in[0].shape)) out.push_back(size);
                              return {{out, in[0].dtype}};
                            },
                            .vjp = [](const Vjp& v) -> Values {
                              return {scatter_add(v.in[1], v.dy(), v.in[0].dim(0)), {}};
                            }});

const OpDef scatter_add_op = define_op<ScatterAttrs>(
    {.name = "scatter_add",
     .infer = [](const ScatterAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
       check_index(in[0], "scatter_add");
       require(in[1].rank() >= in[0].rank() && std::equal(in[0].shape.begin(), in[0].shape.end(), in[1].shape.begin()),
               "scatter_add: ", in[0], ", ", in[1]);
       Shape out{a.size};
       out.insert(out.end(), in[1].shape.begin() + static_cast<std::ptrdiff_t>(in[0].rank()), in[1].shape.end());
       return {{out, in[1].dtype}};
     },
     .vjp = [](const Vjp& v) -> Values {
       return {{}, gather(v.dy(), v.in[0])};
     }});

const OpDef take_last_op =
    define_op<GatherAttrs>({.name = "take_last",
                            .infer = [](const GatherAttrs&, std::span<const Spec> in) -> std::vector<Spec> {
                              check_index(in[1], "take_last");
                              require(in[0].rank() == in[1].rank() + 1 &&
                                          std::equal(in[1].shape.begin(), in[1].shape.end(), in[0].shape.begin()),
                                      "take_last: indices ", in[1], " do not fit ", in[0]);
                              return {{in[1].shape, in[0].dtype}};
                            },
                            .vjp = [](const Vjp& v) -> Values {
                              return {put_last(v.in[1], v.dy(), v.in[0].dim(-1)), {}};
                            }});

const OpDef put_last_op =
    define_op<ScatterAttrs>({.name = "put_last",
                             .infer = [](const ScatterAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
                               check_index(in[0], "put_last");
                               require(in[0].shape == in[1].shape, "put_last: ", in[0], ", ", in[1]);
                               Shape out = in[0].shape;
                               out.push_back(a.size);
                               return {{out, in[1].dtype}};
                             },
                             .vjp = [](const Vjp& v) -> Values {
                               return {{}, take_last(v.dy(), v.in[0])};
                             }});

Value gather(Value x, Value index, GatherAttrs attrs) { return emit(gather_op, {x, index}, std::move(attrs))[0]; }
Value scatter_add(Value index, Value rows, std::int64_t size) {
  return emit(scatter_add_op, {index, rows}, ScatterAttrs{size})[0];
}
Value take_last(Value x, Value index, GatherAttrs attrs) { return emit(take_last_op, {x, index}, std::move(attrs))[0]; }
Value put_last(Value index, Value values, std::int64_t size) {
  return emit(put_last_op, {index, values}, ScatterAttrs{size})[0];
}

Value one_hot(Value index, std::int64_t classes, DType dtype) {
  return cast(equal(expand_dims(index, -1), iota(index.program(), {classes}, 0, index.dtype())), dtype);
}

}  // namespace ramet::ops
