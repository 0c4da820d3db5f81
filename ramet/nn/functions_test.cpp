// Losses, metrics, schedules, optimizers, constraints, regularizers and activations against real Keras
// (tests/data/functions).
//
// Tolerances: a result is a short chain of float32 operations, each off by at most a unit in the last place (1.2e-7),
// over at most 60 elements. Errors are measured against the largest magnitude that went into an array (`scale`),
// because sums cancel.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "ramet/exec/executable.h"
#include "ramet/ir/gradients.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/losses.h"
#include "ramet/nn/metrics.h"
#include "ramet/nn/optimizers.h"
#include "ramet/nn/regularizers.h"
#include "ramet/ops/ops.h"
#include "tests/support/recording.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const Recording& functions() {
  static const Recording recording("functions");
  return recording;
}

// Largest error against `want`, in units of tolerance · (1 + |want|). NaN and infinity must be in the same places.
double badness(const Array& got, const Array& want, double tolerance) {
  if (got.shape() != want.shape()) return INFINITY;
  const auto a = got.to_doubles(), b = want.to_doubles();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i]) && std::isnan(a[i])) continue;
    if (a[i] == b[i]) continue;
    const double e = std::abs(a[i] - b[i]) / (tolerance * (1 + std::abs(b[i])));
    worst = std::isnan(e) ? INFINITY : std::max(worst, e);
  }
  return worst;
}

struct Tally {
  int passed = 0;
  double worst = 0;
  std::map<std::string, int> failed;
  void add(const std::string& what, double bad) {
    if (bad <= 1)
      ++passed, worst = std::max(worst, bad);
    else if (failed[what]++ < 3)
      MESSAGE(what << ": error is " << bad << " times what is allowed");
  }
  void report(const char* kind) const {
    int bad = 0;
    for (const auto& [what, n] : failed) bad += n;
    MESSAGE(std::string(kind) << ": " << passed << " passed, " << bad << " failed; the worst used " << worst
                              << " of the tolerance");
    CHECK(bad == 0);
    CHECK(passed > 0);
  }
};

std::string describe(const Json& c) {
  return c.as_object().contains("config")
             ? cat(c.at("config").at("class_name").as_string(), " ", c.at("config").at("config").dump())
             : c.at("name").as_string();
}
const std::vector<const Backend*> kBackends = {&cpu_backend(), &reference_backend()};

// Runs `emit` on the arrays; its values are the outputs.
template <class Emit>
Arrays run(const Backend& backend, const Arrays& in, Emit&& emit) {
  auto program = std::make_unique<Program>();
  Values x;
  for (const Array& a : in) x.push_back(program->input("x", {a.shape(), a.dtype()}));
  for (const Value y : emit(*program, x)) program->output("y", y);
  return Executable::compile(std::move(program), backend)->run(in);
}

Value gradient(Value y, Value x) {
  const Value one = ops::full(y.program(), y.shape(), 1, y.dtype());
  const Value g = gradients(std::vector<Value>{y}, std::vector<Value>{one}, std::vector<Value>{x})[0];
  return g ? g : ops::zeros(y.program(), x.shape(), x.dtype());
}

// An array, or a number written in place.
Array array_of(const Json& json) {
  return json.is_number() ? Array::scalar(json.as_double()) : functions().array(json);
}

template <class Object>
Object made(const Json& json) {
  Object out;
  decode(json, out);
  return out;
}

}  // namespace

TEST_CASE("recorded activations and their derivatives") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    if (c.at("kind").as_string() != "activation") continue;
    if (c.at("name").as_string() == "sparsemax")
      continue;  // recorded rows do not add up to one: a mistake of Keras' own
    const Array x = functions().array(c.at("x"));
    const ActivationFunction f = ActivationFunction::from(c.at("name").as_string());
    for (const Backend* backend : kBackends) {
      const Arrays got = run(*backend, {x}, [&](Program& p, const Values& in) {
        const Value y = f(in[0]);
        const Json* r = c.as_object().find("r");
        const Value weighted = r ? y * ops::constant(p, functions().array(*r)) : y;
        return Values{y, gradient(weighted, in[0])};
      });
      tally.add(describe(c), std::max(badness(got[0], functions().array(c.at("y")), 1e-6),
                                      badness(got[1], functions().array(c.at("dx")), 2e-6)));
    }
  }
  tally.report("activations");
}

