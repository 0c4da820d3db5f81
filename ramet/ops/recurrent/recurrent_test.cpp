#include "ramet/ops/recurrent/recurrent.h"

#include <cmath>

#include "ramet/array/device.h"
#include "ramet/backend/cpu/every_target.h"
#include "ramet/exec/executable.h"
#include "ramet/ir/gradients.h"
#include "tests/support/op_samples.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

struct Size {
  std::int64_t batch, steps, units;
};

// One row and many, units around the widths of vectors, batches around the heights of tiles.
const Size kSizes[] = {{1, 3, 40},  {1, 4, 17},  {1, 2, 1},  {1, 5, 64},  {2, 3, 16}, {3, 3, 5},
                       {5, 4, 33},  {6, 2, 8},   {7, 3, 31}, {8, 2, 15},  {9, 3, 48}, {13, 2, 7},
                       {16, 2, 32}, {17, 3, 20}, {33, 2, 9}, {32, 2, 128}};

enum class Masks { none, some, whole_steps };

// The op with all its results, and the gradients of its states with respect to every input.
Sample recurrent_sample(bool lstm, const Size& size, Masks masks, bool reverse, unsigned seed) {
  Random r(seed);
  Sample s;
  const auto [batch, steps, units] = size;
  const std::int64_t width = (lstm ? 4 : 3) * units;
  const double scale = 1 / std::sqrt(static_cast<double>(units));
  Values in{s.input(r, {{batch, steps, width}, DType::f32}), s.input(r, {{units, width}, DType::f32}, -scale, scale)};
  if (!lstm) in.push_back(s.input(r, {{width}, DType::f32}));
  for (int i = 0; i < (lstm ? 2 : 1); ++i) in.push_back(s.input(r, {{batch, units}, DType::f32}, -1, 1));
  const Values floating = in;
  if (masks != Masks::none) {
    in.push_back(s.input(r, {{batch, steps}, DType::boolean}));
    if (masks == Masks::whole_steps) {
      const auto mask = s.inputs.back().data<bool>();
      for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % static_cast<std::size_t>(steps) % 2 == 1;
    }
  }
  const ops::RecurrentAttrs attrs{reverse, masks != Masks::none};
  const Values out = s.program->emit(lstm ? ops::lstm_op : ops::gru_op, in, Attrs::make(attrs));
  const Values states(out.begin(), out.begin() + (lstm ? 3 : 2));
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
  for (const bool lstm : {true, false})
    for (const Size& size : kSizes)
      for (const Masks masks : {Masks::none, Masks::some, Masks::whole_steps}) {
        INFO(std::string(lstm ? "lstm " : "gru "), size.batch, " rows, ", size.units, " units, masks ",
             static_cast<int>(masks));
        check(recurrent_sample(lstm, size, masks, seed % 2 == 0, seed)), ++seed;
      }
}

}  // namespace

// States stay below 1, sums of at most 512 products below 1/11 each: 2e-5 bounds what float sums lose; the gradient of
// the kernel adds up to 64 such terms.
TEST_CASE("lstm, gru: fast kernels equal the plain ones with every result and gradient, on every CPU target") {
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

TEST_CASE("lstm, gru: the number of threads changes no bit") {
  const int before = num_threads();
  for (const bool lstm : {true, false}) {
    const Sample s = recurrent_sample(lstm, {37, 5, 48}, Masks::some, false, 7);
    const auto run = [&](int threads) {
      set_num_threads(threads);
      return Executable::compile(copy_of(*s.program))->run(s.inputs);
    };
    const Arrays one = run(1), three = run(3);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i].to_doubles() == three[i].to_doubles());
  }
  set_num_threads(before);
}

