// Matrix products and convolutions take the bias and the activation that follow them into their own instruction.
#include "ramet/ops/matmul/linear.h"

#include <optional>

#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/passes/passes.h"

namespace ramet::passes {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A product and the instructions that are taken into it.
struct Chain {
  int product = -1, add = -1, activation = -1;
  int bias = -1;  // value
  int last() const { return activation >= 0 ? activation : add >= 0 ? add : product; }
};

class Finder {
 public:
  explicit Finder(const Program& p) : p_(p), users_(at(p.value_count())), extra_(at(p.value_count()), 0) {
    for (int i = 0; i < static_cast<int>(p.instrs().size()); ++i)
      for (const int v : p.instr(i).inputs) users_[at(v)].push_back(i);
    for (const auto& output : p.outputs()) ++extra_[at(output.value)];
    for (const auto& input : p.inputs())
      if (input.update >= 0) ++extra_[at(input.update)];
  }

  std::optional<Chain> chain(int product) const {
    const Instr& instr = p_.instr(product);
    const Spec& out = p_.spec(instr.results[0]);
    if (out.dtype != DType::f32 || (instr.op == &ops::matmul_op && out.rank() != 2)) return {};
    Chain c{product, -1, -1, -1};
    int value = instr.results[0];
    if (const int user = only_user(value);
        user >= 0 && p_.instr(user).op == &ops::add_op && p_.spec(p_.instr(user).results[0]) == out) {
      const auto& in = p_.instr(user).inputs;
      const int other = in[0] == value ? in[1] : in[0];
      const Spec& bias = p_.spec(other);
      if (other != value && bias.rank() == 1 && bias.dim(0) == out.dim(-1) && p_.producer(other) < product) {
        c.add = user;
        c.bias = other;
        value = p_.instr(user).results[0];
      }
    }
    if (const int user = only_user(value); user >= 0) {
      const OpDef* op = p_.instr(user).op;
      if (op == &ops::relu_op || op == &ops::sigmoid_op || op == &ops::tanh_op) c.activation = user;
    }
    if (c.last() == product) return {};
    return c;
  }

 private:
  int only_user(int value) const {
    return users_[at(value)].size() == 1 && extra_[at(value)] == 0 &&
                   p_.instr(users_[at(value)][0]).device == p_.instr(p_.producer(value)).device
               ? users_[at(value)][0]
               : -1;
  }
  const Program& p_;
  std::vector<std::vector<int>> users_;
  std::vector<int> extra_;
};

}  // namespace

std::unique_ptr<Program> linear(const Program& program, const PassOptions&) {
  const Finder finder(program);
  std::vector<int> member_of(program.instrs().size(), -1);
  std::vector<Chain> chains;
  for (int i = 0; i < static_cast<int>(program.instrs().size()); ++i) {
    const OpDef* op = program.instr(i).op;
    if (op != &ops::matmul_op && op != &ops::conv_op) continue;
    if (const auto c = finder.chain(i)) {
      for (const int m : {c->product, c->add, c->activation})
        if (m >= 0) member_of[at(m)] = static_cast<int>(chains.size());
      chains.push_back(*c);
    }
  }
  if (chains.empty()) return nullptr;

  struct Operands {
    Value x, w, bias;
  };
  std::vector<Operands> operands(chains.size());
  return rebuild(program, [&](Program& out, int i, const Instr& instr, std::span<const Value> in) -> Values {
    const int which = member_of[at(i)];
    if (which < 0) return out.emit(*instr.op, in, instr.attrs);
    const Chain& c = chains[at(which)];
    Operands& o = operands[at(which)];
    if (i == c.product) o.x = in[0], o.w = in[1];
    if (i == c.add) o.bias = in[instr.inputs[0] == c.bias ? 0 : 1];
    if (i != c.last()) return {};
    const std::string activation = c.activation >= 0 ? std::string(program.instr(c.activation).op->name) : "linear";
    Values inputs{o.x, o.w};
    if (c.bias >= 0) inputs.push_back(o.bias);
    const Instr& product = program.instr(c.product);
    if (product.op == &ops::matmul_op) {
      const auto& a = product.attrs.as<ops::MatmulAttrs>();
      return out.emit(ops::linear_op, inputs,
                      Attrs::make(ops::LinearAttrs{a.transpose_a, a.transpose_b, c.bias >= 0, activation}));
    }
    const auto& a = product.attrs.as<ops::ConvAttrs>();
    return out.emit(ops::conv_linear_op, inputs,
                    Attrs::make(ops::ConvLinearAttrs{a.strides, a.dilation, a.pad_before, a.pad_after, a.groups,
                                                     c.bias >= 0, activation}));
  });
}

}  // namespace ramet::passes
