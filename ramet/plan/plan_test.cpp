#include "ramet/plan/plan.h"

#include <doctest/doctest.h>

#include "ramet/exec/executable.h"
#include "ramet/ir/text.h"
#include "ramet/passes/pass_manager.h"
#include "tests/support/random_program.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

std::unique_ptr<Program> read(std::string_view text) { return parse_program(text, ops::find_op); }

// The plan of a program as it stands, with plain kernels.
std::string plan_of(std::string_view text) { return make_plan(read(text), reference_backend())->to_string(); }

Array floats(std::initializer_list<float> values) {
  return Array::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

// What the state of a program is after a run, plainly and optimized.
void check_state(std::string_view text, const Arrays& inputs, const Arrays& expected) {
  for (const Backend* backend : {&reference_backend(), &cpu_backend()}) {
    Arrays state;
    for (const Array& a : inputs) state.push_back(a.copy());
    Executable::compile(read(text), *backend)->run(state);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO(backend->name(), ", input ", i, ": ", state[i]);
      CHECK(state[i].identical(expected[i]));
    }
  }
}

}  // namespace

TEST_CASE("plan: values lie in one arena, each where an older one is no longer needed; outputs with the caller") {
  CHECK(plan_of(R"(program(%0 "x" : f32[20]) {
    %1 = exp(%0) : f32[20]
    %2 = tanh(%1) : f32[20]
    %3 = neg(%2) : f32[20]
    %4 = abs(%3) : f32[20]
    return %4 "y"
  })") == R"(cpu:0: arena 256 bytes
run:
  cpu:0  exp [ref_pointwise]  external 0 → @0
  cpu:0  tanh [ref_pointwise]  @0 → @128
  cpu:0  neg [ref_pointwise]  @128 → @0
  cpu:0  abs [ref_pointwise]  @0 → external 1
)");
}

TEST_CASE("plan: whole rows in one piece are views, of the caller's memory too") {
  CHECK(plan_of(R"(program(%0 "x" : f32[4, 3]) {
    %1 = slice(%0) {"begin": [1, 0], "end": [3, 3], "step": [1, 1]} : f32[2, 3]
    %2 = exp(%1) : f32[2, 3]
    %3 = slice(%2) {"begin": [1, 0], "end": [2, 3], "step": [1, 1]} : f32[1, 3]
    %4 = slice(%3) {"begin": [0, 2], "end": [1, 3], "step": [1, 1]} : f32[1, 1]
    %5 = neg(%4) : f32[1, 1]
    return %5 "y", %3 "z"
  })") == R"(cpu:0: arena 64 bytes
run:
  cpu:0  exp [ref_pointwise]  external 0+12 → @0
  cpu:0  neg [ref_pointwise]  @20 → external 1
  cpu:0  copy [copy]  @12 → external 2
)");
  CHECK(plan_of(R"(program(%0 "x" : f32[4, 3]) {
    %1 = slice(%0) {"begin": [0, 0], "end": [4, 2], "step": [1, 1]} : f32[4, 2]
    %2 = slice(%0) {"begin": [0, 0], "end": [4, 3], "step": [2, 1]} : f32[2, 3]
    return %1 "y", %2 "z"
  })") == R"(cpu:0: arena 0 bytes
run:
  cpu:0  slice [strided]  external 0 → external 1
  cpu:0  slice [strided]  external 0 → external 2
)");
}

TEST_CASE("plan: the parts of a concatenation are made where they stand in it") {
  CHECK(plan_of(R"(program(%0 "x" : f32[2, 3], %1 "z" : f32[1, 3]) {
    %2 = exp(%0) : f32[2, 3]
    %3 = neg(%1) : f32[1, 3]
    %4 = concat(%2, %3) {"axis": 0} : f32[3, 3]
    %5 = tanh(%2) : f32[2, 3]
    %6 = abs(%4) : f32[3, 3]
    return %6 "y", %5 "w"
  })") == R"(cpu:0: arena 64 bytes
run:
  cpu:0  exp [ref_pointwise]  external 0 → @0
  cpu:0  neg [ref_pointwise]  external 1 → @24
  cpu:0  concat [concat]  @0, @24 → @0
  cpu:0  tanh [ref_pointwise]  @0 → external 3
  cpu:0  abs [ref_pointwise]  @0 → external 2
)");
  // Not a part that comes from outside, stands there twice or leaves the program, and not along an inner axis.
  CHECK(plan_of(R"(program(%0 "x" : f32[2, 3]) {
    %1 = exp(%0) : f32[2, 3]
    %2 = concat(%1, %1) {"axis": 0} : f32[4, 3]
    %3 = concat(%1, %0) {"axis": 1} : f32[2, 6]
    return %2 "y", %3 "z"
  })") == R"(cpu:0: arena 64 bytes
run:
  cpu:0  exp [ref_pointwise]  external 0 → @0
  cpu:0  concat [concat]  @0, @0 → external 1
  cpu:0  concat [concat]  @0, external 0 → external 2
)");
}

