// Random programs give the same, computed plainly and with everything that makes them fast.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "ramet/ir/gradients.h"
#include "ramet/ir/text.h"
#include "ramet/ir/verify.h"
#include "ramet/passes/pass_manager.h"
#include "tests/support/random_program.h"
#include "tests/support/rounding.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

std::unique_ptr<Program> copy_of(const Program& p) {
  return rebuild(p, [](Program& out, int, const Instr& instr, std::span<const Value> in) {
    return out.emit(*instr.op, in, instr.attrs);
  });
}

Arrays copies(const Arrays& arrays) {
  Arrays out;
  for (const Array& a : arrays) out.push_back(a.copy());
  return out;
}

// Outputs, then the state as it is after the run.
Arrays results_of(const Program& p, Arrays outputs, const Arrays& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (p.inputs()[i].update >= 0) outputs.push_back(inputs[i]);
  return outputs;
}

// The first place where two results differ by more than both may lie from the truth; empty when there is none.
std::string difference(const Arrays& got, const Arrays& expected, const std::vector<double>& bounds) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i].shape() != expected[i].shape() || got[i].dtype() != expected[i].dtype())
      return cat("result ", i, " is ", got[i].dtype(), to_string(got[i].shape()));
    const auto a = got[i].to_doubles(), b = expected[i].to_doubles();
    const double bound = is_floating(got[i].dtype()) ? 2 * bounds[i] : 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k])) || std::abs(a[k] - b[k]) <= bound))
        return cat("result ", i, " element ", k, " is ", a[k], ", plainly ", b[k], "; they may differ by ", bound);
  }
  return {};
}

// RAMET_TEST_SEED=n looks at other programs than the usual ones.
unsigned first_seed() {
  const char* given = std::getenv("RAMET_TEST_SEED");
  return given ? static_cast<unsigned>(std::atol(given)) : 0;
}

class SkipPasses {
 public:
  explicit SkipPasses(std::string_view names) { setenv("RAMET_SKIP_PASSES", std::string(names).c_str(), 1); }
  ~SkipPasses() { unsetenv("RAMET_SKIP_PASSES"); }
};

struct Case {
  const Program& program;
  const Arrays& inputs;
  Arrays plain;
  std::vector<double> bounds;

  Case(const Program& p, const Arrays& in) : program(p), inputs(in) {
    const Arrays values = all_values(p, in);
    const std::vector<double> all = rounding_bounds(p, values);
    const auto add = [&](int value) {
      plain.push_back(values[static_cast<std::size_t>(value)]);
      bounds.push_back(all[static_cast<std::size_t>(value)]);
    };
    for (const auto& output : p.outputs()) add(output.value);
    for (const auto& input : p.inputs())
      if (input.update >= 0) add(input.update);
  }
  // Runs it with what is set; twice, since the second run finds the memory of the first.
  std::string run(PlanOptions options = {}) const {
    const auto executable = Executable::compile(copy_of(program), cpu_backend(), options);
    for (int round = 0; round < 2; ++round) {
      Arrays entering = copies(inputs);
      const Arrays outputs = executable->run(entering);
      if (const std::string what = difference(results_of(program, outputs, entering), plain, bounds); !what.empty())
        return what + "\noptimized: " + to_text(executable->program()) + executable->plan().to_string();
    }
    return {};
  }
};

void check(const Case& c, unsigned seed, std::string_view how, PlanOptions options = {}) {
  INFO("seed ", seed, ", ", std::string(how), ":\n", c.program);
  std::string what;
  try {
    what = c.run(options);
  } catch (const std::exception& e) { what = e.what(); }
  if (!what.empty()) FAIL_CHECK(what);
}

void check_in_every_way(const Program& program, const Arrays& inputs, unsigned seed) {
  const Case c(program, inputs);
  Arrays entering = copies(inputs);
  const Arrays outputs = evaluate_plainly(program, entering);
  INFO("seed ", seed, ", plainly:\n", program);
  CHECK(difference(results_of(program, outputs, entering), c.plain, c.bounds) == "");
  check(c, seed, "optimized");
  if (seed % 4 == 0) check(c, seed, "with frozen state", {.frozen_state = true});
  if (seed % 8 == 1)
    for (const Pass& pass : all_passes()) {
      const SkipPasses skip(pass.name);
      check(c, seed, cat("without ", pass.name));
    }
  if (seed % 8 == 2) {
    const SkipPasses skip("place,fold,cse,dce,linear,cluster");
    check(c, seed, "without passes");
  }
}

