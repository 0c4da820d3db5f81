#include "ramet/train/inspect.h"

#include <algorithm>
#include <chrono>

#include "ramet/ir/text.h"
#include "ramet/ops/cost.h"
#include "ramet/train/runner.h"

namespace ramet {

using namespace train;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The model's step for data like this, with a plan of its own.
struct Made {
  DataSet data;
  StepPlanRef plan;
  std::string traced;
  double seconds = 0;
};

Made make(const Model& model, const Feed& x, const Feed& y, const char* who, bool with_text) {
  ModelLayer& layer = model.layer();
  const auto training = Training::of(layer);
  const Gate::Read reading(training->gate);
  const bool trains = !y.arrays().empty();
  require(!trains || training->compiled, "You must call compile() before calling ", who, "() with targets");
  const Feed none;
  Made made;
  made.data = match_data(layer, {x, y, none, who}, trains ? &training->compiled->options : nullptr);
  const Batches batches(made.data, made.data.count);
  const BatchSignature signature = batches.signature(0, trains ? StepKind::train : StepKind::predict);
  const double start = now();
  made.plan = training->fresh_plan(layer, signature, with_text ? &made.traced : nullptr);
  made.seconds = now() - start;
  return made;
}

std::string describe(const Program& program, const Plan::PlannedStep& step) {
  if (step.instr < 0) return "copy";
  const Instr& instr = program.instr(step.instr);
  std::string out = cat(instr.op->name, "(");
  for (std::size_t i = 0; i < instr.inputs.size(); ++i) out += cat(i ? ", " : "", program.spec(instr.inputs[i]));
  out += ") →";
  for (const int v : instr.results) out += cat(" ", program.spec(v));
  return out;
}

double bytes_of(const Program& program, const Instr& instr) {
  double sum = 0;
  const auto add = [&](int v) {
    sum +=
        static_cast<double>(element_count(program.spec(v).shape)) * static_cast<double>(size_of(program.spec(v).dtype));
  };
  for (const int v : instr.inputs) add(v);
  for (const int v : instr.results) add(v);
  return sum;
}

}  // namespace

StepView inspect(const Model& model, const Feed& x, const Feed& y) {
  const Made made = make(model, x, y, "inspect", true);
  const Plan& plan = made.plan->executable->plan();
  StepView view;
  view.program = made.traced;
  view.optimized = to_text(plan.program());
  view.plan = plan.to_string();
  for (std::size_t d = 0; d < plan.devices().size(); ++d) view.arena_bytes += plan.arena_bytes(d);
  view.live_bytes = plan.live_maximum();
  view.prepared_bytes = plan.prepared_bytes();
  view.seconds = made.seconds;
  view.slices = made.plan->slices;
  return view;
}

StepProfile profile(const Model& model, const Feed& x, const Feed& y, int rounds) {
  require(rounds > 0, "profile: `rounds` must be positive; got ", rounds);
  const Made made = make(model, x, y, "profile", false);
  const StepPlan& step = *made.plan;
  const Executable& executable = *step.executable;
  const Program& program = executable.program();
  Batches batches(made.data, made.data.count);
  std::vector<float> metrics(step.metric_variables, 0.0f), results(step.log_names.size());
  std::vector<void*> external;
  bind_inputs(step, batches.load(0), metrics.data(), external);
  Arrays copies;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i].source != StepPlan::Source::variable) continue;
    copies.push_back(step.inputs[i].variable->storage().copy());
    external[i] = copies.back().raw();
  }
  Arrays outputs;
  const auto slices = static_cast<double>(step.slices);
  for (const auto& output : program.outputs()) {
    Shape shape = program.spec(output.value).shape;
    if (step.slices > 1) shape[0] *= step.slices;
    outputs.emplace_back(shape, program.spec(output.value).dtype);
    external.push_back(outputs.back().raw());
  }

  StepProfile out;
  out.seconds = 1e30;
  for (int r = 0; r <= rounds; ++r) {  // the first one prepares and warms up
    const double start = now();
    std::vector<void*> moving = external;
    step.run(moving, 0);
    if (r) out.seconds = std::min(out.seconds, now() - start);
  }
  const auto& steps = executable.plan().steps();
  for (const auto& s : steps) {
    StepTime t{describe(program, s), std::string(s.step.kernel), 1e30, 0, 0};
    if (s.instr >= 0)
      t.flops = slices * ops::flops(program, program.instr(s.instr)),
      t.bytes = slices * bytes_of(program, program.instr(s.instr));
    out.steps.push_back(std::move(t));
  }
  std::vector<double> seconds(steps.size());
  for (int r = 0; r < rounds; ++r) {
    executable.time_steps(external.data(), seconds.data());
    for (std::size_t i = 0; i < seconds.size(); ++i)
      out.steps[i].seconds = std::min(out.steps[i].seconds, slices * seconds[i]);
  }
  return out;
}

}  // namespace ramet
