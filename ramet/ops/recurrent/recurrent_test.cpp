#include "ramet/ops/recurrent/recurrent.h"

#include <cmath>

#include "ramet/array/device.h"
#include "ramet/backend/cpu/every_target.h"
#include "ramet/exec/executable.h"
#include "ramet/ir/gradients.h"
#include "tests/support/op_samples.h"

using namespace ramet;
using namespace ramet::testing;
using ops::RecurrentCell;

namespace {

struct Size {
  std::int64_t batch, steps, features, units;
};

// One row and many, units around the widths of vectors, batches around the heights of tiles and the limit below which
// x is multiplied first, more steps than one block of the gradient has, and more features than the steps multiply.
const Size kSizes[] = {{1, 3, 5, 40},  {1, 4, 1, 17},   {1, 1, 1, 40},  {1, 5, 33, 64},  {2, 3, 16, 16},
                       {3, 3, 2, 5},   {4, 2, 3, 12},   {5, 4, 17, 33}, {6, 2, 31, 8},   {7, 3, 8, 31},
                       {8, 2, 15, 15}, {9, 3, 40, 48},  {13, 2, 3, 7},  {16, 20, 7, 32}, {17, 3, 5, 20},
                       {33, 2, 9, 9},  {32, 2, 6, 128}, {5, 2, 1030, 3}};

enum class Masks { none, some, whole_steps };

Shape bias_shape(const RecurrentCell& cell, std::int64_t units) {
  return cell.biases == 2 ? Shape{2, cell.gates * units} : Shape{cell.gates * units};
}

// The op with all its results, and the gradients of its states with respect to every input.
Sample recurrent_sample(const RecurrentCell& cell, const Size& size, Masks masks, bool reverse, unsigned seed) {
  Random r(seed);
  Sample s;
  const std::int64_t batch = size.batch, steps = size.steps, features = size.features, units = size.units;
  const auto kernel = [&](std::int64_t rows) {
    const double scale = 1 / std::sqrt(static_cast<double>(rows));
    return s.input(r, {{rows, cell.gates * units}, DType::f32}, -scale, scale);
  };
  Values in{s.input(r, {{batch, steps, features}, DType::f32}, -1, 1), kernel(features), kernel(units),
            s.input(r, {bias_shape(cell, units), DType::f32}, -1, 1)};
  for (std::size_t i = 0; i < cell.states; ++i) in.push_back(s.input(r, {{batch, units}, DType::f32}, -1, 1));
  const Values floating = in;
  if (masks != Masks::none) {
    in.push_back(s.input(r, {{batch, steps}, DType::boolean}));
    if (masks == Masks::whole_steps) {
      const auto mask = s.inputs.back().data<bool>();
      for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % static_cast<std::size_t>(steps) % 2 == 1;
    }
  }
  const ops::RecurrentAttrs attrs{reverse, masks != Masks::none};
  const Values out = s.program->emit(*cell.op, in, Attrs::make(attrs));
  const Values states(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(cell.states) + 1);
  Values seeds;
  for (const Value& y : states) seeds.push_back(s.input(r, y.spec(), -1, 1));
  s.output(out), s.output(gradients(states, seeds, floating));
  return s;
}

std::unique_ptr<Program> copy_of(const Program& p) {
  return rebuild(p, [](Program& out, int, const Instr& instr, std::span<const Value> in) {
    return out.emit(*instr.op, in, instr.attrs);
  });
}

template <class Check>
void each_sample(Check check) {
  unsigned seed = 1;
  for (const RecurrentCell* cell : ops::kRecurrentCells)
    for (const Size& size : kSizes)
      for (const Masks masks : {Masks::none, Masks::some, Masks::whole_steps}) {
        INFO(std::string(cell->op->name), ", ", size.batch, " rows, ", size.features, " features, ", size.units,
             " units, masks ", static_cast<int>(masks));
        check(recurrent_sample(*cell, size, masks, seed % 2 == 0, seed)), ++seed;
      }
}

// A cell's inputs as inputs of a program, the first states as state of it.
struct Cell {
  Value x, kernel, recurrent_kernel, bias;
  Values states;
  Cell(Program& p, const RecurrentCell& cell, const Size& size) {
    const auto [batch, steps, features, units] = size;
    x = p.input("x", {{batch, steps, features}, DType::f32});
    kernel = p.input("w", {{features, cell.gates * units}, DType::f32});
    recurrent_kernel = p.input("u", {{units, cell.gates * units}, DType::f32});
    bias = p.input("b", {bias_shape(cell, units), DType::f32});
    for (std::size_t i = 0; i < cell.states; ++i)
      states.push_back(p.input("s", {{batch, units}, DType::f32}, InputKind::state));
  }
  ops::RecurrentResult run(const RecurrentCell& cell) const {
    return ops::recurrent(cell, x, kernel, recurrent_kernel, bias, states, {}, false);
  }
};

}  // namespace

