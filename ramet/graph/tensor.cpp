#include "ramet/graph/tensor.h"

namespace ramet {
namespace {
thread_local std::optional<Device> current_device;
}  // namespace

// What one handle stands for: the structure, and its leaves in order.
struct Tensor::Several {
  Arg structure;
  std::vector<Tensor> flat;
};

Arg::Arg(Tensor tensor)
    : Nest(tensor.several()   ? static_cast<const Nest<Tensor>&>(tensor.structure())
           : tensor.defined() ? Nest<Tensor>(tensor)
                              : Nest<Tensor>()) {}

Arg::Arg(std::initializer_list<Arg> list)
    : Nest([&] {
        List out;
        for (const Arg& a : list) out.push_back(a);
        return Nest<Tensor>(std::move(out));
      }()) {}

Arg::Arg(std::initializer_list<std::pair<std::string, Arg>> dict)
    : Nest([&] {
        Dict out;
        for (const auto& [key, value] : dict) out.emplace_back(key, value);
        return Nest<Tensor>(std::move(out));
      }()) {}

Arg::Arg(const std::vector<Tensor>& list)
    : Nest([&] {
        List out;
        for (const Tensor& t : list) out.push_back(Arg(t));
        return Nest<Tensor>(std::move(out));
      }()) {}

const Arg* CallArgs::find(std::string_view name) const {
  for (const auto& [key, value] : kwargs)
    if (key == name) return &value;
  return nullptr;
}

std::vector<Tensor> CallArgs::tensors() const {
  std::vector<Tensor> out;
  const auto collect = [&](const Tensor& t) { out.push_back(t); };
  for (const Arg& a : args) a.each(collect);
  for (const auto& [key, a] : kwargs) a.each(collect);
  return out;
}

const std::shared_ptr<Node>& Tensor::node() const {
  if (node_) return node_;
  require(several_ != nullptr, "an undefined Tensor was used; a tensor comes from Input or from calling a layer");
  throw UsageError(cat("a call returned ", size(),
                       " tensors and its result was used as one; take them apart with .unpack<", size(), ">() or [i]"));
}

const Spec& Tensor::spec() const { return node()->outputs[static_cast<std::size_t>(index_)].spec; }
const std::string& Tensor::name() const { return node()->outputs[static_cast<std::size_t>(index_)].name; }
const std::optional<Spec>& Tensor::mask_spec() const { return node()->outputs[static_cast<std::size_t>(index_)].mask; }

Node::~Node() {
  std::vector<Tensor> rest = arguments.tensors();
  arguments = {};
  while (!rest.empty()) {
    const Tensor last = std::move(rest.back());
    rest.pop_back();
    Node& node = *last.node();
    if (last.node().use_count() > 1) continue;
    for (Tensor& t : node.arguments.tensors()) rest.push_back(std::move(t));
    node.arguments = {};
  }
}

Tensor outputs_of(const std::shared_ptr<Node>& node) {
  return Tensor::bundle(Arg(node->structure.map<Tensor>([&](int i) { return Tensor(node, i); })));
}

const Arg& Tensor::structure() const { return several_->structure; }

std::vector<Tensor> Tensor::flat() const {
  require(defined(), "an undefined Tensor was unpacked");
  return several_ ? several_->flat : std::vector<Tensor>{*this};
}

std::size_t Tensor::size() const {
  require(defined(), "an undefined Tensor was unpacked");
  return several_ ? several_->flat.size() : 1;
}

Tensor Tensor::output(std::size_t i) const {
  require(i < size(), "there is no tensor ", i, " among the ", size(), " that the call returned");
  return several_ ? several_->flat[i] : *this;
}

Tensor Tensor::operator[](std::string_view key) const {
  require(several_ && structure().is_dict(), "['", key, "']: the call did not return a dict of tensors");
  for (const auto& [name, value] : structure().dict())
    if (name == key) return value.is_leaf() ? value.leaf() : bundle(value);
  throw UsageError(cat("the call returned no tensor named '", key, "'"));
}

Tensor Tensor::bundle(Arg structure) {
  if (structure.is_leaf()) return structure.leaf();
  Tensor out;
  auto leaves = structure.flatten();
  out.several_ = std::make_shared<const Several>(Several{std::move(structure), std::move(leaves)});
  return out;
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  if (!t.defined()) return out << "<no Tensor>";
  if (t.several()) return out << "<" << t.size() << " Tensors>";
  return out << "<Tensor shape=" << to_string(t.shape()) << ", dtype=" << t.dtype() << ", name=" << t.name() << ">";
}

DeviceScope::DeviceScope(Device device) : before_(current_device) { current_device = device; }
DeviceScope::~DeviceScope() { current_device = before_; }
const std::optional<Device>& DeviceScope::current() { return current_device; }

}  // namespace ramet
