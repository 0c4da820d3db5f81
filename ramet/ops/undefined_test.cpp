// What is not there must be refused, whatever it is handed to.
#include <doctest/doctest.h>

#include "ramet/graph/functions.h"
#include "ramet/graph/op_operation.h"
#include "ramet/ir/gradients.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/losses.h"
#include "ramet/nn/metrics.h"
#include "ramet/nn/optimizers.h"
#include "ramet/nn/regularizers.h"
#include "ramet/nn/schedules.h"
#include "ramet/ops/ops.h"

using namespace ramet;
using namespace ramet::ops;

namespace {

struct Function {
  std::string name;
  std::function<void(Value)> call;
};

// Every function over values that ramet/ramet.h declares. Those of keras.ops follow from their table.
std::vector<Function> functions() {
#define RAMET_CALL(call)                 \
  {                                      \
#call, [](Value v) { (void)(call); } \
  }
  std::vector<Function> out = {
      RAMET_CALL(neg(v)),
      RAMET_CALL(abs(v)),
      RAMET_CALL(sign(v)),
      RAMET_CALL(square(v)),
      RAMET_CALL(relu(v)),
      RAMET_CALL(exp(v)),
      RAMET_CALL(expm1(v)),
      RAMET_CALL(log(v)),
      RAMET_CALL(log1p(v)),
      RAMET_CALL(sqrt(v)),
      RAMET_CALL(rsqrt(v)),
      RAMET_CALL(reciprocal(v)),
      RAMET_CALL(sin(v)),
      RAMET_CALL(cos(v)),
      RAMET_CALL(tanh(v)),
      RAMET_CALL(erf(v)),
      RAMET_CALL(sigmoid(v)),
      RAMET_CALL(softplus(v)),
      RAMET_CALL(gelu(v)),
      RAMET_CALL(gelu_slope(v)),
      RAMET_CALL(floor(v)),
      RAMET_CALL(ceil(v)),
      RAMET_CALL(round(v)),
      RAMET_CALL(is_nan(v)),
      RAMET_CALL(logical_not(v)),
      RAMET_CALL(add(v, v)),
      RAMET_CALL(sub(v, v)),
      RAMET_CALL(mul(v, v)),
      RAMET_CALL(div(v, v)),
      RAMET_CALL(pow(v, v)),
      RAMET_CALL(maximum(v, v)),
      RAMET_CALL(minimum(v, v)),
      RAMET_CALL(floor_divide(v, v)),
      RAMET_CALL(mod(v, v)),
      RAMET_CALL(atan2(v, v)),
      RAMET_CALL(equal(v, v)),
      RAMET_CALL(not_equal(v, v)),
      RAMET_CALL(less(v, v)),
      RAMET_CALL(less_equal(v, v)),
      RAMET_CALL(greater(v, v)),
      RAMET_CALL(greater_equal(v, v)),
      RAMET_CALL(logical_and(v, v)),
      RAMET_CALL(logical_or(v, v)),
      RAMET_CALL(logical_xor(v, v)),
      RAMET_CALL(select(v, v, v)),
      RAMET_CALL(cast(v, DType::f64)),
      RAMET_CALL(scalar_like(v, 1)),
      RAMET_CALL(sum_to(v, {1})),
      RAMET_CALL(v + v),
      RAMET_CALL(v - v),
      RAMET_CALL(v * v),
      RAMET_CALL(v / v),
      RAMET_CALL(-v),
      RAMET_CALL(v + 1.0),
      RAMET_CALL(v - 1.0),
      RAMET_CALL(v * 2.0),
      RAMET_CALL(v / 2.0),
      RAMET_CALL(1.0 + v),
      RAMET_CALL(1.0 - v),
      RAMET_CALL(2.0 * v),
      RAMET_CALL(2.0 / v),
      RAMET_CALL(v < 1),
      RAMET_CALL(v[0]),
      RAMET_CALL(v[Slice(0, 1)]),
      RAMET_CALL(gather(v, v)),
      RAMET_CALL(scatter_add(v, v, 3)),
      RAMET_CALL(take_last(v, v)),
      RAMET_CALL(put_last(v, v, 3)),
      RAMET_CALL(one_hot(v, 3)),
      RAMET_CALL(matmul(v, v)),
      RAMET_CALL(conv(v, v, {})),
      RAMET_CALL(conv_input_grad(v, v, {})),
      RAMET_CALL(conv_kernel_grad(v, v, {})),
      RAMET_CALL(max_pool(v, {})),
      RAMET_CALL(avg_pool(v, {})),
      RAMET_CALL(max_pool_grad(v, v, {})),
      RAMET_CALL(avg_pool_grad(v, {})),
      RAMET_CALL(random_uniform(v, {2})),
      RAMET_CALL(random_normal(v, {2})),
      RAMET_CALL(next_state(v)),
      RAMET_CALL(recurrent(kLstm, v, v, v, v, {v, v}, v, false)),
      RAMET_CALL(recurrent(kGru, v, v, v, {}, {v}, {}, true)),
      RAMET_CALL(moments(v, {0})),
      RAMET_CALL(reduce_sum(v, {0})),
      RAMET_CALL(reduce_max(v, {0})),
      RAMET_CALL(reduce_min(v, {0})),
      RAMET_CALL(reduce_prod(v, {0})),
      RAMET_CALL(reduce_mean(v, {0})),
      RAMET_CALL(argmax(v, 0)),
      RAMET_CALL(argmin(v, 0)),
      RAMET_CALL(all_axes(v)),
      RAMET_CALL(reshape(v, {1})),
      RAMET_CALL(transpose(v, {0})),
      RAMET_CALL(broadcast_to(v, {1})),
      RAMET_CALL(slice(v, {0}, {1})),
      RAMET_CALL(slice_axis(v, 0, 0, 1)),
      RAMET_CALL(pad(v, {0}, {1})),
      RAMET_CALL(concat({v}, 0)),
      RAMET_CALL(concat({v, v}, 0)),
      RAMET_CALL(reverse(v, {0})),
      RAMET_CALL(reverse(v, {})),
      RAMET_CALL(expand_dims(v, 0)),
      RAMET_CALL(squeeze(v, 0)),
      RAMET_CALL(swap_axes(v, 0, 1)),
      RAMET_CALL(repeat_along(v, 0, 2)),
      RAMET_CALL(split_sizes(v, 0, {})),
      RAMET_CALL(split_sizes(v, 0, {1})),
      RAMET_CALL(stack({v, v}, 0)),
      RAMET_CALL(softmax(v)),
      RAMET_CALL(log_softmax(v)),
      RAMET_CALL(logsumexp(v, {0})),
      RAMET_CALL(log_softmax_at(v, v)),
      RAMET_CALL(attention(v, v, v, v, 1, false)),
      RAMET_CALL(transfer(v, Device{}, Device{})),
      RAMET_CALL(scan({v}, {v}, {v}, 2, false,
                      [](Program&, const Values& c, const Values&, const Values&) {
                        return ScanResult{c, {}};
                      })),
      RAMET_CALL(v.spec()),
      RAMET_CALL(v.shape()),
      RAMET_CALL(v.dtype()),
      RAMET_CALL(v.rank()),
      RAMET_CALL(v.dim(0)),
      RAMET_CALL(v.program()),
      RAMET_CALL(losses::same_rank(v, v)),
      RAMET_CALL(losses::divide_no_nan(v, v)),
      RAMET_CALL(gradients(std::vector<Value>{v}, std::vector<Value>{v}, std::vector<Value>{v})),
  };
#undef RAMET_CALL
  for (const OpRow& row : op_rows())
    for (const std::size_t count : {1u, 2u, 3u})
      out.push_back({cat(row.class_name, " of ", count), [&row, count](Value v) {
                       (void)apply_op<Value>(row.class_name, std::vector<Nest<Value>>(count, Nest<Value>(v)), {});
                     }});
  for (const std::string_view name : kActivationNames)
    if (name != "linear")
      out.push_back({std::string(name), [name](Value v) { (void)ActivationFunction::from(name)(v); }});
  for (const auto& c : LossBase::classes())
    out.push_back({std::string(c.class_name), [&c](Value v) { (void)(*c.from_config({}))(v, v); }});
  for (const auto& c : RegularizerBase::classes())
    out.push_back({std::string(c.class_name), [&c](Value v) { (void)(*c.from_config({}))(v); }});
  for (const auto& c : ConstraintBase::classes())
    out.push_back({std::string(c.class_name), [&c](Value v) { (void)(*c.from_config({}))(v); }});
  return out;
}

}  // namespace

