// Functions of the caller's over values, as files name them: what one can stand for follows from what it takes.
#pragma once
#include <functional>

#include "ramet/array/array.h"
#include "ramet/base/json.h"
#include "ramet/ir/program.h"

namespace ramet {

// What a Lambda's function sees.
struct LambdaInputs {
  Values inputs;
  Values masks;  // undefined where a tensor carries none
  bool training = false;
  JsonObject arguments;  // the layer's `arguments`
  Value operator[](std::size_t i) const { return inputs.at(i); }
};

namespace detail {
Value one_of(const LambdaInputs& in);  // UsageError when the layer was called on several
}

template <class F>
concept LambdaCallable =
    std::is_invocable_r_v<Values, F, const LambdaInputs&> || std::is_invocable_r_v<Value, F, const LambdaInputs&> ||
    std::is_invocable_r_v<Values, F, const Values&> || std::is_invocable_r_v<Value, F, const Values&> ||
    std::is_invocable_r_v<Values, F, Value> || std::is_invocable_r_v<Value, F, Value>;

// The function with one signature, whichever of a Lambda's it has.
template <LambdaCallable F>
std::function<Values(const LambdaInputs&)> lambda_call(F f) {
  if constexpr (std::is_invocable_r_v<Values, F, const LambdaInputs&>)
    return f;
  else if constexpr (std::is_invocable_r_v<Value, F, const LambdaInputs&>)
    return [f](const LambdaInputs& in) { return Values{f(in)}; };
  else if constexpr (std::is_invocable_r_v<Values, F, const Values&> && !std::is_invocable_v<F, Value>)
    return [f](const LambdaInputs& in) { return Values(f(in.inputs)); };
  else if constexpr (std::is_invocable_r_v<Value, F, const Values&> && !std::is_invocable_v<F, Value>)
    return [f](const LambdaInputs& in) { return Values{f(in.inputs)}; };
  else if constexpr (std::is_invocable_r_v<Values, F, Value>)
    return [f](const LambdaInputs& in) { return Values(f(detail::one_of(in))); };
  else
    return [f](const LambdaInputs& in) { return Values{f(detail::one_of(in))}; };
}

// Copies share the function. A member is empty where the function takes something else.
struct AnyFunction {
  std::function<Values(const LambdaInputs&)> lambda;   // of a Lambda layer
  std::function<Value(Value)> of_value;                // activation, regularizer, constraint
  std::function<Value(Value, Value)> of_targets;       // loss or metric: of targets and predictions
  std::function<Array(const Shape&, DType)> of_shape;  // initializer

  AnyFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, AnyFunction>) AnyFunction(F f) {
    constexpr bool takes_shape = std::is_invocable_r_v<Array, F, const Shape&, DType>;
    constexpr bool takes_targets = std::is_invocable_r_v<Value, F, Value, Value>;
    static_assert(LambdaCallable<F> || takes_targets || takes_shape,
                  "a function takes a Value, Values or LambdaInputs (Lambda, activation, regularizer, constraint), two "
                  "Values (loss, metric), or a Shape and a DType (initializer)");
    if constexpr (LambdaCallable<F>) lambda = lambda_call(f);
    if constexpr (std::is_invocable_r_v<Value, F, Value>) of_value = f;
    if constexpr (takes_targets) of_targets = f;
    if constexpr (takes_shape) of_shape = f;
  }

  // The member of this signature.
  template <class F>
  const F& as() const {
    if constexpr (std::same_as<F, std::function<Value(Value)>>)
      return of_value;
    else if constexpr (std::same_as<F, std::function<Value(Value, Value)>>)
      return of_targets;
    else
      return of_shape;
  }
};

}  // namespace ramet
