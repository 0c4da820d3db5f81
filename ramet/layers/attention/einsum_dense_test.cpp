#include "ramet/layers/attention/einsum_dense.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ramet/graph/input.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// The sum by its definition: over every value of every letter.
Array plain_einsum(const layers::Einsum& e, const Array& a, const Array& b, const Shape& out_shape) {
  std::string letters;
  std::vector<std::int64_t> sizes;
  const auto add = [&](const std::string& from, const Shape& shape) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (letters.find(from[i]) == std::string::npos) letters += from[i], sizes.push_back(shape[i]);
  };
  add(e.a, a.shape());
  add(e.b, b.shape());
  Array out = Array::zeros(out_shape, DType::f64);
  std::vector<std::int64_t> at(letters.size(), 0);
  const auto offset = [&](const std::string& of, const Shape& shape) {
    std::int64_t o = 0;
    for (std::size_t i = 0; i < of.size(); ++i) o = o * shape[i] + at[letters.find(of[i])];
    return static_cast<std::size_t>(o);
  };
  for (;;) {
    out.data<double>()[offset(e.out, out_shape)] +=
        a.data<double>()[offset(e.a, a.shape())] * b.data<double>()[offset(e.b, b.shape())];
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == sizes[i]) at[i++] = 0;
    if (i == at.size()) return out;
  }
}

Array numbers(const Shape& shape) {
  Array out(shape, DType::f64);
  int i = 0;
  for (double& v : out.data<double>()) v = std::sin(2.3 * ++i);
  return out;
}

}  // namespace

TEST_CASE("einsum: sums of products as the letters say") {
  struct Row {
    layers::Einsum e;
    Shape a, b, out;
  };
  for (const Row& row : std::vector<Row>{{{"ab", "bc", "ac"}, {2, 3}, {3, 4}, {2, 4}},
                                         {{"abcd", "aecd", "acbe"}, {2, 3, 2, 4}, {2, 5, 2, 4}, {2, 2, 3, 5}},
                                         {{"acbe", "aecd", "abcd"}, {2, 2, 3, 5}, {2, 5, 2, 4}, {2, 3, 2, 4}},
                                         {{"abc", "cde", "abde"}, {2, 3, 4}, {4, 2, 3}, {2, 3, 2, 3}},
                                         {{"abc", "ade", "e"}, {2, 3, 4}, {2, 2, 3}, {3}},
                                         {{"ba", "ca", "cb"}, {3, 2}, {4, 2}, {4, 3}},
                                         {{"ab", "ab", "ab"}, {2, 3}, {2, 3}, {2, 3}},
                                         {{"ab", "a", "b"}, {2, 3}, {2}, {3}}}) {
    CAPTURE(row.e.a + "," + row.e.b + "->" + row.e.out);
    const Array a = numbers(row.a), b = numbers(row.b);
    auto program = std::make_unique<Program>();
    const Value first = program->input("a", {row.a, DType::f64}), second = program->input("b", {row.b, DType::f64});
    program->output("y", layers::einsum(row.e, first, second));
    const Array got = Executable::compile(std::move(program))->run({a, b})[0];
    REQUIRE(got.shape() == row.out);
    const auto x = got.to_doubles(), y = plain_einsum(row.e, a, b, row.out).to_doubles();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(x[i] - y[i]) < 1e-13);  // at most 12 terms below 1
  }
}

TEST_CASE("EinsumDense: equations with and without further axes") {
  CHECK(to_string(EinsumDense("abc,cd->abd", {None, 7}, {.bias_axes = "d"})(Input({5, 3})).shape()) == "(None, 5, 7)");
  const EinsumDense front("...x,xy->...y", 7, {.bias_axes = "y"});
  CHECK(to_string(front(Input({None, 4, 3})).shape()) == "(None, None, 4, 7)");
  CHECK(to_string(front->weights()[1]->value().shape()) == "(7,)");
  const EinsumDense back("ab...,bc->ac...", 7, {.bias_axes = "c"});
  CHECK(to_string(back(Input({3, 4, 5})).shape()) == "(None, 7, 4, 5)");
  CHECK(to_string(back->weights()[1]->value().shape()) == "(7, 1, 1)");
}

TEST_CASE("EinsumDense: config and clone") {
  const EinsumDense layer("abc,cd->abd", {None, 7}, {.bias_axes = "d"});
  CHECK(layer->get_config().at("output_shape") == Json(JsonArray{Json(nullptr), Json(7)}));
  CHECK(serialize_layer(*deserialize_layer(serialize_layer(*layer))) == serialize_layer(*layer));
}

TEST_CASE("EinsumDense: equations that cannot be are refused") {
  CHECK_THROWS_WITH_AS(EinsumDense("ab->c", 2, {}, {.name = "e"}),
                       "EinsumDense 'e': the equation 'ab->c' is not of two operands; write \"x,kernel->y\", "
                       "\"...x,kernel->...y\" or \"x...,kernel->y...\"",
                       UsageError);
  CHECK_THROWS_WITH_AS(EinsumDense("ab,bc->ac", 2, {.bias_axes = "z"}, {.name = "e"}),
                       "EinsumDense 'e': bias_axes has 'z', which the output of 'ab,bc->ac' has not", UsageError);
  CHECK_THROWS_WITH_AS(EinsumDense("abc,cd->abd", {4, 2}, {}, {.name = "e"})(Input({3, 5})),
                       "EinsumDense 'e': 'b' is 3 in the input and 4 in output_shape", UsageError);
  CHECK_THROWS_WITH_AS(EinsumDense("abc,cd->abd", 2, {}, {.name = "e"})(Input({3, 5})),
                       "EinsumDense 'e': output_shape has 1 size(s); the equation 'abc,cd->abd' for an input of shape "
                       "(None, 3, 5) gives an output of 3 axes, the first of which is the batch",
                       UsageError);
}
