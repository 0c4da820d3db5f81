#include "ramet/graph/op_operation.h"

#include "ramet/graph/array_json.h"
#include "ramet/graph/load_context.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet {
namespace {

// The type a plain number takes beside tensors: theirs, or float32 when a fraction meets integers.
Value number(Program& program, const Json& json, DType beside) {
  const double v = json.is_bool() ? (json.as_bool() ? 1 : 0) : json.as_double();
  if (json.is_bool()) return ops::constant(program, Array::scalar(v, DType::boolean));
  if (beside == DType::boolean) beside = json.is_int() ? DType::i32 : DType::f32;
  if (json.is_double() && !is_floating(beside)) beside = DType::f32;
  return ops::constant(program, Array::scalar(v, beside));
}

Arg constant_arg(double v) { return Arg(Json(v)); }

}  // namespace

const TracedNest* OpCall::find(std::size_t i, std::string_view name) const {
  if (i < args_.args.size()) return &args_.args[i];
  return args_.find(name);
}

Value OpCall::value(std::size_t i, std::string_view name) const {
  const TracedNest* nest = find(i, name);
  require(nest != nullptr, "argument '", name, "' is missing");
  if (nest->is_leaf()) return nest->leaf().value;
  require(nest->is_constant(), "argument '", name, "' must be a tensor or a number");
  if (nest->constant().is_object()) return ops::constant(program_, array_from_json(nest->constant()));
  DType beside = DType::f32;
  for (const auto& a : args_.args)
    if (a.is_leaf()) {
      beside = a.leaf().value.dtype();
      break;
    }
  return number(program_, nest->constant(), beside);
}

Values OpCall::values(std::size_t i) const {
  const TracedNest* nest = find(i, "xs");
  require(nest && nest->is_list() && !nest->list().empty(), "a list of tensors is needed");
  Values out;
  for (const auto& item : nest->list()) {
    require(item.is_leaf(), "a list of tensors holds something else");
    out.push_back(item.leaf().value);
  }
  return out;
}

const Json* OpCall::option(std::string_view key) const {
  const Json* found = config_.find(key);
  return found && !found->is_null() ? found : nullptr;
}
const Json& OpCall::needed(std::string_view key) const {
  const Json* found = option(key);
  require(found != nullptr, "argument '", key, "' is missing");
  return *found;
}
std::int64_t OpCall::integer(std::string_view key, std::int64_t otherwise) const {
  const Json* found = option(key);
  return found ? found->as_int() : otherwise;
}
bool OpCall::flag(std::string_view key) const {
  const Json* found = option(key);
  return found && found->as_bool();
}
std::vector<std::int64_t> OpCall::axes(Value x) const {
  std::vector<std::int64_t> out;
  if (const Json* axis = option("axis")) {
    if (axis->is_int()) return {axis->as_int()};
    decode(*axis, out);
    return out;
  }
  for (std::size_t i = 0; i < x.rank(); ++i) out.push_back(static_cast<std::int64_t>(i));
  return out;
}

OpOperation::OpOperation(const OpRow& row, JsonObject config, std::string name)
    : Operation(std::move(name)), row_(row), config_(std::move(config)) {}

// Plain ops drop masks.
TracedNest OpOperation::trace(Trace& trace, const TracedArgs& args) {
  const Values ys = row_.trace(OpCall(trace.program, args, config_));
  if (ys.size() == 1 && row_.class_name != "Split") return TracedNest(Traced{ys[0], {}});
  TracedNest::List list;
  for (const Value& y : ys) list.push_back(TracedNest(Traced{y, {}}));
  return TracedNest(std::move(list));
}

OperationRef OpOperation::clone() const { return std::make_shared<OpOperation>(row_, config_, name()); }

OperationRef OpOperation::from_config(std::string_view class_name, const JsonObject& config) {
  const OpRow* row = find_op_row(class_name);
  if (!row) throw DataError(cat("the operation '", class_name, "' is not supported yet"));
  JsonObject own = config;
  for (const auto& [key, value] : own)
    if (!sizes_fit(value)) throw DataError(cat("`", key, "`: ", value.dump(), " is out of range"));
  const Json* name = own.find("name");
  std::string given = name && !name->is_null() ? name->as_string() : unique_name(class_name);
  own.erase("name");
  return std::make_shared<OpOperation>(*row, std::move(own), std::move(given));
}

Tensor call_op(std::string_view class_name, std::vector<Arg> args, JsonObject config) {
  const OpRow* row = find_op_row(class_name);
  ensure(row != nullptr, "no op row ", class_name);
  return std::make_shared<OpOperation>(*row, std::move(config), unique_name(class_name))
      ->call(CallArgs{std::move(args), {}});
}

