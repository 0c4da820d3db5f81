// Zeros put around an image before a convolution, and cut off again from its gradient, become the convolution's own
// padding: the padded image is never made. So do those around what a relu gave before max pooling, where a zero is
// never larger than the rest of its window.
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/pool/pool.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/passes/passes.h"
#include "ramet/passes/users.h"

namespace ramet::passes {
namespace {

using Sizes = std::vector<std::int64_t>;

// Zeros around the spatial axes only.
bool surrounds(const ops::PadAttrs& a) {
  for (std::size_t i = 0; i < a.before.size(); ++i) {
    const bool spatial = i > 0 && i + 1 < a.before.size();
    if (a.inside[i] != 0 || a.before[i] < 0 || a.after[i] < 0) return false;
    if (!spatial && (a.before[i] != 0 || a.after[i] != 0)) return false;
  }
  return true;
}

// A window of the spatial axes of a value of this shape.
bool crops(const ops::SliceAttrs& a, const Shape& from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool spatial = i > 0 && i + 1 < from.size();
    if (a.step[i] != 1 || (!spatial && (a.begin[i] != 0 || a.end[i] != from[i]))) return false;
  }
  return true;
}

Sizes plus_spatial(Sizes sizes, const Sizes& more) {
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += more[i + 1];
  return sizes;
}

// Whether every window of a pooling without padding of its own reaches past such zeros.
bool sees_image(const ops::PoolAttrs& pool, const ops::PadAttrs& pad) {
  for (std::size_t i = 0; i < pool.window.size(); ++i) {
    if (pool.pad_before[i] != 0 || pool.pad_after[i] != 0) return false;
    if (pad.before[i + 1] >= pool.window[i] || pad.after[i + 1] >= pool.window[i]) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Program> pads(const Program& program, const PassOptions&) {
  const Users users(program);
  bool changed = false;
  auto result = rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) -> Values {
    const auto maker = [&](int value, const OpDef& op) -> const Instr* {
      const int producer = program.producer(value);
      const bool here = producer >= 0 && program.instr(producer).op == &op;
      return here && program.instr(producer).device == instr.device ? &program.instr(producer) : nullptr;
    };
    if (instr.op == &ops::conv_op || instr.op == &ops::conv_kernel_grad_op) {
      const Instr* pad = maker(instr.inputs[0], ops::pad_op);
      if (!pad || !surrounds(pad->attrs.as<ops::PadAttrs>())) return out.emit(*instr.op, in, instr.attrs);
      const auto& p = pad->attrs.as<ops::PadAttrs>();
      const Value image = out.value(out.instr(out.producer(in[0].id)).inputs[0]);
      changed = true;
      if (instr.op == &ops::conv_op) {
        auto a = instr.attrs.as<ops::ConvAttrs>();
        a.pad_before = plus_spatial(a.pad_before, p.before), a.pad_after = plus_spatial(a.pad_after, p.after);
        return {ops::conv(image, in[1], std::move(a))};
      }
      auto a = instr.attrs.as<ops::ConvGradAttrs>();
      a.pad_before = plus_spatial(a.pad_before, p.before);
      return {ops::conv_kernel_grad(image, in[1], std::move(a))};
    }
    if (instr.op == &ops::max_pool_op) {
      const Instr* pad = maker(instr.inputs[0], ops::pad_op);
      const auto& pool = instr.attrs.as<ops::PoolAttrs>();
      // The gradient of the padded image may go to its zeros.
      const bool alone = pad && users.only(instr.inputs[0]) >= 0 && maker(pad->inputs[0], ops::relu_op);
      if (!alone || !surrounds(pad->attrs.as<ops::PadAttrs>()) || !sees_image(pool, pad->attrs.as<ops::PadAttrs>()))
        return out.emit(*instr.op, in, instr.attrs);
      const auto& p = pad->attrs.as<ops::PadAttrs>();
      changed = true;
      return {ops::max_pool(
          out.value(out.instr(out.producer(in[0].id)).inputs[0]),
          {pool.window, pool.strides, plus_spatial(pool.pad_before, p.before), plus_spatial(pool.pad_after, p.after)})};
    }
    const Instr* grad = instr.op == &ops::slice_op ? maker(instr.inputs[0], ops::conv_input_grad_op) : nullptr;
    if (!grad || users.only(instr.inputs[0]) < 0) return out.emit(*instr.op, in, instr.attrs);
    const auto& s = instr.attrs.as<ops::SliceAttrs>();
    if (!crops(s, program.spec(instr.inputs[0]).shape)) return out.emit(*instr.op, in, instr.attrs);
    auto a = grad->attrs.as<ops::ConvGradAttrs>();
    a.shape = program.spec(instr.results[0]).shape;
    a.pad_before = plus_spatial(a.pad_before, s.begin);
    const Instr made = out.instr(out.producer(in[0].id));
    changed = true;
    return {ops::conv_input_grad(out.value(made.inputs[0]), out.value(made.inputs[1]), std::move(a))};
  });
  return changed ? std::move(result) : nullptr;
}

}  // namespace ramet::passes
