// Batch normalization for prediction: factors and shifts per channel that follow a product with fixed weights go into
// the weights and one bias, which are then computed once.
//
//   (x W + b - m) f + s  =  x (W f) + ((b - m) f + s)
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/matmul/matmul.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/passes/passes.h"
#include "ramet/passes/users.h"

namespace ramet::passes {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Chain {
  int product = -1;
  std::vector<int> members;  // what follows it, in order
  bool scaled = false;
};

// One number, or one per channel, the channels being the last axis of `out`.
bool per_channel(const Spec& spec, const Spec& out) {
  if (spec.dtype != out.dtype || spec.rank() > out.rank()) return false;
  for (std::size_t i = 0; i + 1 < spec.rank(); ++i)
    if (spec.shape[i] != 1) return false;
  return spec.rank() == 0 || spec.dim(-1) == 1 || spec.dim(-1) == out.dim(-1);
}

class Finder {
 public:
  explicit Finder(const Program& p) : p_(p), users_(p), fixed_(fixed_values(p)) {}

  Chain chain(int product) const {
    const Instr& instr = p_.instr(product);
    const Spec& out = p_.spec(instr.results[0]);
    Chain c{product, {}, false};
    const bool matmul = instr.op == &ops::matmul_op && out.rank() == 2;
    if ((!matmul && instr.op != &ops::conv_op) || out.dtype != DType::f32 || !fixed_[at(instr.inputs[1])]) return c;
    for (int value = instr.results[0];;) {
      const int user = users_.only(value);
      if (user < 0 || p_.spec(p_.instr(user).results[0]) != out) return c;
      const Instr& next = p_.instr(user);
      const bool mul = next.op == &ops::mul_op, add = next.op == &ops::add_op, sub = next.op == &ops::sub_op;
      if ((!mul && !add && !sub) || (sub && next.inputs[0] != value)) return c;
      const int other = next.inputs[0] == value ? next.inputs[1] : next.inputs[0];
      if (!fixed_[at(other)] || !per_channel(p_.spec(other), out)) return c;
      c.scaled = c.scaled || mul;
      c.members.push_back(user);
      value = next.results[0];
    }
  }

 private:
  const Program& p_;
  Users users_;
  std::vector<bool> fixed_;
};

// The factor and the shift of a chain so far, of shape [channels].
struct Affine {
  Value factor, shift;  // undefined: 1 and 0

  void follow(const Instr& instr, Value operand) {
    if (instr.op == &ops::mul_op) {
      factor = factor ? factor * operand : operand;
      if (shift) shift = shift * operand;
    } else {
      const Value term = instr.op == &ops::sub_op ? -operand : operand;
      shift = shift ? shift + term : term;
    }
  }
};

}  // namespace

std::unique_ptr<Program> affine(const Program& program, const PassOptions& options) {
  if (!options.frozen_state) return nullptr;
  const Finder finder(program);
  std::vector<int> chain_of(program.instrs().size(), -1);
  std::vector<Chain> chains;
  for (int i = 0; i < static_cast<int>(program.instrs().size()); ++i) {
    Chain c = finder.chain(i);
    if (!c.scaled) continue;  // a bias alone is no better for it
    chain_of[at(i)] = static_cast<int>(chains.size());
    for (const int m : c.members) chain_of[at(m)] = static_cast<int>(chains.size());
    chains.push_back(std::move(c));
  }
  if (chains.empty()) return nullptr;

  struct State {
    Value x, w;
    Affine affine;
  };
  std::vector<State> states(chains.size());
  return rebuild(program, [&](Program& out, int i, const Instr& instr, std::span<const Value> in) -> Values {
    const int which = chain_of[at(i)];
    if (which < 0) return out.emit(*instr.op, in, instr.attrs);
    const Chain& c = chains[at(which)];
    State& s = states[at(which)];
    if (i == c.product) {
      s.x = in[0], s.w = in[1];
      return {};
    }
    const std::int64_t channels = program.spec(instr.results[0]).dim(-1);
    const Value operand = in[0] ? in[0] : in[1];  // the chain's own value is not there yet
    const Value flat = operand.rank() > 0 && operand.dim(-1) == channels
                           ? ops::reshape(operand, {channels})
                           : ops::broadcast_to(ops::reshape(operand, {1}), {channels});
    s.affine.follow(instr, flat);
    if (i != c.members.back()) return {};
    const Instr& product = program.instr(c.product);
    const bool columns_first = product.op == &ops::matmul_op && product.attrs.as<ops::MatmulAttrs>().transpose_b;
    const Value factor = columns_first ? ops::reshape(s.affine.factor, {channels, 1}) : s.affine.factor;
    const Values operands{s.x, s.w * factor};
    const Value y = out.emit(*product.op, operands, product.attrs)[0];
    return {s.affine.shift ? y + s.affine.shift : y};
  });
}

}  // namespace ramet::passes
