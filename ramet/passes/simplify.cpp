// place, fold, cse, dce: the passes that any target wants.
#include <algorithm>
#include <cmath>
#include <map>

#include "ramet/base/error.h"
#include "ramet/ir/op.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/ops/transfer/transfer.h"
#include "ramet/passes/passes.h"
#include "ramet/passes/splat.h"

namespace ramet::passes {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// x if the instruction is x·1, x/1, x+0 or x-0 with x of the result's shape.
Value neutral(Program& out, const Instr& instr, std::span<const Value> in, const Spec& result) {
  const bool product = instr.op == &ops::mul_op, quotient = instr.op == &ops::div_op, sum = instr.op == &ops::add_op,
             difference = instr.op == &ops::sub_op;
  if (!product && !quotient && !sum && !difference) return {};
  const double neutral_number = product || quotient ? 1 : 0;
  for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
    if (side == 0 && (quotient || difference)) continue;
    const std::optional<double> number = splat(out, in[side].id);
    if (!number || *number != neutral_number || std::signbit(*number)) continue;
    if (sum && is_floating(result.dtype)) continue;  // -0 + 0 is +0
    if (in[1 - side].spec() == result) return in[1 - side];
  }
  return {};
}

// `x` of shape `to` without the axes, when it does not vary along them; else undefined.
Value without_axes(Value x, const Shape& to, const ops::Axes& axes) {
  Shape shape(to.size() - x.rank(), 1);
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  Shape rest;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    if (reduced && shape[i] != 1) return {};
    if (!reduced) rest.push_back(shape[i]);
  }
  return ops::reshape(x, rest);
}

// Σ -x = -Σ x, and Σ c x = c Σ x for a c that is the same for all summands: the sum can then be shared with others.
Value sum_of(Program& out, Value x, const ops::Axes& axes, bool& changed) {
  const int producer = out.producer(x.id);
  const Instr maker = producer >= 0 ? out.instr(producer) : Instr{};
  const auto operand = [&](std::size_t i) { return out.value(maker.inputs[i]); };
  if (maker.op == &ops::neg_op && out.device == maker.device) {
    changed = true;
    return -sum_of(out, operand(0), axes, changed);
  }
  for (std::size_t side = 0; maker.op == &ops::mul_op && out.device == maker.device && side < 2; ++side) {
    if (operand(1 - side).spec() != x.spec()) continue;
    if (const Value factor = without_axes(operand(side), x.shape(), axes)) {
      changed = true;
      return sum_of(out, operand(1 - side), axes, changed) * factor;
    }
  }
  return ops::reduce_sum(x, axes);
}

}  // namespace

std::unique_ptr<Program> place(const Program& program, const PassOptions&) {
  const auto crosses = [&](const Instr& instr) {
    return std::any_of(instr.inputs.begin(), instr.inputs.end(), [&](int v) {
      return program.producer(v) >= 0 && program.instr(program.producer(v)).device != instr.device &&
             program.instr(program.producer(v)).op != &ops::transfer_op;
    });
  };
  if (std::none_of(program.instrs().begin(), program.instrs().end(), crosses)) return nullptr;
  std::map<std::pair<int, Device>, Value> arrived;
  return rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) {
    Values here(in.begin(), in.end());
    for (std::size_t i = 0; i < here.size(); ++i) {
      const int producer = out.producer(here[i].id);
      // What has no inputs (constants, counters) is cheaper to have on both sides, and CPU devices read inputs where
      // they are.
      if (producer < 0 || instr.op == &ops::transfer_op) continue;
      const Instr maker = out.instr(producer);
      if (maker.device == instr.device ||
          (maker.op == &ops::transfer_op && maker.attrs.as<ops::TransferAttrs>().to == instr.device.name()) ||
          maker.op == &ops::constant_op)
        continue;
      Value& moved = arrived[{here[i].id, instr.device}];
      if (!moved) moved = ops::transfer(here[i], maker.device, instr.device);
      here[i] = moved;
    }
    return out.emit(*instr.op, here, instr.attrs);
  });
}

std::unique_ptr<Program> fold(const Program& program, const PassOptions&) {
  bool changed = false;
  auto result = rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) -> Values {
    if (instr.op == &ops::reduce_sum_op && is_floating(program.spec(instr.results[0]).dtype))
      return {sum_of(out, in[0], instr.attrs.as<ops::ReduceAttrs>().axes, changed)};
    if (!in.empty()) {
      if (const Value x = neutral(out, instr, in, program.spec(instr.results[0]))) {
        changed = true;
        return {x};
      }
      // A pointwise op broadcasts by itself, so an explicit broadcast of its operand is not needed unless it alone
      // gives the shape.
      if (has(instr.op->traits, Trait::pointwise) && in.size() > 1 && !instr.op->body) {
        Values lean(in.begin(), in.end());
        for (std::size_t k = 0; k < lean.size(); ++k) {
          const int producer = out.producer(lean[k].id);
          if (producer < 0 || out.instr(producer).op != &ops::broadcast_to_op) continue;
          Values trial = lean;
          trial[k] = out.value(out.instr(producer).inputs[0]);
          std::vector<Spec> specs;
          for (const Value& v : trial) specs.push_back(v.spec());
          if (instr.op->infer(instr.attrs, specs)[0] == program.spec(instr.results[0])) lean = trial, changed = true;
        }
        return out.emit(*instr.op, lean, instr.attrs);
      }
    }
    return out.emit(*instr.op, in, instr.attrs);
  });
  return changed ? std::move(result) : nullptr;
}

std::unique_ptr<Program> cse(const Program& program, const PassOptions&) {
  bool changed = false;
  std::map<std::string, Values> seen;
  auto result = rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) -> Values {
    const bool large = instr.op == &ops::constant_op && instr.attrs.as<ops::ConstantAttrs>().value.size() > 16;
    if (large || (instr.op->body && instr.op->body(instr.attrs))) return out.emit(*instr.op, in, instr.attrs);
    std::vector<int> ids;
    for (const Value& v : in) ids.push_back(v.id);
    if (has(instr.op->traits, Trait::commutative)) std::sort(ids.begin(), ids.end());
    std::string key = cat(instr.op->name, "@", instr.device, instr.op->encode(instr.attrs).dump());
    for (const int id : ids) key += cat(" ", id);
    if (const auto it = seen.find(key); it != seen.end()) {
      changed = true;
      return it->second;
    }
    return seen[key] = out.emit(*instr.op, in, instr.attrs);
  });
  return changed ? std::move(result) : nullptr;
}

std::unique_ptr<Program> dce(const Program& program, const PassOptions&) {
  std::vector<bool> needed(at(program.value_count()), false);
  for (const auto& output : program.outputs()) needed[at(output.value)] = true;
  for (const auto& input : program.inputs())
    if (input.update >= 0) needed[at(input.update)] = true;
  std::vector<bool> keep(program.instrs().size(), false);
  bool all = true;
  for (std::size_t i = program.instrs().size(); i-- > 0;) {
    const Instr& instr = program.instrs()[i];
    keep[i] = std::any_of(instr.results.begin(), instr.results.end(), [&](int v) { return needed[at(v)]; });
    all = all && keep[i];
    if (keep[i])
      for (const int v : instr.inputs) needed[at(v)] = true;
  }
  if (all) return nullptr;
  return rebuild(program, [&](Program& out, int i, const Instr& instr, std::span<const Value> in) -> Values {
    return keep[at(i)] ? out.emit(*instr.op, in, instr.attrs) : Values{};
  });
}

}  // namespace ramet::passes
