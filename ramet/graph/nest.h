// Nested structures of call arguments, inputs and outputs: nothing, a leaf, a plain constant, a list, or a dict of
// them.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ramet/base/error.h"
#include "ramet/base/json.h"

namespace ramet {

template <class T>
class Nest {
 public:
  using List = std::vector<Nest>;
  using Dict =
      std::vector<std::pair<std::string, Nest>>;  // as the user wrote it; flattened by sorted key, as Keras does

  Nest() = default;  // nothing: Keras' None
  Nest(T leaf) : value_(std::move(leaf)) {}
  explicit Nest(Json constant) : value_(std::move(constant)) {}
  explicit Nest(List list) : value_(std::move(list)) {}
  explicit Nest(Dict dict) : value_(std::move(dict)) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_leaf() const { return std::holds_alternative<T>(value_); }
  bool is_constant() const { return std::holds_alternative<Json>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_dict() const { return std::holds_alternative<Dict>(value_); }
  const T& leaf() const { return std::get<T>(value_); }
  const Json& constant() const { return std::get<Json>(value_); }
  const List& list() const { return std::get<List>(value_); }
  const Dict& dict() const { return std::get<Dict>(value_); }

  // Entries of a dict by sorted key.
  std::vector<const std::pair<std::string, Nest>*> sorted() const;

  // Leaves in order.
  std::vector<T> flatten() const {
    std::vector<T> out;
    each([&](const T& leaf) { out.push_back(leaf); });
    return out;
  }
  template <class Visit>
  void each(Visit&& visit) const {
    if (is_leaf()) visit(leaf());
    if (is_list())
      for (const Nest& n : list()) n.each(visit);
    if (is_dict())
      for (const auto* entry : sorted()) entry->second.each(visit);
  }
  // The same structure with other leaves, visited in the order of flatten().
  template <class U, class Map>
  Nest<U> map(Map&& f) const {
    if (is_leaf()) return Nest<U>(f(leaf()));
    if (is_constant()) return Nest<U>(constant());
    if (is_list()) {
      typename Nest<U>::List out;
      for (const Nest& n : list()) out.push_back(n.template map<U>(f));
      return Nest<U>(std::move(out));
    }
    if (is_dict()) {
      typename Nest<U>::Dict out(dict().size());
      for (const auto* entry : sorted()) {
        const auto i = static_cast<std::size_t>(entry - dict().data());
        out[i] = {entry->first, entry->second.template map<U>(f)};
      }
      return Nest<U>(std::move(out));
    }
    return {};
  }

 private:
  std::variant<std::monostate, T, Json, List, Dict> value_;
};

template <class T>
std::vector<const std::pair<std::string, Nest<T>>*> Nest<T>::sorted() const {
  std::vector<const std::pair<std::string, Nest>*> out;
  for (const auto& entry : dict()) out.push_back(&entry);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return out;
}

}  // namespace ramet
