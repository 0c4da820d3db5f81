#include "ramet/ops/attention/attention.h"

namespace ramet::ops {
namespace {

void check_mask(std::string_view op, const AttentionSizes& s, const Spec& mask) {
  const std::int64_t full[] = {s.batch, s.heads, s.queries, s.keys};
  bool fits = mask.rank() == 4 && mask.dtype == DType::boolean && mask.shape[3] == s.keys;
  for (std::size_t i = 0; fits && i < 3; ++i) fits = mask.shape[i] == full[i] || mask.shape[i] == 1;
  require(fits, op, ": the mask is ", mask);
}

Spec statistics(const AttentionSizes& s, DType dtype) { return {{s.batch, s.heads, s.queries, 2}, dtype}; }
Spec result(const AttentionSizes& s, DType dtype) { return {{s.batch, s.queries, s.heads, s.value_size}, dtype}; }

std::vector<Spec> infer(const AttentionAttrs& a, std::span<const Spec> in) {
  require(in.size() == (a.masked ? 4 : 3), "attention: takes q, k, v and a mask; got ", in.size(), " inputs");
  const AttentionSizes s = attention_sizes("attention", in[0], in[1], in[2]);
  if (a.masked) check_mask("attention", s, in[3]);
  return {result(s, in[0].dtype), statistics(s, in[0].dtype)};
}

std::vector<Spec> infer_grad(const AttentionAttrs& a, std::span<const Spec> in) {
  require(in.size() == (a.masked ? 6 : 5), "attention_grad: got ", in.size(), " inputs");
  const AttentionSizes s = attention_sizes("attention_grad", in[0], in[1], in[2]);
  require(in[3] == statistics(s, in[0].dtype) && in[4] == result(s, in[0].dtype), "attention_grad: got ", in[3],
          " and ", in[4]);
  if (a.masked) check_mask("attention_grad", s, in[5]);
  return {in[0], in[1], in[2]};
}

Values vjp(const Vjp& v) {
  require(!v.d_out[1], "attention: only its result has a gradient; what it keeps for its own gradient has none");
  Values in{v.in[0], v.in[1], v.in[2], v.out[1], v.dy()};
  if (v.as<AttentionAttrs>().masked) in.push_back(v.in[3]);
  Values out = v.in[0].program().emit(attention_grad_op, in, v.attrs);
  out.resize(v.in.size());
  return out;
}

Values no_second_derivative(const Vjp&) {
  throw UsageError("attention has first derivatives only; a second one was asked for");
}

}  // namespace

AttentionSizes attention_sizes(std::string_view op, const Spec& q, const Spec& k, const Spec& v) {
  require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, op, ": needs four axes; got ", q, ", ", k, " and ", v);
  const AttentionSizes s{q.shape[0], q.shape[1], k.shape[1], q.shape[2], q.shape[3], v.shape[3]};
  require(is_floating(q.dtype) && k == Spec{{s.batch, s.keys, s.heads, s.size}, q.dtype} &&
              v == Spec{{s.batch, s.keys, s.heads, s.value_size}, q.dtype},
          op, ": ", q, ", ", k, " and ", v, " do not fit");
  return s;
}

const OpDef attention_op = define_op<AttentionAttrs>({.name = "attention", .infer = infer, .vjp = vjp});
const OpDef attention_grad_op =
    define_op<AttentionAttrs>({.name = "attention_grad", .infer = infer_grad, .vjp = no_second_derivative});

Value attention(Value q, Value k, Value v, Value mask, double scale, bool causal) {
  Values in{q, k, v};
  if (mask) in.push_back(mask);
  return q.program().emit(attention_op, in, Attrs::make(AttentionAttrs{scale, causal, static_cast<bool>(mask)}))[0];
}

}  // namespace ramet::ops
