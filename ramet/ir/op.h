// The record that says everything about one op: attributes, shapes, gradient, traits, text form.
#pragma once
#include <functional>

#include "ramet/base/config.h"
#include "ramet/ir/program.h"

namespace ramet {

enum class Trait : unsigned {
  none = 0,
  pointwise = 1,  // element i of the result depends on element i of every (broadcast) input only
  commutative = 2,
  random = 4,  // never merged with an equal instruction
  view = 8,    // the result holds the elements of input 0 in the same order (reshape)
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(Trait set, Trait one) { return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0; }

// What a gradient rule sees. `d_out` has one entry per result; an undefined one means zero.
struct Vjp {
  const Attrs& attrs;
  std::span<const Value> in;
  std::span<const Value> out;
  std::span<const Value> d_out;

  Value dy() const { return d_out[0]; }
  template <class T>
  const T& as() const {
    return attrs.as<T>();
  }
};

struct OpDef {
  std::string_view name;
  Trait traits = Trait::none;
  std::function<std::vector<Spec>(const Attrs&, std::span<const Spec>)> infer;
  // One value per input; an undefined one means no gradient flows there.
  std::function<Values(const Vjp&)> vjp;
  // Said explicitly where there is no vjp: the result does not vary with the inputs, or nobody needs it.
  bool not_differentiable = false;
  std::function<Json(const Attrs&)> encode;
  std::function<Attrs(const Json&)> decode;
  // The program an instruction carries (scan, cluster), or null.
  std::function<const Program*(const Attrs&)> body;
  std::function<Attrs(const Json&, std::unique_ptr<Program>)> decode_with_body;
};

struct NoAttrs {
  static constexpr Fields fields{};
};

// Typed front of OpDef: an op's author never sees Attrs.
template <class A>
struct OpOf {
  std::string_view name;
  Trait traits = Trait::none;
  std::vector<Spec> (*infer)(const A&, std::span<const Spec>) = nullptr;
  Values (*vjp)(const Vjp&) = nullptr;
};

template <class A>
OpDef define_op(OpOf<A> op) {
  OpDef def;
  def.name = op.name;
  def.traits = op.traits;
  def.infer = [infer = op.infer](const Attrs& a, std::span<const Spec> in) { return infer(a.as<A>(), in); };
  if (op.vjp)
    def.vjp = op.vjp;
  else
    def.not_differentiable = true;
  def.encode = [](const Attrs& a) { return Json(to_json(a.as<A>())); };
  def.decode = [](const Json& json) { return Attrs::make(from_json<A>(json.as_object())); };
  return def;
}

// The program of the values `op` was given. UsageError naming the op when one is undefined or of a program that is
// gone.
Program& program_of(std::string_view op, std::span<const Value> in);

// Appends an instruction to the program of its first input.
template <class A>
Values emit(const OpDef& op, std::initializer_list<Value> in, A attrs) {
  const std::span<const Value> values(in.begin(), in.size());
  return program_of(op.name, values).emit(op, values, Attrs::make(std::move(attrs)));
}

}  // namespace ramet