TEST_CASE("recorded losses and their gradients") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    if (c.at("kind").as_string() != "loss") continue;
    const Loss loss = made<Loss>(c.at("config"));
    Arrays in{functions().array(c.at("y_true")), functions().array(c.at("y_pred"))};
    const bool weighted = !c.at("sample_weight").is_null(), masked = !c.at("mask").is_null();
    if (weighted) in.push_back(functions().array(c.at("sample_weight")));
    if (masked) in.push_back(functions().array(c.at("mask")));
    for (const Backend* backend : kBackends) {
      const Arrays got = run(*backend, in, [&](Program&, const Values& v) {
        const Value value = (*loss)(v[0], v[1], weighted ? v[2] : Value{}, masked ? v.back() : Value{});
        return Values{value, gradient(value, v[1])};
      });
      // Gradients of crossentropies hold 1/p, which multiplies the error of p near the bounds.
      tally.add(describe(c), std::max(badness(got[0], functions().array(c.at("value")), 1e-6),
                                      badness(got[1], functions().array(c.at("dy_pred")), 1e-6)));
    }
  }
  tally.report("losses");
}

TEST_CASE("recorded metrics, update by update") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    if (c.at("kind").as_string() != "metric") continue;
    const Metric metric = made<Metric>(c.at("config"));
    for (const Backend* backend : kBackends) {
      const VariableRefs state = metric->make_state();
      double bad = 0;
      for (const Json& step : c.at("steps").as_array()) {
        const bool plain = step.as_object().contains("values");
        Arrays in{array_of(step.at(plain ? "values" : "y_true")), array_of(step.at(plain ? "values" : "y_pred"))};
        const bool weighted = !step.at("sample_weight").is_null(),
                   masked = step.as_object().contains("mask") && !step.at("mask").is_null();
        if (weighted) in.push_back(array_of(step.at("sample_weight")));
        if (masked) in.push_back(functions().array(step.at("mask")));
        auto program = std::make_unique<Program>();
        Values x;
        for (const Array& a : in) x.push_back(program->input("x", {a.shape(), a.dtype()}));
        Trace trace(*program, false);
        metric->update(trace, state, x[0], x[1], weighted ? x[2] : Value{}, masked ? x.back() : Value{});
        Values values;
        for (const auto& v : state) values.push_back(trace.value_of(v));
        program->output("result", metric->result(values));
        trace.finish();
        for (const auto& v : trace.variables()) in.push_back(v->storage());
        bad = std::max(bad, badness(Executable::compile(std::move(program), *backend)->run(in)[0],
                                    functions().array(step.at("result")), 1e-6));
      }
      for (std::size_t i = 0; i < state.size(); ++i)
        bad = std::max(
            bad, badness(state[i]->value(), functions().array(c.at("variables").as_array()[i].at("value")), 1e-6));
      tally.add(describe(c), bad);
    }
  }
  tally.report("metrics");
}

TEST_CASE("recorded learning rate schedules") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    if (c.at("kind").as_string() != "schedule") continue;
    const Schedule schedule = made<Schedule>(c.at("config"));
    const Array want = functions().array(c.at("values"));
    for (const Backend* backend : kBackends) {
      double bad = 0;
      std::int64_t i = 0;
      for (const Json& step : c.at("steps").as_array()) {
        const Array got = run(*backend, {Array::scalar(static_cast<double>(step.as_int()), DType::i64)},
                              [&](Program&, const Values& v) { return Values{(*schedule)(v[0])}; })[0];
        bad = std::max(bad, badness(got, want.rows(i, i + 1).reshape({}), 1e-7));
        ++i;
      }
      tally.add(describe(c), bad);
    }
  }
  tally.report("schedules");
}

