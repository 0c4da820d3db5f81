#include "ramet/layers/recurrent/loop.h"

#include "ramet/ops/reduce/reduce.h"

namespace ramet::layers {
namespace {

struct Used {
  VariableRefs read, updated;
  std::size_t losses = 0;
};

// Emits the step into a scratch program and looks at what it touched.
Used variables_of(const Trace& trace, const Values& carries, const Values& sequences, const Values& constants,
                  const LoopStep& step) {
  Program scratch;
  const auto enter = [&](const Values& values, std::ptrdiff_t skip) {
    Values out;
    for (const Value& v : values)
      out.push_back(scratch.input("v", {Shape(v.shape().begin() + skip, v.shape().end()), v.dtype()}));
    return out;
  };
  Trace probe(scratch, trace.training, trace.mask_semantics);
  probe.scope = trace.scope;
  step(probe, enter(carries, 0), enter(sequences, 1), enter(constants, 0));
  probe.finish();
  Used used;
  used.losses = probe.losses.size();
  std::size_t at = 0;
  for (const auto& input : scratch.inputs())
    if (input.kind == InputKind::state)
      (input.update >= 0 ? used.updated : used.read).push_back(probe.variables()[at++]);
  return used;
}

}  // namespace

ops::ScanResult loop(Trace& trace, const Values& carries, const Values& sequences, const Values& constants,
                     std::int64_t length, bool reverse, const LoopStep& step) {
  const Used used = variables_of(trace, carries, sequences, constants, step);
  const auto front = [](const Values& values, std::size_t n) {
    return Values(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
  };

  Values all_carries = carries, all_constants = constants;
  for (const auto& v : used.updated) all_carries.push_back(trace.value_of(v));
  for (const auto& v : used.read) all_constants.push_back(trace.value_of(v));
  const ops::ScanStep body = [&](Program& program, const Values& c, const Values& x, const Values& k) {
    Trace inside(program, trace.training, trace.mask_semantics);
    inside.scope = trace.scope;
    for (std::size_t i = 0; i < used.updated.size(); ++i) inside.bind(used.updated[i], c[carries.size() + i]);
    for (std::size_t i = 0; i < used.read.size(); ++i) inside.bind(used.read[i], k[constants.size() + i]);
    ops::ScanResult result = step(inside, front(c, carries.size()), x, front(k, constants.size()));
    for (const auto& v : used.updated) result.carries.push_back(inside.value_of(v));
    require(inside.variables().empty() && inside.losses.size() == used.losses,
            "a step of a loop used other variables the second time");
    result.outputs.insert(result.outputs.end(), inside.losses.begin(), inside.losses.end());
    return result;
  };
  ops::ScanResult result = ops::scan(all_carries, sequences, all_constants, length, reverse, body);

  for (std::size_t i = 0; i < used.updated.size(); ++i)
    trace.update(used.updated[i], result.carries[carries.size() + i]);
  const std::size_t outputs = result.outputs.size() - used.losses;
  for (std::size_t i = outputs; i < result.outputs.size(); ++i)
    trace.losses.push_back(ops::reduce_sum(result.outputs[i], {0}));
  result.carries.resize(carries.size());
  result.outputs.resize(outputs);
  return result;
}

}  // namespace ramet::layers