TEST_CASE("No function takes a value that is not there") {
  for (const Function& f : functions()) {
    CAPTURE(f.name);
    CHECK_THROWS_WITH_AS(f.call(Value{}), doctest::Contains("an undefined Value was used"), UsageError);
  }
}

TEST_CASE("No function takes a value of a program that is gone") {
  for (const Shape& shape : {Shape{2}, Shape{2, 3, 4}}) {
    Value kept;
    {
      Program program;
      kept = program.input("x", {shape, DType::f32});
    }
    const Program another;  // takes the place of the first
    CHECK(static_cast<bool>(kept));
    for (const Function& f : functions()) {
      CAPTURE(f.name);
      CHECK_THROWS_WITH_AS(f.call(kept), doctest::Contains("a Value of an earlier trace was used"), UsageError);
    }
  }
}

TEST_CASE("A value of another program is refused, also by loops and outputs") {
  Program a, b;
  const Value x = a.input("x", {{2}, DType::f32}), y = b.input("y", {{2}, DType::f32});
  CHECK_THROWS_WITH_AS(x + y, doctest::Contains("a Value of another program was used"), UsageError);
  CHECK_THROWS_WITH_AS(a.output("z", y), doctest::Contains("output 'z'"), UsageError);
  CHECK_THROWS_WITH_AS(a.output("z", {}), doctest::Contains("undefined Value"), UsageError);
  CHECK_THROWS_AS(concat({x, y}, 0), UsageError);
  CHECK_THROWS_WITH_AS(scan({x}, {}, {}, 3, false,
                            [&](Program&, const Values& c, const Values&, const Values&) {
                              return ScanResult{{c[0] + x}, {}};
                            }),
                       doctest::Contains("add: a Value of another program was used"), UsageError);
}
