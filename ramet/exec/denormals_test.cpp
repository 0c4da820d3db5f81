// Results too small for a normal float are zero, as in Keras; the caller's own arithmetic stays as it was.
#include <doctest/doctest.h>

#include <algorithm>

#include "ramet/exec/executable.h"
#include "ramet/ops/ops.h"

using namespace ramet;

TEST_CASE("executables: denormals are zeros on every thread, and the caller's arithmetic stays as it was") {
  volatile float small = 1.5e-38f;
  const int before = num_threads();
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    auto p = std::make_unique<Program>();
    const Value x = p->input("x", {{1000, 1000}});
    p->output("y", ops::tanh(x) * 0.5);
    p->output("same", -x);
    Array in({1000, 1000});
    std::fill(in.data<float>().begin(), in.data<float>().end(), static_cast<float>(small));
    const Arrays out = Executable::compile(std::move(p))->run({in});
    CHECK(std::all_of(out[0].data<float>().begin(), out[0].data<float>().end(), [](float v) { return v == 0; }));
    CHECK(
        std::all_of(out[1].data<float>().begin(), out[1].data<float>().end(), [](float v) { return v == -1.5e-38f; }));
    CHECK(small * 0.5f > 0);
  }
  set_num_threads(before);
}