Tensor operator+(const Tensor& a, const Tensor& b) { return call_op("Add", {a, b}); }
Tensor operator-(const Tensor& a, const Tensor& b) { return call_op("Subtract", {a, b}); }
Tensor operator*(const Tensor& a, const Tensor& b) { return call_op("Multiply", {a, b}); }
Tensor operator/(const Tensor& a, const Tensor& b) { return call_op("TrueDivide", {a, b}); }
Tensor operator-(const Tensor& x) { return call_op("Negative", {x}); }
Tensor operator+(const Tensor& a, double b) { return call_op("Add", {a, constant_arg(b)}); }
Tensor operator-(const Tensor& a, double b) { return call_op("Subtract", {a, constant_arg(b)}); }
Tensor operator*(const Tensor& a, double b) { return call_op("Multiply", {a, constant_arg(b)}); }
Tensor operator/(const Tensor& a, double b) { return call_op("TrueDivide", {a, constant_arg(b)}); }
Tensor operator+(double a, const Tensor& b) { return call_op("Add", {constant_arg(a), b}); }
Tensor operator-(double a, const Tensor& b) { return call_op("Subtract", {constant_arg(a), b}); }
Tensor operator*(double a, const Tensor& b) { return call_op("Multiply", {constant_arg(a), b}); }
Tensor operator/(double a, const Tensor& b) { return call_op("TrueDivide", {constant_arg(a), b}); }

namespace ops {
namespace {

Json number_or_null(std::optional<std::int64_t> v) { return v ? Json(*v) : Json(nullptr); }
JsonObject reduce_config(std::optional<int> axis, bool keepdims) {
  return {{"axis", axis ? Json(*axis) : Json(nullptr)}, {"keepdims", Json(keepdims)}};
}

}  // namespace

Tensor get_item(const Tensor& x, const std::vector<Index>& key) {
  Arg::List parts;
  for (const Index& i : key) {
    if (i.kind == Index::Kind::integer)
      parts.push_back(Arg(Json(*i.start)));
    else if (i.kind == Index::Kind::new_axis)
      parts.push_back(Arg());
    else if (i.kind == Index::Kind::ellipsis)
      parts.push_back(Arg(Json(JsonObject{{"class_name", Json("__ellipsis__")}, {"config", Json(JsonObject{})}})));
    else
      parts.push_back(Arg(Json(JsonObject{{"class_name", Json("__slice__")},
                                          {"config", Json(JsonObject{{"start", number_or_null(i.start)},
                                                                     {"stop", number_or_null(i.stop)},
                                                                     {"step", number_or_null(i.step)}})}})));
  }
  return call_op("GetItem", {x, Arg(Nest<Tensor>(std::move(parts)))});
}

Tensor relu(const Tensor& x) { return call_op("Relu", {x}); }
Tensor sigmoid(const Tensor& x) { return call_op("Sigmoid", {x}); }
Tensor tanh(const Tensor& x) { return call_op("Tanh", {x}); }
Tensor softmax(const Tensor& x, int axis) { return call_op("Softmax", {x}, {{"axis", Json(axis)}}); }
Tensor exp(const Tensor& x) { return call_op("Exp", {x}); }
Tensor log(const Tensor& x) { return call_op("Log", {x}); }
Tensor sqrt(const Tensor& x) { return call_op("Sqrt", {x}); }
Tensor square(const Tensor& x) { return call_op("Square", {x}); }
Tensor abs(const Tensor& x) { return call_op("Absolute", {x}); }
Tensor matmul(const Tensor& a, const Tensor& b) { return call_op("Matmul", {a, b}); }
Tensor maximum(const Tensor& a, const Tensor& b) { return call_op("Maximum", {a, b}); }
Tensor minimum(const Tensor& a, const Tensor& b) { return call_op("Minimum", {a, b}); }
Tensor concatenate(const std::vector<Tensor>& xs, int axis) {
  return call_op("Concatenate", {Arg(xs)}, {{"axis", Json(axis)}});
}
Tensor reshape(const Tensor& x, const Shape& shape) { return call_op("Reshape", {x}, {{"newshape", encode(shape)}}); }
Tensor transpose(const Tensor& x, const std::vector<std::int64_t>& axes) {
  return call_op("Transpose", {x}, {{"axes", encode(axes)}});
}
Tensor expand_dims(const Tensor& x, int axis) { return call_op("ExpandDims", {x}, {{"axis", Json(axis)}}); }
Tensor squeeze(const Tensor& x, int axis) { return call_op("Squeeze", {x}, {{"axis", Json(axis)}}); }
Tensor sum(const Tensor& x, std::optional<int> axis, bool keepdims) {
  return call_op("Sum", {x}, reduce_config(axis, keepdims));
}
Tensor mean(const Tensor& x, std::optional<int> axis, bool keepdims) {
  return call_op("Mean", {x}, reduce_config(axis, keepdims));
}
Tensor max(const Tensor& x, std::optional<int> axis, bool keepdims) {
  return call_op("Max", {x}, reduce_config(axis, keepdims));
}
Tensor min(const Tensor& x, std::optional<int> axis, bool keepdims) {
  return call_op("Min", {x}, reduce_config(axis, keepdims));
}
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return call_op("Where", {condition, a, b}); }
Tensor not_equal(const Tensor& x, double value) {
  const bool whole = !is_floating(x.dtype()) && value == static_cast<double>(static_cast<std::int64_t>(value));
  return call_op("NotEqual", {x, Arg(whole ? Json(static_cast<std::int64_t>(value)) : Json(value))});
}
Tensor cast(const Tensor& x, std::string_view dtype) {
  return call_op("Cast", {x}, {{"dtype", Json(std::string(dtype))}});
}

}  // namespace ops
}  // namespace ramet
