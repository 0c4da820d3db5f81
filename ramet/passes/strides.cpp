// What is read only at every other place is computed only there: the strides of 1 x 1 convolutions go up through
// pointwise functions into the convolutions before them. ResNets have this at the end of every stage.
//
//   conv(relu(conv(x) + r), stride 2)  becomes  conv(relu(conv(x, stride 2) + r[:, ::2, ::2, :]))
#include <algorithm>
#include <numeric>

#include "ramet/ops/conv/conv.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/passes/passes.h"

namespace ramet::passes {
namespace {

using Sizes = std::vector<std::int64_t>;

// Per axis: a value is read, and will be made, at the multiples of these places. All ones: everywhere.
using Sampling = Sizes;

class Sampler {
 public:
  explicit Sampler(const Program& p) : p_(p), stays_whole_(p.instrs().size(), false) {
    find_samplings();
    // What stays useless after a few rounds costs copies, no harm: a program could be made to need very many.
    for (int round = 0; round < 4 && keep_useless_whole(); ++round) find_samplings();
  }

  bool found() const {
    return std::any_of(of_.begin(), of_.end(), [](const Sampling& s) { return sampled(s); });
  }

  // The instruction, with its inputs and result made as their samplings say.
  Values emit(Program& out, const Instr& instr, std::span<const Value> in) const {
    if (instr.op == &ops::conv_op) {
      auto attrs = instr.attrs.as<ops::ConvAttrs>();
      const Sampling &own = result_sampling(instr), &image = of(instr.inputs[0]);
      for (std::size_t i = 0; i < attrs.strides.size(); ++i)
        attrs.strides[i] = attrs.strides[i] * own[i + 1] / image[i + 1];
      return {ops::conv(in[0], in[1], std::move(attrs))};
    }
    Values fitting(in.begin(), in.end());
    for (std::size_t i = 0; i < fitting.size(); ++i) {
      const Sampling wanted = demand(instr, i), &made = of(instr.inputs[i]);
      Sizes step(wanted.size());
      for (std::size_t k = 0; k < step.size(); ++k) step[k] = wanted[k] / made[k];
      const Shape end = fitting[i].shape();
      if (sampled(step)) fitting[i] = ops::slice(fitting[i], Sizes(step.size(), 0), end, step);
    }
    return out.emit(*instr.op, fitting, instr.attrs);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static bool sampled(const Sampling& s) {
    return std::any_of(s.begin(), s.end(), [](std::int64_t step) { return step != 1; });
  }
  const Sampling& of(int value) const { return of_[at(value)]; }
  Sampling whole(int value) const { return Sampling(p_.spec(value).rank(), 1); }

  // Whether it can make its result at some places only.
  bool can_sample(int i) const {
    const Instr& instr = p_.instr(i);
    return (instr.op == &ops::conv_op || has(instr.op->traits, Trait::pointwise)) && !stays_whole_[at(i)];
  }
  const Sampling& result_sampling(const Instr& instr) const { return of(instr.results[0]); }

  // Where the instruction reads its input, when its result is made as it is sampled.
  Sampling demand(const Instr& instr, std::size_t input) const {
    const int value = instr.inputs[input];
    const Shape& shape = p_.spec(value).shape;
    const Sampling& own = result_sampling(instr);
    Sampling places = whole(value);
    if (instr.op == &ops::conv_op && input == 0) {
      const auto& a = instr.attrs.as<ops::ConvAttrs>();
      const Shape& window = p_.spec(instr.inputs[1]).shape;
      for (std::size_t i = 0; i < a.strides.size(); ++i) {
        const bool inside = a.strides[i] <= shape[i + 1] / own[i + 1];  // or strides of strides would grow without end
        if (inside && window[i] == 1 && a.pad_before[i] == 0 && a.pad_after[i] == 0)
          places[i + 1] = a.strides[i] * own[i + 1];
      }
    } else if (has(instr.op->traits, Trait::pointwise)) {
      const std::size_t lead = own.size() - places.size();
      for (std::size_t k = 0; k < places.size(); ++k)
        if (shape[k] == p_.spec(instr.results[0]).shape[lead + k]) places[k] = own[lead + k];
    }
    return places;
  }

  // From the end: a value's readers are known before it is.
  void find_samplings() {
    of_.assign(at(p_.value_count()), {});
    for (const auto& output : p_.outputs()) of_[at(output.value)] = whole(output.value);
    for (const auto& input : p_.inputs()) {
      of_[at(input.value)] = whole(input.value);
      if (input.update >= 0) of_[at(input.update)] = whole(input.update);
    }
    for (int i = static_cast<int>(p_.instrs().size()); i-- > 0;) {
      const Instr& instr = p_.instr(i);
      for (const int v : instr.results)
        if (of_[at(v)].empty() || !can_sample(i)) of_[at(v)] = whole(v);
      for (std::size_t k = 0; k < instr.inputs.size(); ++k) {
        Sampling& common = of_[at(instr.inputs[k])];
        const Sampling places = demand(instr, k);
        if (common.empty()) common = places;
        for (std::size_t axis = 0; axis < places.size(); ++axis) common[axis] = std::gcd(common[axis], places[axis]);
      }
    }
  }

  // A pointwise function without an input that is made as it is read would only add the copying of its inputs.
  bool keep_useless_whole() {
    bool any = false;
    for (int i = 0; i < static_cast<int>(p_.instrs().size()); ++i) {
      const Instr& instr = p_.instr(i);
      if (instr.op == &ops::conv_op || !can_sample(i) || !sampled(result_sampling(instr))) continue;
      const auto made_so = [&](int v) {
        const int producer = p_.producer(v);
        return of(v) == result_sampling(instr) && !(producer >= 0 && stays_whole_[at(producer)]);
      };
      if (std::any_of(instr.inputs.begin(), instr.inputs.end(), made_so)) continue;
      stays_whole_[at(i)] = any = true;
    }
    return any;
  }

  const Program& p_;
  std::vector<Sampling> of_;       // of each value
  std::vector<bool> stays_whole_;  // of each instruction
};

// A convolution that leaves places out; the rest follows from those.
bool skips(const Instr& instr) {
  if (instr.op != &ops::conv_op) return false;
  const Sizes& strides = instr.attrs.as<ops::ConvAttrs>().strides;
  return std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride > 1; });
}

}  // namespace

std::unique_ptr<Program> strides(const Program& program, const PassOptions&) {
  if (std::none_of(program.instrs().begin(), program.instrs().end(), skips)) return nullptr;
  const Sampler sampler(program);
  if (!sampler.found()) return nullptr;
  return rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) {
    return sampler.emit(out, instr, in);
  });
}

}  // namespace ramet::passes
