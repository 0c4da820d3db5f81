// Attention beside the ops it stands for, on sizes that take several blocks of queries and panels of keys.
#include <doctest/doctest.h>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/exec/executable.h"
#include "ramet/ir/gradients.h"
#include "ramet/ops/ops.h"
#include "tests/support/op_samples.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

struct Case {
  std::int64_t batch, queries, keys, heads, size, value_size;
  bool causal, masked;
};

constexpr double kScale = 0.25;

// softmax(scale q·kᵀ, hidden where masked)·v, written out.
Value written_out(Value q, Value k, Value v, Value mask, bool causal) {
  const auto heads_first = [](Value x) { return ops::transpose(x, {0, 2, 1, 3}); };
  Value scores = ops::matmul(heads_first(q * kScale), heads_first(k), {.transpose_b = true});
  Program& p = q.program();
  const Shape plane{1, 1, q.dim(1), k.dim(1)};
  if (causal) {
    const Value below = ops::greater_equal(ops::iota(p, plane, 2), ops::iota(p, plane, 3));
    mask = mask ? ops::logical_and(mask, below) : below;
  }
  if (mask) scores = ops::select(mask, scores, ops::scalar_like(scores, -1e9));
  return heads_first(ops::matmul(ops::softmax(scores), heads_first(v)));
}

// The result and the gradients of q, k, v for a given gradient of the result.
Arrays run(const Case& c, const Arrays& inputs, bool one_op) {
  auto p = std::make_unique<Program>();
  const Value q = p->input("q", {inputs[0].shape()}), k = p->input("k", {inputs[1].shape()}),
              v = p->input("v", {inputs[2].shape()}), dy = p->input("dy", {inputs[3].shape()});
  const Value mask = c.masked ? p->input("mask", {inputs[4].shape(), DType::boolean}) : Value();
  const Value y = one_op ? ops::attention(q, k, v, mask, kScale, c.causal) : written_out(q, k, v, mask, c.causal);
  p->output("y", y);
  for (const Value& d : gradients(Values{y}, Values{dy}, Values{q, k, v})) p->output("d", d);
  return one_op ? Executable::compile(std::move(p))->run(inputs) : evaluate_plainly(*p, inputs);
}

}  // namespace

// Sums of at most 130 products below 4 in float: 130·4·2^-23 ≈ 6e-5, and a few of them follow each other.
TEST_CASE("attention: the values and gradients of what it stands for, on every CPU target") {
  const cpu::CpuTarget before = cpu::cpu_target();
  for (const cpu::CpuTarget target : cpu::available_targets()) {
    cpu::set_cpu_target(target);
    Random random(3);
    for (const Case& c : {Case{2, 70, 130, 3, 20, 33, false, false}, Case{1, 129, 129, 2, 64, 64, true, false},
                          Case{2, 40, 50, 2, 8, 8, true, true}, Case{2, 33, 65, 1, 5, 4, false, true},
                          Case{1, 100, 20, 2, 16, 1, true, false}, Case{1, 1, 90, 2, 16, 16, false, true}}) {
      Arrays in{random.array({{c.batch, c.queries, c.heads, c.size}}),
                random.array({{c.batch, c.keys, c.heads, c.size}}),
                random.array({{c.batch, c.keys, c.heads, c.value_size}}),
                random.array({{c.batch, c.queries, c.heads, c.value_size}})};
      if (c.masked) {
        in.push_back(random.array({{c.batch, 1, c.queries, c.keys}, DType::boolean}));
        for (std::int64_t j = 0; j < c.keys; ++j)
          in[4].data<bool>()[static_cast<std::size_t>(j)] = false;  // sees nothing
      }
      const Arrays got = run(c, in, true), want = run(c, in, false);
      CAPTURE(c.queries);
      CAPTURE(c.keys);
      for (std::size_t k = 0; k < want.size(); ++k) {
        const auto a = got[k].to_doubles(), b = want[k].to_doubles();
        double worst = 0;
        for (std::size_t i = 0; i < b.size(); ++i)
          worst = std::max(worst, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
        CAPTURE(k);
        CHECK(worst < 2e-4);
      }
    }
  }
  cpu::set_cpu_target(before);
}

TEST_CASE("attention: no matrix of all scores in memory, forwards or back") {
  constexpr std::int64_t kSteps = 4096;
  auto p = std::make_unique<Program>();
  const Spec spec{{1, kSteps, 2, 16}};
  const Value q = p->input("q", spec), k = p->input("k", spec), v = p->input("v", spec), dy = p->input("dy", spec);
  const Value y = ops::attention(q, k, v, {}, 1, true);
  p->output("y", y);
  for (const Value& d : gradients(Values{y}, Values{dy}, Values{q, k, v})) p->output("d", d);
  const auto executable = Executable::compile(std::move(p));
  CHECK(executable->plan().arena_bytes(0) < static_cast<std::size_t>(kSteps * kSteps) * sizeof(float) / 8);
}

TEST_CASE("attention and cross-entropy of labels: a second derivative is refused by name") {
  Program p;
  const Value q = p.input("q", {{1, 2, 1, 3}}), y = ops::attention(q, q, q, {}, 1, false);
  const Value dq = gradients(Values{y}, Values{y}, Values{q})[0];
  CHECK_THROWS_WITH_AS(gradients(Values{dq}, Values{dq}, Values{q}),
                       "attention has first derivatives only; a second one was asked for", UsageError);
  const Value x = p.input("x", {{2, 3}}), index = p.input("index", {{2}, DType::i32}),
              loss = ops::log_softmax_at(x, index), dx = gradients(Values{loss}, Values{loss}, Values{x})[0];
  CHECK_THROWS_WITH_AS(gradients(Values{dx}, Values{dx}, Values{x}),
                       "cross-entropy of labels has first derivatives only; a second one was asked for", UsageError);
}
