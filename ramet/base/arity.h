// Counts the members of an aggregate, so that a field table can be proved complete at compile time.
#pragma once
#include <cstddef>
#include <utility>

namespace ramet::detail {

struct AnyValue {
  template <class T>
  operator T() const;  // declared only: used in unevaluated contexts
};

template <class T, std::size_t... I>
consteval bool initializable(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyValue{})...}; };
}

// Whether T has just N members. (One initialiser more than there are members is refused, and so is each longer list.)
template <class T, std::size_t N>
consteval bool has_members() {
  return initializable<T>(std::make_index_sequence<N>{}) && !initializable<T>(std::make_index_sequence<N + 1>{});
}

}  // namespace ramet::detail
