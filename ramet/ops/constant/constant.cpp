#include "ramet/ops/constant/constant.h"

#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

OpDef define_constant() {
  OpDef def;
  def.name = "constant";
  def.not_differentiable = true;
  def.infer = [](const Attrs& a, std::span<const Spec>) -> std::vector<Spec> {
    const Array& v = a.as<ConstantAttrs>().value;
    return {{v.shape(), v.dtype()}};
  };
  // Doubles hold every element type we have but the largest int64 exactly; those are written as integers.
  def.encode = [](const Attrs& a) {
    const Array& v = a.as<ConstantAttrs>().value;
    JsonArray data;
    if (v.dtype() == DType::i64)
      for (const auto x : v.data<std::int64_t>()) data.push_back(Json(x));
    else
      for (const auto x : v.to_doubles())
        data.push_back(is_floating(v.dtype()) ? Json(x) : Json(static_cast<std::int64_t>(x)));
    JsonObject out;
    out.set("dtype", Json(std::string(keras_name(v.dtype()))));
    out.set("shape", encode(v.shape()));
    out.set("data", Json(std::move(data)));
    return Json(std::move(out));
  };
  def.decode = [](const Json& json) {
    const JsonObject& object = json.as_object();
    Shape shape;
    decode(object.at("shape"), shape);
    Array value(shape, dtype_from(object.at("dtype").as_string()));
    const JsonArray& data = object.at("data").as_array();
    if (static_cast<std::int64_t>(data.size()) != value.size())
      throw DataError("constant: data does not fit the shape");
    visit_element(value.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto to = value.data<T>();
      for (std::size_t i = 0; i < data.size(); ++i)
        to[i] = data[i].is_int() ? static_cast<T>(data[i].as_int()) : static_cast<T>(data[i].as_double());
    });
    return Attrs::make(ConstantAttrs{value});
  };
  return def;
}

}  // namespace

const OpDef constant_op = define_constant();

const OpDef iota_op =
    define_op<IotaAttrs>({.name = "iota",
                          .infer = [](const IotaAttrs& a, std::span<const Spec>) -> std::vector<Spec> {
                            canonical_axis(a.axis, a.shape.size(), "iota");
                            return {{a.shape, dtype_from(a.dtype)}};
                          },
                          .vjp = nullptr});

Value constant(Program& program, Array value) {
  return program.emit(constant_op, {}, Attrs::make(ConstantAttrs{std::move(value)}))[0];
}

Value full(Program& program, Shape shape, double value, DType dtype) {
  return broadcast_to(constant(program, Array::scalar(value, dtype)), shape);
}

Value zeros(Program& program, Shape shape, DType dtype) { return full(program, std::move(shape), 0, dtype); }

Value iota(Program& program, Shape shape, int axis, DType dtype) {
  return program.emit(iota_op, {}, Attrs::make(IotaAttrs{std::move(shape), axis, std::string(keras_name(dtype))}))[0];
}

}  // namespace ramet::ops
