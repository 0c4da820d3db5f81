#include "ramet/graph/op_operation.h"

#include <algorithm>

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
  require(!found || !found->is_array(), "`", key, "` must be one integer; got ", found ? found->dump() : "");
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
  static constexpr std::string_view kPerAxis[] = {"axis", "axes", "newshape", "shape", "pad_width"};
  for (const auto& [key, value] : own) {
    if (!sizes_fit(value)) throw DataError(cat("`", key, "`: ", value.dump(), " is out of range"));
    if (value.is_array() && value.as_array().size() > kMostAxes &&
        std::find(std::begin(kPerAxis), std::end(kPerAxis), key) != std::end(kPerAxis))
      throw DataError(cat("`", key, "`: a list of ", value.as_array().size(),
                          " entries, one for an axis each; the most are ", kMostAxes));
  }
  const Json* name = own.find("name");
  std::string given = name && !name->is_null() ? name->as_string() : unique_name(class_name);
  own.erase("name");
  return std::make_shared<OpOperation>(*row, std::move(own), std::move(given));
}

namespace {

const OpRow& row_of(std::string_view class_name) {
  const OpRow* row = find_op_row(class_name);
  ensure(row != nullptr, "no op row ", class_name);
  return *row;
}

}  // namespace

template <>
std::vector<Tensor> apply_op(std::string_view class_name, const std::vector<Nest<Tensor>>& args,
                             const JsonObject& config) {
  const auto operation = std::make_shared<OpOperation>(row_of(class_name), config, unique_name(class_name));
  const Tensor out = operation->call(CallArgs{{args.begin(), args.end()}, {}});
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < out.size(); ++i) all.push_back(out.output(i));
  return all;
}

template <>
Values apply_op(std::string_view class_name, const std::vector<Nest<Value>>& args, const JsonObject& config) {
  const OpRow& row = row_of(class_name);
  TracedArgs traced;
  Program* program = nullptr;
  for (const auto& a : args)
    traced.args.push_back(a.map<Traced>([&](const Value& v) {
      if (!v.alive()) v.refuse(class_name);
      program = &v.program();
      return Traced{v, {}};
    }));
  require(program != nullptr, class_name, ": called without a value");
  return row.trace(OpCall(*program, traced, config));
}

Value constant_beside(const Value& beside, const Array& array) { return ops::constant(beside.program(), array); }

Json array_literal(const Array& array) {
  require(array.defined(), "an undefined Array was used");
  const std::vector<double> elements = array.to_doubles();
  const bool whole = !is_floating(array.dtype());
  std::size_t at = 0;
  const std::function<Json(std::size_t)> write = [&](std::size_t axis) {
    if (axis < array.rank()) {
      JsonArray list;
      for (std::int64_t i = 0; i < array.shape()[axis]; ++i) list.push_back(write(axis + 1));
      return Json(std::move(list));
    }
    const double v = elements[at++];
    return array.dtype() == DType::boolean ? Json(v != 0) : whole ? Json(static_cast<std::int64_t>(v)) : Json(v);
  };
  return Json(
      JsonObject{{"class_name", Json("__numpy__")},
                 {"config", Json(JsonObject{{"value", write(0)}, {"dtype", Json(keras_name(array.dtype()))}})}});
}

Json detail::index_json(const Index& index) {
  const auto tagged = [](const char* tag, JsonObject config) {
    return Json(JsonObject{{"class_name", Json(tag)}, {"config", Json(std::move(config))}});
  };
  if (index.kind == Index::Kind::integer) return Json(*index.start);
  if (index.kind == Index::Kind::ellipsis) return tagged("__ellipsis__", {});
  return tagged("__slice__",
                {{"start", encode(index.start)}, {"stop", encode(index.stop)}, {"step", encode(index.step)}});
}

Value Value::operator[](const Index& index) const { return ops::get_item(*this, {index}); }
Value Value::operator[](std::initializer_list<Index> key) const { return ops::get_item(*this, key); }
Tensor Tensor::operator[](std::initializer_list<Index> key) const { return ops::get_item(*this, key); }
Tensor Tensor::operator[](const Index& index) const {
  if (!several_) return ops::get_item(*this, {index});
  require(index.kind == Index::Kind::integer, "a call returned ", size(),
          " tensors: take one by its number before a part of it");
  const auto count = static_cast<std::int64_t>(size()), i = *index.start < 0 ? *index.start + count : *index.start;
  require(i >= 0 && i < count, "there is no tensor ", *index.start, " among the ", count, " that the call returned");
  return output(static_cast<std::size_t>(i));
}

}  // namespace ramet