TEST_CASE("lstm, gru: results that nobody reads take no memory") {
  for (const bool lstm : {true, false}) {
    Program p;
    const std::int64_t width = (lstm ? 4 : 3) * 32;
    const Value x = p.input("x", {{4, 100, width}, DType::f32}), u = p.input("u", {{32, width}, DType::f32}),
                h = p.input("h", {{4, 32}, DType::f32}), b = p.input("b", {{width}, DType::f32});
    p.output("h", lstm ? ops::lstm(x, u, h, h, {}, false).h : ops::gru(x, u, b, h, {}, false).h);
    const auto plan = Executable::compile(copy_of(p));
    CHECK(plan->plan().arena_bytes(0) < 4 * 100 * 32 * sizeof(float));  // one sequence
  }
}

TEST_CASE("lstm, gru: a second derivative is refused") {
  for (const bool lstm : {true, false}) {
    Program p;
    const std::int64_t width = lstm ? 8 : 6;
    const Value x = p.input("x", {{1, 3, width}, DType::f32}), u = p.input("u", {{2, width}, DType::f32}),
                h = p.input("h", {{1, 2}, DType::f32}), b = p.input("b", {{width}, DType::f32});
    const Value y = lstm ? ops::lstm(x, u, h, h, {}, false).h : ops::gru(x, u, b, h, {}, false).h;
    const Value dx = gradients(std::vector{y}, std::vector{h}, std::vector{x})[0];
    CHECK_THROWS_WITH_AS(gradients(std::vector{dx}, std::vector{x}, std::vector{x}),
                         doctest::Contains("first derivatives only"), UsageError);
  }
}

TEST_CASE("lstm, gru: the last states take the place of the first, where those are state of the program") {
  for (const bool lstm : {true, false}) {
    Program p;
    const std::int64_t width = (lstm ? 4 : 3) * 5;
    const Value x = p.input("x", {{3, 4, width}, DType::f32}), u = p.input("u", {{5, width}, DType::f32}),
                b = p.input("b", {{width}, DType::f32});
    const Value h = p.input("h", {{3, 5}, DType::f32}, InputKind::state),
                c = p.input("c", {{3, 5}, DType::f32}, InputKind::state);
    const ops::LstmResult cell =
        lstm ? ops::lstm(x, u, h, c, {}, false) : ops::LstmResult{ops::gru(x, u, b, h, {}, false).h, c, {}};
    p.set_state(3, cell.h);
    if (lstm) p.set_state(4, cell.c);
    p.output("y", ops::tanh(cell.h));
    Random r(3);
    Arrays plain;
    for (const auto& input : p.inputs()) plain.push_back(r.array(p.spec(input.value)));
    Arrays fast;
    for (const Array& a : plain) fast.push_back(a.copy());
    const auto executable = Executable::compile(copy_of(p));
    CHECK(executable->plan().to_string().find("copy") == std::string::npos);
    const Arrays y = executable->run(fast), expected = evaluate_plainly(p, plain);
    for (std::size_t i = 3; i < 5; ++i)
      for (std::size_t k = 0; k < 15; ++k)
        CHECK(fast[i].data<float>()[k] == doctest::Approx(plain[i].data<float>()[k]));
    for (std::size_t k = 0; k < 15; ++k) CHECK(y[0].data<float>()[k] == doctest::Approx(expected[0].data<float>()[k]));
  }
}

// With a recurrent kernel of zeros the gates are the activations of x themselves.
TEST_CASE("lstm: gates are off by at most 2 units in the last place, on every CPU target") {
  Random r(9);
  Program p;
  const std::int64_t steps = 4000, units = 16;
  const Value x = p.input("x", {{1, steps, 4 * units}, DType::f32}), u = ops::zeros(p, {units, 4 * units}, DType::f32),
              h = ops::zeros(p, {1, units}, DType::f32);
  p.output("gates", p.emit(ops::lstm_op, std::vector{x, u, h, h}, Attrs::make(ops::RecurrentAttrs{}))[5]);
  Array in = r.array({{1, steps, 4 * units}, DType::f32}, -20, 20);
  for (std::size_t i = 0; i < static_cast<std::size_t>(in.size() / 2); ++i) in.data<float>()[i] *= 0.05f;
  cpu::on_every_target([&] {
    const Arrays out = Executable::compile(copy_of(p))->run({in});
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
