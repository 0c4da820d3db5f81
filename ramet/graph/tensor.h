// Symbolic tensors and the nodes that make them. Calling an operation on tensors records a node; a model is what lies
// between some tensors and others.
#pragma once
#include <array>
#include <memory>
#include <optional>

#include "ramet/graph/nest.h"
#include "ramet/ir/program.h"

namespace ramet {

class Operation;
class Arg;
struct Node;
using OperationRef = std::shared_ptr<Operation>;

// A handle: copies are the same tensor, the output of one symbolic call. The result of a call with several outputs is
// one Tensor that stands for all of them; it must be unpacked (`auto [a, b] = t.unpack<2>()`, t[0], t["name"]) before
// it is used as one.
class Tensor {
 public:
  Tensor() = default;  // no tensor
  Tensor(std::shared_ptr<Node> node, int index) : node_(std::move(node)), index_(index) {}

  bool defined() const { return node_ != nullptr || several_ != nullptr; }
  explicit operator bool() const { return defined(); }

  // UsageError when this is no tensor or stands for several.
  const Spec& spec() const;
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  const std::string& name() const;
  const std::optional<Spec>& mask_spec() const;
  bool masked() const { return mask_spec().has_value(); }  // a mask travels beside it
  const std::shared_ptr<Node>& node() const;
  int index() const { return index_; }  // among the node's outputs
  bool operator==(const Tensor&) const = default;
  bool before(const Tensor& o) const { return node_ != o.node_ ? node_ < o.node_ : index_ < o.index_; }

  bool several() const { return several_ != nullptr; }
  const Arg& structure() const;
  std::size_t size() const;            // how many it stands for
  Tensor output(std::size_t i) const;  // one of them, in flat order; itself when it stands for one
  // Of several: the i-th in flat order, or by key of a dict. Of one: a part, as Python writes x[i], x[2:5] and x[:,
  // 1:3]: x[i], x[Slice(2, 5)], x[{kAll, Slice(1, 3)}].
  Tensor operator[](const Index& index) const;
  Tensor operator[](std::initializer_list<Index> key) const;
  Tensor operator[](std::string_view key) const;
  template <std::integral I>
  Tensor operator[](I i) const {
    return (*this)[Index(i)];
  }
  template <std::size_t N>
  std::array<Tensor, N> unpack() const;
  static Tensor bundle(Arg structure);

 private:
  struct Several;
  std::vector<Tensor> flat() const;
  std::shared_ptr<Node> node_;
  int index_ = 0;
  std::shared_ptr<const Several> several_;
};
using Tensors = std::vector<Tensor>;

}  // namespace ramet

// The order of maps and sets; `<` on tensors compares elements (ramet/graph/functions.h).
template <>
struct std::less<ramet::Tensor> {
  bool operator()(const ramet::Tensor& a, const ramet::Tensor& b) const { return a.before(b); }
};

namespace ramet {

// Structures of tensors, as arguments and results of calls. Written {a, b}, {{"x", a}, {"y", b}}, or just a.
class Arg : public Nest<Tensor> {
 public:
  using Nest::Nest;
  Arg() = default;
  Arg(Nest<Tensor> nest) : Nest(std::move(nest)) {}
  Arg(Tensor tensor);  // a tensor that stands for several becomes their structure
  Arg(std::initializer_list<Arg> list);
  Arg(std::initializer_list<std::pair<std::string, Arg>> dict);
  Arg(const std::vector<Tensor>& list);
};

// What a symbolic call was given: positional arguments, then keyword arguments in the order of writing. Every tensor in
// them is an edge.
struct CallArgs {
  std::vector<Arg> args;
  std::vector<std::pair<std::string, Arg>> kwargs;
  // Keyword arguments that a file recorded as nothing (None). They say nothing and are written again.
  JsonObject recorded = {};

  const Arg* find(std::string_view name) const;
  std::vector<Tensor> tensors() const;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);  // <Tensor shape=(None, 4), dtype=float32, name=x>

// One symbolic call.
struct Node {
  struct Output {
    Spec spec;
    std::string name;
    std::optional<Spec> mask;
  };
  OperationRef operation;
  int index = 0;  // how many calls the operation had before
  CallArgs arguments;
  std::optional<Device> device;
  std::vector<Output> outputs;
  Nest<int> structure;  // of the outputs; leaves are indices

  Node() = default;
  ~Node();  // does not recurse, however long the chain of calls that ends with it
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  bool is_input() const { return arguments.args.empty() && arguments.kwargs.empty(); }
};

// What a node's call returned.
Tensor outputs_of(const std::shared_ptr<Node>& node);

// While it lives, nodes made by this thread are placed on the device.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  static const std::optional<Device>& current();

 private:
  std::optional<Device> before_;
};

template <std::size_t N>
std::array<Tensor, N> Tensor::unpack() const {
  const std::vector<Tensor> all = flat();
  require(all.size() == N, "unpack<", N, ">: the call returned ", all.size(), " tensor", all.size() == 1 ? "" : "s");
  std::array<Tensor, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = all[i];
  return out;
}

}  // namespace ramet