TEST_CASE("plan: state that changes is not made part by part, and a slice of it is read before it does") {
  check_state(R"(program(state %0 "a" : f32[4], state %1 "b" : f32[2]) {
    %2 = slice(%0) {"begin": [2], "end": [4], "step": [1]} : f32[2]
    %3 = neg(%0) : f32[4]
    %4 = add(%2, %1) : f32[2]
    return %3 -> %0, %4 -> %1
  })",
              {floats({1, 2, 3, 4}), floats({10, 20})}, {floats({-1, -2, -3, -4}), floats({13, 24})});
  check_state(R"(program(state %0 "a" : f32[4], state %1 "b" : f32[2]) {
    %2 = slice(%0) {"begin": [0], "end": [2], "step": [1]} : f32[2]
    %3 = slice(%0) {"begin": [2], "end": [4], "step": [1]} : f32[2]
    %4 = neg(%2) : f32[2]
    %5 = abs(%3) : f32[2]
    %6 = concat(%5, %4) {"axis": 0} : f32[4]
    return %6 -> %0, %3 -> %1
  })",
              {floats({1, 2, -3, 4}), floats({10, 20})}, {floats({3, 4, -1, -2}), floats({-3, 4})});
}

TEST_CASE("plan: a reshape costs no step and no memory") {
  CHECK(plan_of(R"(program(%0 "x" : f32[2, 3]) {
    %1 = exp(%0) : f32[2, 3]
    %2 = reshape(%1) {"shape": [3, 2]} : f32[3, 2]
    %3 = reshape(%2) {"shape": [6]} : f32[6]
    %4 = neg(%3) : f32[6]
    return %4 "y", %3 "z"
  })") == R"(cpu:0: arena 0 bytes
run:
  cpu:0  exp [ref_pointwise]  external 0 → external 2
  cpu:0  neg [ref_pointwise]  external 2 → external 1
)");
}

TEST_CASE("plan: an output that is an input, a constant, a view of one or another output is copied") {
  CHECK(plan_of(R"(program(%0 "x" : f32[2]) {
    %1 = constant() {"dtype": "float32", "shape": [1], "data": [3.0]} : f32[1]
    %2 = reshape(%0) {"shape": [1, 2]} : f32[1, 2]
    %3 = exp(%0) : f32[2]
    return %0 "a", %1 "b", %2 "c", %3 "d", %3 "e"
  })") == R"(cpu:0: arena 0 bytes
run:
  cpu:0  exp [ref_pointwise]  external 0 → external 4
  cpu:0  copy [copy]  external 0 → external 1
  cpu:0  copy [copy]  constant → external 2
  cpu:0  copy [copy]  external 0 → external 3
  cpu:0  copy [copy]  external 4 → external 5
)");
}

TEST_CASE("plan: new state is written over the old when nobody reads that any more, else copied at the end") {
  CHECK(plan_of(R"(program(%0 "x" : f32[2], state %1 "s" : f32[2]) {
    %2 = mul(%0, %1) : f32[2]
    %3 = add(%2, %0) : f32[2]
    return %3 -> %1
  })") == R"(cpu:0: arena 64 bytes
run:
  cpu:0  mul [ref_pointwise]  external 0, external 1 → @0
  cpu:0  add [ref_pointwise]  @0, external 0 → external 1
)");
  CHECK(plan_of(R"(program(%0 "x" : f32[2], state %1 "s" : f32[2]) {
    %2 = add(%0, %1) : f32[2]
    %3 = mul(%2, %1) : f32[2]
    return %3 "y", %2 -> %1
  })") == R"(cpu:0: arena 64 bytes
run:
  cpu:0  add [ref_pointwise]  external 0, external 1 → @0
  cpu:0  mul [ref_pointwise]  @0, external 1 → external 2
  cpu:0  copy [copy]  @0 → external 1
)");
}

TEST_CASE("plan: a cluster updates state in place, unless it reads the old value again after") {
  const auto in_place = make_plan(read(R"(program(%0 "g" : f32[9], state %1 "w" : f32[9]) {
    %2 = cluster(%0, %1) program(%0 "g" : f32[9], %1 "w" : f32[9]) {
      %2 = mul(%0, %0) : f32[9]
      %3 = sub(%1, %2) : f32[9]
      return %3 "w"
    } : f32[9]
    return %2 -> %1
  })"),
                                  cpu_backend());
  CHECK(in_place->steps().size() == 1);
  const auto copied = make_plan(read(R"(program(%0 "g" : f32[9], state %1 "w" : f32[9]) {
    %2, %3 = cluster(%0, %1) program(%0 "g" : f32[9], %1 "w" : f32[9]) {
      %2 = sub(%1, %0) : f32[9]
      %3 = mul(%1, %2) : f32[9]
      return %2 "w", %3 "y"
    } : f32[9], f32[9]
    return %3 "y", %2 -> %1
  })"),
                                cpu_backend());
  CHECK(copied->steps().size() == 2);
}