TEST_CASE("recorded optimizers, step by step") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    if (c.at("kind").as_string() != "optimizer") continue;
    Optimizer optimizer = made<Optimizer>(c.at("config"));
    if (const Json& names = c.at("excluded_from_weight_decay"); !names.is_null()) {
      std::vector<std::string> list;
      decode(names, list);
      const auto exclude = [&]<class T>(const T*) {
        if (const T* o = dynamic_cast<const T*>(&*optimizer)) optimizer = o->exclude_from_weight_decay(list);
      };
      exclude(static_cast<const SGD*>(nullptr)), exclude(static_cast<const RMSprop*>(nullptr)),
          exclude(static_cast<const Adam*>(nullptr)), exclude(static_cast<const AdamW*>(nullptr));
    }
    const Constraint constraint = made<Constraint>(c.at("constraint"));
    for (const Backend* backend : kBackends) {
      VariableRefs variables;
      for (std::size_t i = 0; i < c.at("names").as_array().size(); ++i) {
        const std::string name = c.at("names").as_array()[i].as_string();
        variables.push_back(std::make_shared<Variable>(name, functions().array(c.at("initial").as_array()[i])));
        variables.back()->path = name;
        variables.back()->constraint = as_function(constraint);
      }
      const OptimizerState state = optimizer->build(variables);
      double bad = 0;
      for (const Json& step : c.at("steps").as_array()) {
        Arrays in = functions().arrays(step.at("gradients"));
        auto program = std::make_unique<Program>();
        Values g;
        for (const Array& a : in) g.push_back(program->input("g", {a.shape(), a.dtype()}));
        Trace trace(*program, true);
        optimizer->apply(trace, state, variables, g);
        trace.finish();
        for (const auto& v : trace.variables()) in.push_back(v->storage());
        (void)Executable::compile(std::move(program), *backend)->run(in);
        for (std::size_t i = 0; i < variables.size(); ++i)
          bad = std::max(bad,
                         badness(variables[i]->value(), functions().array(step.at("variables").as_array()[i]), 5e-7));
      }
      const auto& recorded = c.at("state").as_array();
      REQUIRE(recorded.size() == state.variables.size());
      for (std::size_t i = 0; i < recorded.size(); ++i) {
        const std::string path = recorded[i].at("path").as_string();
        CHECK(state.variables[i]->path.substr(state.variables[i]->path.find('/')) == path.substr(path.find('/')));
        bad = std::max(bad, badness(state.variables[i]->value(), functions().array(recorded[i].at("value")), 1e-6));
      }
      optimizer->finalize(state);
      for (std::size_t i = 0; i < variables.size(); ++i)
        bad = std::max(bad, badness(variables[i]->value(), functions().array(c.at("finalized").as_array()[i]), 5e-7));
      tally.add(describe(c), bad);
    }
  }
  tally.report("optimizers");
}

TEST_CASE("recorded constraints and regularizers") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    const std::string kind = c.at("kind").as_string();
    if (kind != "constraint" && kind != "regularizer") continue;
    const Array w = functions().array(c.at("w"));
    for (const Backend* backend : kBackends) {
      if (kind == "constraint") {
        const Constraint f = made<Constraint>(c.at("config"));
        tally.add(describe(c),
                  badness(run(*backend, {w}, [&](Program&, const Values& v) { return Values{(*f)(v[0])}; })[0],
                          functions().array(c.at("value")), 5e-7));
      } else {
        const Regularizer f = made<Regularizer>(c.at("config"));
        const Arrays got = run(*backend, {w}, [&](Program&, const Values& v) {
          const Value y = (*f)(v[0]);
          return Values{y, gradient(y, v[0])};
        });
        tally.add(describe(c), std::max(badness(got[0], functions().array(c.at("value")), 2e-6),
                                        badness(got[1], functions().array(c.at("dw")), 5e-7)));
      }
    }
  }
  tally.report("constraints and regularizers");
}

TEST_CASE("recorded initializers") {
  Tally tally;
  for (const Json& c : functions().cases()) {
    if (c.at("kind").as_string() != "initializer") continue;
    const Initializer f = made<Initializer>(c.at("config"));
    Shape shape;
    for (const Json& n : c.at("shape").as_array()) shape.push_back(n.as_int());
    if (describe(c) == "Identity {}" && functions().array(c.at("value")).to_doubles()[0] != 1)
      continue;  // Keras 3.15 does not write `gain`
    tally.add(describe(c), badness(f(shape, DType::f32), functions().array(c.at("value")), 1e-7));
  }
  tally.report("initializers");
}
