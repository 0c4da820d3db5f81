// Work behind the gradient of max pooling moves in front of it, where there are fewer elements: every dy goes to one
// cell of its window, the largest one.
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/pool/pool.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/passes/passes.h"
#include "ramet/passes/splat.h"
#include "ramet/passes/users.h"

namespace ramet::passes {
namespace {

class Mover {
 public:
  explicit Mover(const Program& p) : p_(p), users_(p) {}

  // The max_pool_grad that made the value, or null.
  const Instr* pool_gradient(int value, const Device& device) const {
    const int producer = p_.producer(value);
    if (producer < 0 || p_.instr(producer).op != &ops::max_pool_grad_op) return nullptr;
    return p_.instr(producer).device == device ? &p_.instr(producer) : nullptr;
  }

  // y > 0 ? max_pool_grad(y, dy) : 0, the gradient of a relu before a pooling. The cell that gets dy holds the largest
  // element of its window, so this is max_pool_grad(y, max_pool(y) > 0 ? dy : 0).
  const Instr* masked(const Instr& instr) const {
    if (instr.op != &ops::select_op || !is_zero(instr.inputs[2])) return nullptr;
    const Instr* pool = users_.only(instr.inputs[1]) >= 0 ? pool_gradient(instr.inputs[1], instr.device) : nullptr;
    const int test = p_.producer(instr.inputs[0]);
    if (!pool || test < 0 || p_.instr(test).op != &ops::greater_op) return nullptr;
    const auto& compared = p_.instr(test).inputs;
    return compared[0] == pool->inputs[0] && is_zero(compared[1]) ? pool : nullptr;
  }

  // The sum of max_pool_grad over everything but the channels is that of dy.
  const Instr* summed(const Instr& instr) const {
    if (instr.op != &ops::reduce_sum_op) return nullptr;
    const Instr* pool = pool_gradient(instr.inputs[0], instr.device);
    const std::size_t axes = instr.attrs.as<ops::ReduceAttrs>().axes.size();
    return pool && axes + 1 == p_.spec(instr.inputs[0]).rank() &&
                   instr.attrs.as<ops::ReduceAttrs>().axes.back() + 1 == static_cast<std::int64_t>(axes)
               ? pool
               : nullptr;
  }

 private:
  bool is_zero(int value) const {
    const std::optional<double> number = splat(p_, value);
    return number && *number == 0;
  }
  const Program& p_;
  Users users_;
};

// Both rewrites may follow each other: the mask first, then the sum of what it gives.
std::unique_ptr<Program> move_once(const Program& program) {
  const Mover mover(program);
  std::vector<Value> map(static_cast<std::size_t>(program.value_count()));
  bool changed = false;
  const auto mapped = [&](int value) { return map[static_cast<std::size_t>(value)]; };
  auto result = rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) -> Values {
    for (std::size_t i = 0; i < in.size(); ++i) map[static_cast<std::size_t>(instr.inputs[i])] = in[i];
    if (const Instr* pool = mover.masked(instr)) {
      changed = true;
      const auto& attrs = pool->attrs.as<ops::PoolAttrs>();
      const Value y = mapped(pool->inputs[0]), dy = mapped(pool->inputs[1]);
      const Value pooled = ops::max_pool(y, attrs);
      return {ops::max_pool_grad(
          y, ops::select(ops::greater(pooled, ops::scalar_like(pooled, 0)), dy, ops::scalar_like(dy, 0)), attrs)};
    }
    if (const Instr* pool = mover.summed(instr)) {
      changed = true;
      return {ops::reduce_sum(mapped(pool->inputs[1]), instr.attrs.as<ops::ReduceAttrs>().axes)};
    }
    return out.emit(*instr.op, in, instr.attrs);
  });
  return changed ? std::move(result) : nullptr;
}

}  // namespace

std::unique_ptr<Program> pools(const Program& program, const PassOptions&) {
  std::unique_ptr<Program> result;
  while (auto next = move_once(result ? *result : program)) result = std::move(next);
  return result;
}

}  // namespace ramet::passes
