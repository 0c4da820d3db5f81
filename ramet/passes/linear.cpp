// Matrix products and convolutions take the bias, the sum with another value and the activation that follow them into
// their own instruction. Products by fixed weights that are stored in bfloat16 read them as they are.
#include "ramet/ops/matmul/linear.h"

#include <optional>

#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/passes/passes.h"
#include "ramet/passes/splat.h"
#include "ramet/passes/users.h"

namespace ramet::passes {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A product and the instructions that are taken into it.
struct Chain {
  int product = -1;
  std::vector<int> members;      // in order; the product is the first
  int bias = -1, residual = -1;  // values
  std::string activation = "linear";
  bool brain_weights = false;  // the second factor is what is widened to it
};

class Finder {
 public:
  Finder(const Program& p, bool frozen_state)
      : p_(p),
        users_(p),
        taken_(p.instrs().size(), false),
        fixed_(frozen_state ? fixed_values(p) : std::vector<bool>(at(p.value_count()), false)) {}

  std::optional<Chain> chain(int product) {
    const Instr& instr = p_.instr(product);
    const Spec& out = p_.spec(instr.results[0]);
    if (out.dtype != DType::f32 || (instr.op == &ops::matmul_op && out.rank() != 2)) return {};
    Chain c;
    c.product = product;
    c.members = {product};
    int value = instr.results[0];
    const auto take = [&](int member) {
      c.members.push_back(member);
      value = p_.instr(member).results[0];
    };
    if (const int add = added(value, out); add >= 0) {
      const int other = other_input(add, value);
      const Spec& bias = p_.spec(other);
      if (bias.rank() == 1 && bias.dim(0) == out.dim(-1) && p_.producer(other) < product) c.bias = other, take(add);
    }
    if (const int add = added(value, out); add >= 0) {
      const int other = other_input(add, value);
      if (p_.spec(other) == out) c.residual = other, take(add);
    }
    take_activation(c, value, take);
    c.brain_weights = instr.op == &ops::matmul_op && is_brain(instr.inputs[1]);
    if (c.members.size() == 1 && !c.brain_weights) return {};
    for (const int m : c.members) taken_[at(m)] = true;
    return c;
  }

 private:
  int next(int value) const {
    const int user = users_.only(value);
    return user >= 0 && !taken_[at(user)] ? user : -1;
  }
  int other_input(int instr, int value) const {
    const auto& in = p_.instr(instr).inputs;
    return in[0] == value ? in[1] : in[0];
  }
  int added(int value, const Spec& out) const {
    const int user = next(value);
    return user >= 0 && p_.instr(user).op == &ops::add_op && p_.spec(p_.instr(user).results[0]) == out ? user : -1;
  }

  template <class Take>
  void take_activation(Chain& c, const int& value, const Take& take) {
    const int user = next(value);
    if (user < 0) return;
    const OpDef* op = p_.instr(user).op;
    if (op != &ops::relu_op && op != &ops::sigmoid_op && op != &ops::tanh_op && op != &ops::gelu_op) return;
    c.activation = op->name;
    take(user);
    const int cap = op == &ops::relu_op ? next(value) : -1;
    if (cap >= 0 && p_.instr(cap).op == &ops::minimum_op && is_six(other_input(cap, value)))
      c.activation = "relu6", take(cap);
  }
  bool is_brain(int weights) const {
    const int producer = p_.producer(weights);
    return producer >= 0 && fixed_[at(weights)] && p_.instr(producer).op == &ops::cast_op &&
           p_.spec(p_.instr(producer).inputs[0]).dtype == DType::bf16 && p_.spec(weights).rank() == 2;
  }
  bool is_six(int value) const {
    const std::optional<double> number = splat(p_, value);
    return number && *number == 6;
  }

  const Program& p_;
  Users users_;
  std::vector<bool> taken_, fixed_;
};

}  // namespace

std::unique_ptr<Program> linear(const Program& program, const PassOptions& options) {
  Finder finder(program, options.frozen_state);
  std::vector<int> chain_of(program.instrs().size(), -1);
  std::vector<Chain> chains;
  // From the back: of two products that are added, the one computed last takes the sum in.
  for (int i = static_cast<int>(program.instrs().size()) - 1; i >= 0; --i) {
    const OpDef* op = program.instr(i).op;
    if (op != &ops::matmul_op && op != &ops::conv_op) continue;
    if (auto c = finder.chain(i)) {
      for (const int m : c->members) chain_of[at(m)] = static_cast<int>(chains.size());
      chains.push_back(std::move(*c));
    }
  }
  if (chains.empty()) return nullptr;

  struct Operands {
    Value x, w, bias, residual;
  };
  std::vector<Operands> operands(chains.size());
  return rebuild(program, [&](Program& out, int i, const Instr& instr, std::span<const Value> in) -> Values {
    const int which = chain_of[at(i)];
    if (which < 0) return out.emit(*instr.op, in, instr.attrs);
    const Chain& c = chains[at(which)];
    Operands& o = operands[at(which)];
    if (i == c.product) {
      o.x = in[0];
      o.w = c.brain_weights ? out.value(out.instr(out.producer(in[1].id)).inputs[0]) : in[1];
    }
    for (std::size_t k = 0; k < in.size() && i != c.product; ++k) {
      if (instr.inputs[k] == c.bias) o.bias = in[k];
      if (instr.inputs[k] == c.residual) o.residual = in[k];
    }
    if (i != c.members.back()) return {};
    Values inputs{o.x, o.w};
    if (o.bias) inputs.push_back(o.bias);
    if (o.residual) inputs.push_back(o.residual);
    const Instr& product = program.instr(c.product);
    const bool bias = c.bias >= 0, residual = c.residual >= 0;
    if (product.op == &ops::matmul_op) {
      const auto& a = product.attrs.as<ops::MatmulAttrs>();
      return out.emit(ops::linear_op, inputs,
                      Attrs::make(ops::LinearAttrs{a.transpose_a, a.transpose_b, bias, residual, c.activation}));
    }
    const auto& a = product.attrs.as<ops::ConvAttrs>();
    return out.emit(ops::conv_linear_op, inputs,
                    Attrs::make(ops::ConvLinearAttrs{a.strides, a.dilation, a.pad_before, a.pad_after, a.groups, bias,
                                                     residual, c.activation}));
  });
}

}  // namespace ramet::passes
