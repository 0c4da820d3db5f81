// A sum, difference, product or quotient of one large value with small ones (x - mean, and that times a factor) that is
// read in several places is computed again in each: there it is an instruction on a tile in the cache, while keeping it
// would write it to memory and hold it until the gradient is done. A bfloat16 is widened again for every reader, also
// for products, so that what waits for the gradient takes two bytes and not four.
#include "ramet/passes/recompute.h"

#include <functional>

#include "ramet/ops/cluster/cluster.h"
#include "ramet/passes/passes.h"

namespace ramet::passes {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kSmall = 8;  // an operand is small when it has so many times fewer elements

class Finder {
 public:
  explicit Finder(const Program& p) : p_(p), readers_(at(p.value_count()), 0), kept_(at(p.value_count()), false) {
    for (const Instr& instr : p.instrs())
      for (const int v : instr.inputs) {
        ++readers_[at(v)];
        if (!ops::can_cluster(p, instr) && !ops::can_end_cluster(p, instr)) kept_[at(v)] = true;
      }
    for (const auto& output : p.outputs()) kept_[at(output.value)] = true;
    for (const auto& input : p.inputs())
      if (input.update >= 0) kept_[at(input.update)] = true;
  }

  // Whether the value is worth computing again for a reader.
  bool again(int value) const {
    if (readers_[at(value)] < 2) return false;
    return widened(value) || (!kept_[at(value)] && cheap(value, kLongest));
  }
  bool widened(int value) const { return p_.producer(value) >= 0 && is_widening(p_, p_.instr(p_.producer(value))); }
  // Whether the value is in memory anyway.
  bool in_memory(int value) const {
    const int maker = p_.producer(value);
    return maker < 0 || kept_[at(value)] || !ops::can_cluster(p_, p_.instr(maker));
  }

 private:
  static constexpr int kLongest = 3;  // instructions

  // A chain of cheap instructions with one large operand each, from a value that is in memory anyway.
  bool cheap(int value, int most) const {
    const int producer = p_.producer(value);
    if (producer < 0 || most == 0) return false;
    if (widened(value)) return true;
    const Instr& instr = p_.instr(producer);
    if (!is_cheap(*instr.op) || !ops::can_cluster(p_, instr)) return false;
    const auto size = element_count(p_.spec(value).shape);
    int large = 0;
    for (const int v : instr.inputs) {
      if (element_count(p_.spec(v).shape) * kSmall <= size) continue;
      if (!in_memory(v) && !cheap(v, most - 1)) return false;
      ++large;
    }
    return large == 1;
  }

  const Program& p_;
  std::vector<int> readers_;
  std::vector<bool> kept_;  // read by what is no part of a cluster, or leaves the program
};

}  // namespace

std::unique_ptr<Program> recompute(const Program& program, const PassOptions&) {
  const Finder finder(program);
  std::vector<bool> read(at(program.value_count()), false);
  bool changed = false;
  // What makes `value` (of the old program; `now` in the new one) once more, back to what is in memory.
  const std::function<Value(Program&, int, Value)> copy = [&](Program& out, int value, Value now) {
    const Instr maker = out.instr(out.producer(now.id));
    if (finder.widened(value)) return ops::cast(out.value(maker.inputs[0]), DType::f32);
    const Instr& old = program.instr(program.producer(value));
    const auto size = element_count(now.shape());
    Values operands;
    for (std::size_t i = 0; i < maker.inputs.size(); ++i) {
      const Value operand = out.value(maker.inputs[i]);
      const bool small = element_count(operand.shape()) * kSmall <= size;
      operands.push_back(small || finder.in_memory(old.inputs[i]) ? operand : copy(out, old.inputs[i], operand));
    }
    return out.emit(*maker.op, operands, maker.attrs)[0];
  };
  auto result = rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) {
    Values here(in.begin(), in.end());
    for (std::size_t i = 0; i < here.size(); ++i) {
      const int v = instr.inputs[i];
      if (!finder.again(v)) continue;
      if (read[at(v)]) here[i] = copy(out, v, here[i]), changed = true;
      read[at(v)] = true;
    }
    return out.emit(*instr.op, here, instr.attrs);
  });
  return changed ? std::move(result) : nullptr;
}

}  // namespace ramet::passes