TEST_CASE("plan: state may leave with the old value of other state") {
  const Array a = floats({1, 2}), b = floats({10, 20});
  check_state(R"(program(state %0 "a" : f32[2], state %1 "b" : f32[2]) { return %1 -> %0, %0 -> %1 })", {a, b}, {b, a});
  check_state(R"(program(state %0 "new" : f32[2], state %1 "old" : f32[2]) {
    %2 = add(%0, %0) : f32[2]
    return %2 -> %0, %0 -> %1
  })",
              {a, b}, {floats({2, 4}), a});
  check_state(R"(program(state %0 "a" : f32[2], state %1 "b" : f32[1, 2], state %2 "c" : f32[2]) {
    %3 = reshape(%1) {"shape": [2]} : f32[2]
    %4 = reshape(%2) {"shape": [1, 2]} : f32[1, 2]
    return %3 -> %0, %4 -> %1, %0 -> %2
  })",
              {a, b.reshape({1, 2}), floats({5, 6})}, {b, floats({5, 6}).reshape({1, 2}), a});
}

TEST_CASE("plan: a result of a cluster that nobody reads has a place to be written to") {
  const auto plan = make_plan(read(R"(program(%0 "x" : f32[3]) {
    %1, %2 = cluster(%0) program(%0 "x" : f32[3]) {
      %1 = exp(%0) : f32[3]
      %2 = neg(%1) : f32[3]
      return %1 "unread", %2 "y"
    } : f32[3], f32[3]
    return %2 "y"
  })"),
                              cpu_backend());
  CHECK(plan->arena_bytes(0) >= 12);
}

TEST_CASE("plan: a sequence of a loop that nobody reads has none") {
  const char* text = R"(program(%0 "h" : f32[1], %1 "x" : f32[900, 1]) {
    %2, %3, %4 = scan(%0, %1) {"length": 900, "carries": 1, "sequences": 1, "reverse": false} program(%0 "c" : f32[1], %1 "x" : f32[1]) {
      %2 = add(%0, %1) : f32[1]
      return %2 "c", %2 "y"
    } : f32[1], f32[900, 1], f32[900, 1]
    return %2 "last"
  })";
  const auto plan = make_plan(read(text), reference_backend());
  CHECK(plan->arena_bytes(0) < 900 * 4);
  const Arrays y = evaluate_plainly(plan->program(), {floats({1}), Array::full({900, 1}, 0.5)});
  CHECK(y[0].item() == 451);
}

TEST_CASE("plan: with frozen state, what depends on nothing else is prepared once") {
  const char* text = R"(program(%0 "x" : f32[2, 3], state %1 "v" : f32[3, 3], state %2 "w" : f32[3, 3]) {
    %3 = matmul(%1, %2) {"transpose_a": false, "transpose_b": false} : f32[3, 3]
    %4 = matmul(%0, %3) {"transpose_a": false, "transpose_b": false} : f32[2, 3]
    return %4 "y"
  })";
  const auto plan = make_plan(read(text), reference_backend(), {.frozen_state = true});
  CHECK(plan->prepare_steps().size() == 1);
  CHECK(plan->steps().size() == 1);
  // The fast kernel of the product that is prepared reads its weights as they are, not packed.
  Random random(3);
  const Arrays inputs{random.array({{2, 3}}), random.array({{3, 3}}), random.array({{3, 3}})};
  const auto fast = Executable::compile(read(text), cpu_backend(), {.frozen_state = true});
  CHECK(max_difference(fast->run(inputs)[0], evaluate_plainly(*read(text), inputs)[0]) < 1e-5);
}

TEST_CASE("plan: state that changes is not frozen") {
  const char* text = R"(program(%0 "x" : f32[2], state %1 "s" : f32[2]) {
    %2 = tanh(%1) : f32[2]
    %3 = add(%0, %2) : f32[2]
    %4 = exp(%1) : f32[2]
    return %3 "y", %4 -> %1
  })";
  CHECK(make_plan(read(text), reference_backend(), {.frozen_state = true})->prepare_steps().empty());
}

TEST_CASE("plan: the arena is at most a twentieth larger than the values alive at once, on random programs") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomProgram random(seed, {.large = true});
    const auto program =
        optimize(rebuild(*random.program, [](Program& out, int, const Instr& i, std::span<const Value> in) {
          return out.emit(*i.op, in, i.attrs);
        }));
    const auto plan = make_plan(read(to_text(*program)), cpu_backend());
    INFO("seed ", seed, ": arena ", plan->arena_bytes(0), " bytes, alive at most ", plan->live_maximum(), "\n",
         *program);
    CHECK(static_cast<double>(plan->arena_bytes(0)) <= 1.05 * static_cast<double>(plan->live_maximum()));
  }
}