// States stay below 1, sums of at most 512 products below 1/11 each: 2e-5 bounds what float sums lose; the gradients of
// kernel and bias add up to 320 such terms.
TEST_CASE(
    "simple_rnn, gru, lstm: fast kernels equal the plain ones in every result and gradient, on every CPU target") {
  cpu::on_every_target([] {
    each_sample([](const Sample& s) {
      const Arrays plain = evaluate_plainly(*s.program, s.inputs);
      const Arrays fast = Executable::compile(copy_of(*s.program))->run(s.inputs);
      for (std::size_t i = 0; i < plain.size(); ++i) {
        CAPTURE(i);
        const auto a = fast[i].to_doubles(), b = plain[i].to_doubles();
        double worst = 0;
        for (std::size_t k = 0; k < a.size(); ++k)
          worst = std::max(worst, std::isfinite(a[k]) ? std::abs(a[k] - b[k]) / (1 + std::abs(b[k])) : 1e9);
        CHECK(worst <= 2e-5);
      }
    });
  });
}

TEST_CASE("simple_rnn, gru, lstm: the number of threads changes no bit") {
  const int before = num_threads();
  for (const RecurrentCell* cell : ops::kRecurrentCells)
    for (const Size& size : {Size{37, 9, 20, 48}, Size{3, 40, 60, 64}}) {
      const Sample s = recurrent_sample(*cell, size, Masks::some, false, 7);
      const auto run = [&](int threads) {
        set_num_threads(threads);
        return Executable::compile(copy_of(*s.program))->run(s.inputs);
      };
      const Arrays one = run(1), three = run(3);
      for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i].to_doubles() == three[i].to_doubles());
    }
  set_num_threads(before);
}

TEST_CASE("simple_rnn, gru, lstm: results that nobody reads take no memory") {
  for (const RecurrentCell* cell : ops::kRecurrentCells) {
    Program p;
    p.output("h", Cell(p, *cell, {4, 100, 3, 32}).run(*cell).states[0]);
    const auto plan = Executable::compile(copy_of(p));
    CHECK(plan->plan().arena_bytes(0) < 4 * 100 * 32 * sizeof(float));  // one sequence
  }
}

TEST_CASE("simple_rnn, gru, lstm: a second derivative is refused") {
  for (const RecurrentCell* cell : ops::kRecurrentCells) {
    Program p;
    const Cell in(p, *cell, {1, 3, 2, 2});
    const Value dx = gradients(in.run(*cell).states, in.states, std::vector{in.x})[0];
    CHECK_THROWS_WITH_AS(gradients(std::vector{dx}, std::vector{in.x}, std::vector{in.x}),
                         doctest::Contains("first derivatives only"), UsageError);
  }
}

TEST_CASE("simple_rnn, gru, lstm: the last states take the place of the first, where those are state of the program") {
  for (const RecurrentCell* cell : ops::kRecurrentCells) {
    Program p;
    const Cell in(p, *cell, {3, 4, 2, 5});
    const Values states = in.run(*cell).states;
    for (std::size_t i = 0; i < states.size(); ++i) p.set_state(4 + i, states[i]);
    p.output("y", ops::tanh(states[0]));
    Random r(3);
    Arrays plain;
    for (const auto& input : p.inputs()) plain.push_back(r.array(p.spec(input.value)));
    Arrays fast;
    for (const Array& a : plain) fast.push_back(a.copy());
    const auto executable = Executable::compile(copy_of(p));
    CHECK(executable->plan().to_string().find("copy") == std::string::npos);
    const Arrays y = executable->run(fast), expected = evaluate_plainly(p, plain);
    for (std::size_t i = 4; i < 4 + states.size(); ++i)
      for (std::size_t k = 0; k < 15; ++k)
        CHECK(fast[i].data<float>()[k] == doctest::Approx(plain[i].data<float>()[k]));
    for (std::size_t k = 0; k < 15; ++k) CHECK(y[0].data<float>()[k] == doctest::Approx(expected[0].data<float>()[k]));
  }
}

// With a recurrent kernel of zeros and the identity for the other, the gates are the activations of x themselves.
TEST_CASE("lstm: gates are off by at most 2 units in the last place, on every CPU target") {
  Random r(9);
  Program p;
  const std::int64_t steps = 4000, units = 16;
  const Value x = p.input("x", {{1, steps, 4 * units}, DType::f32}),
              w = p.input("w", {{4 * units, 4 * units}, DType::f32}), u = ops::zeros(p, {units, 4 * units}, DType::f32),
              b = ops::zeros(p, {4 * units}, DType::f32), h = ops::zeros(p, {1, units}, DType::f32);
  p.output("gates", p.emit(ops::lstm_op, std::vector{x, w, u, b, h, h}, Attrs::make(ops::RecurrentAttrs{}))[5]);
  Array in = r.array({{1, steps, 4 * units}, DType::f32}, -20, 20), identity({4 * units, 4 * units}, DType::f32);
  for (std::size_t i = 0; i < static_cast<std::size_t>(in.size() / 2); ++i) in.data<float>()[i] *= 0.05f;
  for (std::size_t i = 0; i < 4 * units; ++i) identity.data<float>()[i * (4 * units + 1)] = 1;
  cpu::on_every_target([&] {
    const Arrays out = Executable::compile(copy_of(p))->run({in, identity});
    double worst = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(in.size()); ++i) {
      const double z = static_cast<double>(in.data<float>()[i]);
      const double exact = i / units % 4 == 2 ? std::tanh(z) : 1 / (1 + std::exp(-z));
      const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
      worst = std::max(worst, std::abs(static_cast<double>(out[0].data<float>()[i]) - exact) / unit);
    }
    CHECK(worst <= 2.0);
  });
}
