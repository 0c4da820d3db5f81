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

// The longest list of initialisers that T accepts.
template <class T, std::size_t Max = 40>
consteval std::size_t member_count() {
  std::size_t best = 0;
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    ((initializable<T>(std::make_index_sequence<K>{}) ? void(best = K) : void()), ...);
  }
  (std::make_index_sequence<Max>{});
  return best;
}

}  // namespace ramet::detail
