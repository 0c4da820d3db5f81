// The functions of keras.ops on the three kinds: tensors, values and arrays.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "ramet/exec/executable.h"
#include "ramet/ramet.h"

using namespace ramet;

namespace {

// One call, written once and made for the three kinds. Its results are taken one after another.
struct Case {
  std::string_view class_name;
  std::function<Tensors(Tensor, Tensor)> tensor;
  std::function<Values(Value, Value)> value;
  std::function<Arrays(Array, Array)> array;
};

template <class T>
std::vector<T> listed(T one) {
  return {std::move(one)};
}
template <class T>
std::vector<T> listed(std::vector<T> several) {
  return several;
}

template <class F>
Case make(std::string_view class_name, F f) {
  const auto g = [f](const auto& x, const auto& y) { return listed(f(x, y)); };
  return {class_name, g, g, g};
}

// x and y are (2, 3, 4) between 0.1 and 2, so that every function is defined.
std::vector<Case> cases() {
  namespace o = ops;
#define RAMET_ONE(class_name, call) make(class_name, [](const auto& x, [[maybe_unused]] const auto& y) { return call; })
  return {
      RAMET_ONE("Negative", o::negative(x)),
      RAMET_ONE("Negative", -x),
      RAMET_ONE("Absolute", o::abs(x - y)),
      RAMET_ONE("Absolute", o::absolute(x - y)),
      RAMET_ONE("Sign", o::sign(x - y)),
      RAMET_ONE("Square", o::square(x)),
      RAMET_ONE("Sqrt", o::sqrt(x)),
      RAMET_ONE("Rsqrt", o::rsqrt(x)),
      RAMET_ONE("Reciprocal", o::reciprocal(x)),
      RAMET_ONE("Exp", o::exp(x)),
      RAMET_ONE("Expm1", o::expm1(x)),
      RAMET_ONE("Log", o::log(x)),
      RAMET_ONE("Log1p", o::log1p(x)),
      RAMET_ONE("Sin", o::sin(x)),
      RAMET_ONE("Cos", o::cos(x)),
      RAMET_ONE("Tanh", o::tanh(x)),
      RAMET_ONE("Floor", o::floor(x)),
      RAMET_ONE("Ceil", o::ceil(x)),
      RAMET_ONE("Erf", o::erf(x)),
      RAMET_ONE("Isnan", o::isnan(o::log(x - y))),
      RAMET_ONE("LogicalNot", ~(x > y)),
      RAMET_ONE("Ravel", o::ravel(x)),
      RAMET_ONE("Relu", o::relu(x - y)),
      RAMET_ONE("Relu6", o::relu6(x * 5)),
      RAMET_ONE("Sigmoid", o::sigmoid(x)),
      RAMET_ONE("Softplus", o::softplus(x)),
      RAMET_ONE("Softsign", o::softsign(x)),
      RAMET_ONE("Silu", o::silu(x)),
      RAMET_ONE("Add", x + y),
      RAMET_ONE("Add", 1 + x),
      RAMET_ONE("Subtract", x - 0.5),
      RAMET_ONE("Multiply", 2 * x),
      RAMET_ONE("TrueDivide", x / y),
      RAMET_ONE("Divide", o::divide(1, x)),
      RAMET_ONE("FloorDivide", o::floor_divide(x, y)),
      RAMET_ONE("Mod", x % y),
      RAMET_ONE("Power", o::power(x, y)),
      RAMET_ONE("Power", o::power(x, 2)),
      RAMET_ONE("Maximum", o::maximum(x, 1)),
      RAMET_ONE("Minimum", o::minimum(x, y)),
      RAMET_ONE("Arctan2", o::arctan2(x, y)),
      RAMET_ONE("Matmul", o::matmul(x, o::swapaxes(y, 1, 2))),
      RAMET_ONE("Equal", o::equal(o::floor(x), 1)),
      RAMET_ONE("NotEqual", o::not_equal(o::floor(x), 1)),
      RAMET_ONE("Less", x < y),
      RAMET_ONE("LessEqual", x <= 0.5),
      RAMET_ONE("Greater", x > 1),
      RAMET_ONE("GreaterEqual", x >= y),
      RAMET_ONE("LogicalAnd", (x > 0.5) & (y > 0.5)),
      RAMET_ONE("LogicalOr", (x > 0.5) | (y > 0.5)),
      RAMET_ONE("LogicalXor", (x > 0.5) ^ (y > 0.5)),
      RAMET_ONE("Sum", o::sum(x, {1, 2})),
      RAMET_ONE("Sum", o::sum(x, {.axis = -1, .keepdims = true})),
      RAMET_ONE("Mean", o::mean(x, -1)),
      RAMET_ONE("Max", o::max(x, 1, true)),
      RAMET_ONE("Min", o::min(x, {.axis = 1})),
      RAMET_ONE("Amax", o::amax(x, -1)),
      RAMET_ONE("Amin", o::amin(x, -1)),
      RAMET_ONE("Prod", o::prod(x, -1)),
      RAMET_ONE("Logsumexp", o::logsumexp(x, -1)),
      RAMET_ONE("Any", o::any(x > 1, -1)),
      RAMET_ONE("All", o::all(x > 1, {.axis = -1})),
      RAMET_ONE("Argmax", o::argmax(x, {.axis = -1})),
      RAMET_ONE("Argmin", o::argmin(x, 1, true)),
      RAMET_ONE("Var", o::var(x, -1)),
      RAMET_ONE("Std", o::std(x, {.axis = {1, 2}})),
      RAMET_ONE("Where", o::where(x > y, x, 0)),
      RAMET_ONE("Where", o::where(x > y, x, y)),
      RAMET_ONE("Clip", o::clip(x, 0.5, 1)),
      RAMET_ONE("Clip", o::clip(x, {}, 1)),
      RAMET_ONE("Round", o::round(x)),
      RAMET_ONE("Softmax", o::softmax(x)),
      RAMET_ONE("Softmax", o::softmax(x, 1)),
      RAMET_ONE("LogSoftmax", o::log_softmax(x)),
      RAMET_ONE("Cast", o::cast(x, "int32")),
      RAMET_ONE("Cast", o::cast(x, DType::f64)),
      RAMET_ONE("ZerosLike", o::zeros_like(x)),
      RAMET_ONE("OnesLike", o::ones_like(x, "int32")),
      RAMET_ONE("ConvertToTensor", o::convert_to_tensor(x)),
      RAMET_ONE("Reshape", o::reshape(x, {-1, 12})),
      RAMET_ONE("Transpose", o::transpose(x, {0, 2, 1})),
      RAMET_ONE("Swapaxes", o::swapaxes(x, 1, 2)),
      RAMET_ONE("ExpandDims", o::expand_dims(x, 1)),
      RAMET_ONE("Squeeze", o::squeeze(o::expand_dims(x, 1), 1)),
      RAMET_ONE("BroadcastTo", o::broadcast_to(o::max(x, 1, true), {2, 3, 4})),
      RAMET_ONE("Repeat", o::repeat(x, 2, 1)),
      RAMET_ONE("Flip", o::flip(x, -1)),
      RAMET_ONE("Pad", o::pad(x, {{0, 0}, {1, 2}, {0, 1}})),
      RAMET_ONE("Concatenate", o::concatenate({x, y}, -1)),
      RAMET_ONE("Stack", o::stack({x, y}, 1)),
      RAMET_ONE("Split", o::split(x, 2, -1)),
      RAMET_ONE("Split", o::split(x, {1, 3}, -1)),
      RAMET_ONE("GetItem", (x[{kAll, 1}])),
      RAMET_ONE("GetItem", (x[{kEllipsis, Slice(1, 3), kNewAxis}])),
      RAMET_ONE("GetItem", x[Slice({}, {}, -1)]),
  };
#undef RAMET_ONE
}

Array operand(std::uint64_t begin) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < 24; ++i)
    values.push_back(0.1f + 1.9f * static_cast<float>((begin + i * 7) % 24) / 23.0f);
  return Array::of<float>({2, 3, 4}, values);
}

}  // namespace

