// Programs: straight-line code over values of known shape and type. What layers emit, autodiff extends, passes rewrite
// and the planner turns into steps.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "ramet/array/device.h"
#include "ramet/array/dtype.h"
#include "ramet/array/index.h"
#include "ramet/array/shape.h"

namespace ramet {

// Shape and element type of a value. In programs every size is known; in symbolic tensors sizes may be None.
struct Spec {
  Shape shape;
  DType dtype = DType::f32;

  std::size_t rank() const { return shape.size(); }
  std::int64_t dim(int axis) const;  // negative counts from the end; UsageError when there is no such axis
  bool operator==(const Spec&) const = default;
};
std::string to_string(const Spec& spec);  // f32[2, 3]
inline std::ostream& operator<<(std::ostream& out, const Spec& spec) { return out << to_string(spec); }

class Program;
struct OpDef;

// A program's place in a list that outlives it. Programs that come later take it over under the next number, so that a
// value can tell whether its own program is still there.
struct ProgramPlace {
  std::atomic<std::uint32_t> number{0};
  Program* program = nullptr;
};

// A value of a program: cheap to copy, of use while its program lives. An undefined one stands for what is not there (a
// mask, an optional argument); asking it, one whose program is gone, or handing either to an op is a UsageError.
struct Value {
  const ProgramPlace* place = nullptr;
  std::uint32_t number = 0;
  int id = -1;

  explicit operator bool() const { return place != nullptr; }
  bool operator==(const Value&) const = default;
  bool alive() const { return place && place->number.load(std::memory_order_relaxed) == number; }
  Program& program() const {
    if (!alive()) refuse("");
    return *place->program;
  }
  bool belongs_to(const Program& other) const { return alive() && place->program == &other; }
  const Spec& spec() const;
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  std::size_t rank() const { return spec().shape.size(); }
  std::int64_t dim(int axis) const { return spec().dim(axis); }

  // What Python writes x[i], x[2:5] and x[:, 1:3]: x[i], x[Slice(2, 5)], x[{kAll, Slice(1, 3)}]. Defined in
  // ramet/graph.
  Value operator[](const Index& index) const;
  Value operator[](std::initializer_list<Index> key) const;
  template <std::integral I>
  Value operator[](I i) const {
    return (*this)[Index(i)];
  }

  // Says what is wrong with it; `who` is the op that was given it, or empty.
  [[noreturn]] void refuse(std::string_view who) const;
};
using Values = std::vector<Value>;

// Attributes of an instruction: an immutable struct whose type its OpDef knows.
class Attrs {
 public:
  Attrs() = default;
  template <class T>
  static Attrs make(T value) {
    Attrs out;
    out.data_ = std::make_shared<const T>(std::move(value));
    return out;
  }
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(data_.get());
  }

 private:
  std::shared_ptr<const void> data_;
};

struct Instr {
  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<int> inputs;   // value ids
  std::vector<int> results;  // value ids, one per result of the op
  Device device;
};

// What a value enters a program as. State may be given back changed (Program::set_state).
enum class InputKind : unsigned char { data, state };

class Program {
 public:
  struct Input {
    std::string name;
    InputKind kind = InputKind::data;
    int value = -1;
    int update = -1;  // for state: the value it has after the program ran, or -1 when it is only read
  };
  struct Output {
    std::string name;
    int value = -1;
  };

  Program();
  ~Program();
  Program(const Program&) = delete;  // values point at their program
  Program& operator=(const Program&) = delete;

  Value input(std::string name, Spec spec, InputKind kind = InputKind::data);
  // The state that entered as input `index` leaves with this value.
  void set_state(int index, Value value);
  void output(std::string name, Value value);

  // Appends an instruction; its results' specs come from the op's infer, which refuses what cannot be.
  Values emit(const OpDef& op, std::span<const Value> inputs, Attrs attrs);

  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<Instr>& instrs() const { return instrs_; }
  const Instr& instr(int index) const { return instrs_[static_cast<std::size_t>(index)]; }
  int value_count() const { return static_cast<int>(specs_.size()); }
  const Spec& spec(int value) const { return specs_[static_cast<std::size_t>(value)]; }
  int producer(int value) const { return producer_[static_cast<std::size_t>(value)]; }  // instr index; -1 for inputs
  Value value(int id) { return {place_, number_, id}; }

  // Device that instructions emitted from now on are placed on.
  Device device;

 private:
  int new_value(Spec spec, int producer);
  std::deque<Spec> specs_;  // so that a Value's shape() stays where it is while instructions are added
  std::vector<int> producer_;
  std::vector<Instr> instrs_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  ProgramPlace* place_;
  std::uint32_t number_;
};

inline const Spec& Value::spec() const { return program().spec(id); }

// Copies `program` through `rewrite`, which sees every instruction with its inputs already mapped to the new program
// and returns the values that stand for its results (default: the same instruction again). The tool passes are made of.
// `order` lists the instructions, each after those it reads from.
template <class Rewrite>
std::unique_ptr<Program> rebuild(const Program& program, std::span<const int> order, Rewrite&& rewrite) {
  auto out = std::make_unique<Program>();
  std::vector<Value> map(static_cast<std::size_t>(program.value_count()));
  for (const auto& input : program.inputs())
    map[static_cast<std::size_t>(input.value)] = out->input(input.name, program.spec(input.value), input.kind);
  Values in;
  for (const int i : order) {
    const Instr& instr = program.instr(i);
    in.clear();
    for (const int id : instr.inputs) in.push_back(map[static_cast<std::size_t>(id)]);
    out->device = instr.device;
    const Values results = rewrite(*out, i, instr, std::span<const Value>(in));
    for (std::size_t r = 0; r < results.size(); ++r) map[static_cast<std::size_t>(instr.results[r])] = results[r];
  }
  for (std::size_t i = 0; i < program.inputs().size(); ++i)
    if (program.inputs()[i].update >= 0)
      out->set_state(static_cast<int>(i), map[static_cast<std::size_t>(program.inputs()[i].update)]);
  for (const auto& output : program.outputs()) out->output(output.name, map[static_cast<std::size_t>(output.value)]);
  return out;
}

template <class Rewrite>
std::unique_ptr<Program> rebuild(const Program& program, Rewrite&& rewrite) {
  std::vector<int> order(program.instrs().size());
  std::iota(order.begin(), order.end(), 0);
  return rebuild(program, order, std::forward<Rewrite>(rewrite));
}

}  // namespace ramet
