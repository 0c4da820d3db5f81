// Brain floats are stored and moved as they are; what computes with them does so in float32 and rounds its results:
//
//   y = op(x)  becomes  y = to_bf16(op(to_f32(x)))
//
// A float32 that was rounded and widened again is another number than before, so such pairs stay. (After relu it is the
// same, but then it is the brain float that should wait for the gradient.)
#include <algorithm>
#include <map>

#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/index/index.h"
#include "ramet/ops/matmul/linear.h"
#include "ramet/ops/random/random_ops.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/ops/transfer/transfer.h"
#include "ramet/passes/passes.h"

namespace ramet::passes {
namespace {

using Ops = std::vector<const OpDef*>;

bool listed(const Ops& list, const OpDef* op) { return std::find(list.begin(), list.end(), op) != list.end(); }

// Their kernels do not look at the elements. A body is a program of its own.
bool moves(const OpDef* op) {
  static const Ops list = {&ops::constant_op,  &ops::reshape_op,  &ops::transpose_op, &ops::broadcast_to_op,
                           &ops::slice_op,     &ops::concat_op,   &ops::reverse_op,   &ops::gather_op,
                           &ops::take_last_op, &ops::put_last_op, &ops::transfer_op};
  return op->body || listed(list, op);
}

class Widener {
 public:
  explicit Widener(const Program& program) : program_(program) {}

  Values operator()(Program& out, const Instr& instr, std::span<const Value> in) {
    const auto brain = [&](int v) { return program_.spec(v).dtype == DType::bf16; };
    const bool makes = std::any_of(instr.results.begin(), instr.results.end(), brain);
    const bool reads = std::any_of(instr.inputs.begin(), instr.inputs.end(), brain);
    const bool reads_weights = instr.op == &ops::linear_op && !makes;  // as they are
    if (moves(instr.op) || reads_weights || (!makes && !reads)) return out.emit(*instr.op, in, instr.attrs);
    if (instr.op == &ops::cast_op) return {cast(in[0], program_.spec(instr.results[0]).dtype)};
    Values wide;
    for (const Value& v : in) wide.push_back(widened(v));
    Values results = out.emit(*instr.op, wide, in_float32(instr));
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (!brain(instr.results[r])) continue;
      const Value whole = results[r];
      results[r] = ops::cast(whole, DType::bf16);
      // Zeros around an image need no rounding, and a convolution that reads them so can make them its own (pads).
      if (instr.op == &ops::pad_op) float_of(results[r]) = whole;
    }
    return results;
  }

 private:
  // The float32 that a brain float stands for; other values as they are.
  Value widened(Value v) {
    if (v.dtype() != DType::bf16) return v;
    Value& known = float_of(v);
    if (known) return known;
    const int producer = v.program().producer(v.id);
    const Instr* maker = producer >= 0 ? &v.program().instr(producer) : nullptr;
    if (maker && maker->op == &ops::constant_op)
      return known = ops::constant(v.program(), maker->attrs.as<ops::ConstantAttrs>().value.astype(DType::f32));
    return known = ops::cast(v, DType::f32);
  }

  Value cast(Value x, DType to) {
    if (to != DType::bf16) return ops::cast(widened(x), to);
    return ops::cast(ops::cast(x, DType::f32), DType::bf16);
  }

  // Ops that make numbers out of nothing are told their type.
  static Attrs in_float32(const Instr& instr) {
    const auto retyped = [](auto attrs) {
      attrs.dtype = keras_name(DType::f32);
      return Attrs::make(std::move(attrs));
    };
    if (instr.op == &ops::iota_op) return retyped(instr.attrs.as<ops::IotaAttrs>());
    if (instr.op == &ops::random_uniform_op || instr.op == &ops::random_normal_op)
      return retyped(instr.attrs.as<ops::RandomAttrs>());
    return instr.attrs;
  }

  // What is known of a brain float of the new program on the device that is emitted to.
  Value& float_of(Value v) { return float_of_[{v.id, v.program().device}]; }

  const Program& program_;
  std::map<std::pair<int, Device>, Value> float_of_;
};

}  // namespace

std::unique_ptr<Program> widen(const Program& program, const PassOptions&) {
  bool any = false;
  for (int v = 0; v < program.value_count(); ++v) any = any || program.spec(v).dtype == DType::bf16;
  if (!any) return nullptr;
  Widener widener(program);
  return rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) {
    return widener(out, instr, in);
  });
}

}  // namespace ramet::passes