TEST_CASE("Every op of the table is a function that gives the same on arrays, values and tensors") {
  const Array x = operand(3), y = operand(11);
  std::set<std::string_view> missing;
  for (const OpRow& row : op_rows()) missing.insert(row.class_name);
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.class_name));
    missing.erase(c.class_name);
    const Arrays computed = c.array(x, y);

    auto program = std::make_unique<Program>();
    const Value a = program->input("x", {{2, 3, 4}, DType::f32}), b = program->input("y", {{2, 3, 4}, DType::f32});
    for (const Value& v : c.value(a, b)) program->output("y", v);
    const Arrays emitted = Executable::compile(std::move(program))->run(Arrays{x, y});

    const Tensor s = Input({3, 4}, {.batch_size = 2}), t = Input({3, 4}, {.batch_size = 2});
    Tensors out = c.tensor(s, t);
    out.push_back(t + s);  // so that every input is of use
    const Arrays predicted = Model({s, t}, Arg(out)).predict({x, y});

    REQUIRE(computed.size() == emitted.size());
    REQUIRE(computed.size() + 1 == predicted.size());
    for (std::size_t i = 0; i < computed.size(); ++i) {
      CHECK(computed[i].identical(emitted[i]));
      CHECK(computed[i].dtype() == predicted[i].dtype());
      CHECK(computed[i].to_doubles() == predicted[i].to_doubles());  // predict joins results that have no batch axis
    }
  }
  missing.erase("Abs");  // Keras' own other name of Absolute, in older files
  CHECK(missing == std::set<std::string_view>{});
}