// Adds inputs for the gradients of the outputs, and outputs for those of the inputs; whether there are any.
bool differentiate(Program& p) {
  Values ys, dys, xs;
  for (const auto& input : p.inputs())
    if (p.spec(input.value).dtype == DType::f32) xs.push_back(p.value(input.value));
  for (const auto& output : p.outputs())
    if (p.spec(output.value).dtype == DType::f32) ys.push_back(p.value(output.value));
  for (std::size_t i = 0; i < ys.size(); ++i) dys.push_back(p.input(cat("dy", i), ys[i].spec()));
  bool any = false;
  for (const Value& g : gradients(ys, dys, xs))
    if (g) p.output("gradient", g), any = true;
  verify(p, "differentiation");
  return any;
}

}  // namespace

TEST_CASE("random programs: 2000 of them give the same plainly and optimized, with any pass left out") {
  for (unsigned seed = first_seed(); seed < first_seed() + 2000; ++seed) {
    const RandomProgram random(seed, {});
    check_in_every_way(*random.program, random.inputs, seed);
  }
}

TEST_CASE("random programs: large shapes, which kernels split and block, give the same") {
  for (unsigned seed = first_seed(); seed < first_seed() + 400; ++seed) {
    const RandomProgram random(seed, {.states = seed % 2 == 0, .large = true});
    check_in_every_way(*random.program, random.inputs, seed);
  }
}

TEST_CASE("random programs: state leaves with what it leaves with plainly") {
  for (unsigned seed = first_seed(); seed < first_seed() + 1000; ++seed) {
    const RandomProgram random(seed, {.states = true});
    check_in_every_way(*random.program, random.inputs, seed);
  }
}

TEST_CASE("random programs: spread over two devices they give the same") {
  for (unsigned seed = first_seed(); seed < first_seed() + 300; ++seed) {
    const RandomProgram random(seed, {.devices = true, .states = seed % 2 == 0});
    check_in_every_way(*random.program, random.inputs, seed);
  }
}

TEST_CASE("random programs: their gradients are the same plainly and optimized") {
  int differentiated = 0;
  for (unsigned seed = first_seed(); seed < first_seed() + 1000; ++seed) {
    const RandomProgram random(seed, {.smooth = true});
    const std::size_t before = random.program->inputs().size();
    differentiated += differentiate(*random.program);
    Arrays inputs = random.inputs;
    Random values(seed);
    for (std::size_t i = before; i < random.program->inputs().size(); ++i)
      inputs.push_back(values.array(random.program->spec(random.program->inputs()[i].value)));
    check_in_every_way(*copy_of(*random.program), inputs, seed);
  }
  CHECK(differentiated > 700);
}

TEST_CASE("random programs: optimizing twice changes nothing more") {
  for (unsigned seed = first_seed(); seed < first_seed() + 300; ++seed) {
    const RandomProgram random(seed, {.states = seed % 2 == 0});
    const auto once = optimize(copy_of(*random.program));
    const Case c(*random.program, random.inputs);
    Arrays entering = copies(random.inputs);
    std::string what;
    try {
      const Arrays outputs = Executable::compile(copy_of(*once))->run(entering);
      what = difference(results_of(*random.program, outputs, entering), c.plain, c.bounds);
    } catch (const std::exception& e) { what = e.what(); }
    if (!what.empty()) FAIL_CHECK(cat("seed ", seed, ": ", what, "\n", to_text(*once)));
  }
}

TEST_CASE("random programs: together they hold every op") {
  std::set<std::string_view> missing;
  for (const OpDef* op : ops::all_ops()) missing.insert(op->name);
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const RandomProgram random(seed, {.smooth = true});
    differentiate(*random.program);
    for (const Instr& instr : random.program->instrs()) missing.erase(instr.op->name);
    const auto optimized = optimize(copy_of(*random.program));
    for (const Instr& instr : optimized->instrs()) missing.erase(instr.op->name);
  }
  std::string names;
  for (const auto name : missing) names += cat(name, " ");
  CHECK(names == "transfer ");  // which other devices need
}

TEST_CASE("random programs: every pass changes some of them") {
  std::set<std::string_view> idle;
  for (const Pass& pass : all_passes()) idle.insert(pass.name);
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const RandomProgram random(seed, {.smooth = seed % 2 == 0, .devices = seed % 3 == 0, .states = seed % 4 == 1});
    if (seed % 2 == 0) differentiate(*random.program);
    auto program = copy_of(*random.program);
    for (const Pass& pass : all_passes())
      if (auto changed = pass.run(*program, {.frozen_state = seed % 4 == 1, .skip = {}}))
        program = std::move(changed), idle.erase(pass.name);
  }
  std::string names;
  for (const auto name : idle) names += cat(name, " ");
  CHECK(names == "widen ");  // which brain floats need
}

TEST_CASE("random programs: their text reads back") {
  for (unsigned seed = first_seed(); seed < first_seed() + 300; ++seed) {
    const RandomProgram random(seed, {.devices = seed % 3 == 0, .states = seed % 2 == 0});
    const std::string text = to_text(*random.program);
    INFO("seed ", seed);
    CHECK(to_text(*parse_program(text, ops::find_op)) == text);
  }
}