TEST_CASE("Functions of arrays give what the formulas say") {
  const Array x = Array::of<float>({2, 3}, {0.1f, 0.5f, 0.9f, -1.0f, 2.0f, 3.0f});
  const auto check = [&](const Array& got, double (*formula)(double)) {
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(got.to_doubles()[i] == doctest::Approx(formula(x.to_doubles()[i])).epsilon(1e-6));
  };
  check(ops::sin(x), [](double v) { return std::sin(v); });
  check(ops::sin(x) + 0.5 * x, [](double v) { return std::sin(v) + 0.5 * v; });
  check(ops::clip(x, 0, 1), [](double v) { return std::min(std::max(v, 0.0), 1.0); });
  check(ops::where(x > 0, x, -1), [](double v) { return v > 0 ? v : -1.0; });
  CHECK(ops::argmax(x, {.axis = -1}).identical(Array::of<std::int32_t>({2}, {2, 2})));
  CHECK(ops::sum(x).item() == doctest::Approx(5.5));
  CHECK(x[1].identical(Array::of<float>({3}, {-1.0f, 2.0f, 3.0f})));
  CHECK(x[-1].identical(x[1]));
  CHECK((x[{kAll, 1}].identical(Array::of<float>({2}, {0.5f, 2.0f}))));
  CHECK(x[Slice(0, 1)].identical(Array::of<float>({1, 3}, {0.1f, 0.5f, 0.9f})));
  CHECK((x[Slice(0, 0)].shape() == Shape{0, 3}));
  const Array counts = Array::of<std::int32_t>({3}, {1, 2, 3});
  CHECK((counts + 1).identical(Array::of<std::int32_t>({3}, {2, 3, 4})));
  CHECK((counts * 0.5).dtype() == DType::f32);
}

TEST_CASE("A part of an array is a copy of its own") {
  const Array x = Array::of<float>({2, 2}, {1, 2, 3, 4});
  Array row = x[0];
  row.data<float>()[0] = 9;
  CHECK(x.at({0, 0}) == 1);
}

TEST_CASE("Arrays mix with tensors and values as data of the graph") {
  const Tensor x = Input({2});
  const Array scale = Array::of<float>({2}, {2, 3});
  const Model model(x, x * scale + 1);
  const Array out = model.predict(Array::of<float>({1, 2}, {10, 10}));
  CHECK(out.identical(Array::of<float>({1, 2}, {21, 31})));
  CHECK(Array(Model::from_json(model.to_json()).predict(Array::of<float>({1, 2}, {10, 10}))).identical(out));
}

TEST_CASE("Whole numbers beside an integer tensor stay whole, as in Keras") {
  const Tensor x = Input({2}, {.dtype = "int32"});
  CHECK((x + 1).dtype() == DType::i32);
  CHECK((x * 2).dtype() == DType::i32);
  CHECK((x + 0.5).dtype() == DType::f32);
  CHECK((x / 2).dtype() == DType::f32);
}

TEST_CASE("A tensor's number is a part of it, and one of several for a call that returned several") {
  const Tensor x = Input({3, 4});
  CHECK((x[0].shape() == Shape{3, 4}));
  CHECK((x[{kAll, 0}].shape() == Shape{None, 4}));
  const std::size_t at = 1;
  CHECK((x[{kAll, Slice(at, {})}].shape() == Shape{None, 2, 4}));
  CHECK_THROWS_WITH_AS((x[{0, 0, 0, 0}]), doctest::Contains("too many indices"), UsageError);
  const Tensor both = Tensor::bundle(Arg{x, x * 2});
  CHECK(both[0] == x);
  CHECK(both[-1] == both[1]);
  CHECK_THROWS_WITH_AS(both[2], "there is no tensor 2 among the 2 that the call returned", UsageError);
  CHECK_THROWS_AS(both["a"], UsageError);
}

TEST_CASE("Undefined arrays and empty lists are refused by name") {
  CHECK_THROWS_WITH_AS(ops::sin(Array()), "Sin: an undefined Array was used", UsageError);
  CHECK_THROWS_WITH_AS(Array() + 1, "Add: an undefined Array was used", UsageError);
  CHECK_THROWS_WITH_AS(ops::concatenate(Arrays{}), doctest::Contains("Concatenate"), UsageError);
  CHECK_THROWS_AS(ops::concatenate(Values{}), UsageError);
  CHECK_THROWS_AS(ops::stack(Values{}, 0), UsageError);
  CHECK_THROWS_WITH_AS(ops::matmul(Array({2, 3}), Array({2, 3})), doctest::Contains("inner dimensions differ"),
                       UsageError);
}
