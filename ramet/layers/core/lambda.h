// A layer around a function over values.
#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

// What a Lambda's function sees.
struct LambdaInputs {
  Values inputs;
  Values masks;  // undefined where a tensor carries none
  bool training = false;
  JsonObject arguments;  // the layer's `arguments`
  Value operator[](std::size_t i) const { return inputs.at(i); }
};

// A function of one value, of a list, or of everything; with one result or several. Copies share the function.
class LambdaFunction {
 public:
  static constexpr std::string_view kKind = "function";
  LambdaFunction() = default;
  LambdaFunction(const char* name);  // after register_function(name, …); what files can hold
  LambdaFunction(const std::string& name) : LambdaFunction(name.c_str()) {}
  template <class F>
  requires(!std::convertible_to<F, std::string> && !std::same_as<std::remove_cvref_t<F>, LambdaFunction>)
      LambdaFunction(F f) {
    if constexpr (std::is_invocable_r_v<Values, F, const LambdaInputs&>)
      call_ = f;
    else if constexpr (std::is_invocable_r_v<Value, F, const LambdaInputs&>)
      call_ = [f](const LambdaInputs& in) { return Values{f(in)}; };
    else if constexpr (std::is_invocable_r_v<Values, F, const Values&> && !std::is_invocable_v<F, Value>)
      call_ = [f](const LambdaInputs& in) { return Values(f(in.inputs)); };
    else if constexpr (std::is_invocable_r_v<Value, F, const Values&> && !std::is_invocable_v<F, Value>)
      call_ = [f](const LambdaInputs& in) { return Values{f(in.inputs)}; };
    else if constexpr (std::is_invocable_r_v<Values, F, Value>)
      call_ = [f](const LambdaInputs& in) { return Values(f(one(in))); };
    else {
      static_assert(std::is_invocable_r_v<Value, F, Value>,
                    "a Lambda's function takes a Value, Values or LambdaInputs and returns a Value or Values");
      call_ = [f](const LambdaInputs& in) { return Values{f(one(in))}; };
    }
  }
  explicit operator bool() const { return static_cast<bool>(call_); }
  Values operator()(const LambdaInputs& in) const { return call_(in); }
  const std::string& name() const { return name_; }  // empty for a function without one
  LambdaFunction named(std::string name) const;      // the same function under a name

 private:
  static Value one(const LambdaInputs& in);
  std::function<Values(const LambdaInputs&)> call_;
  std::string name_;
};
Json encode(const LambdaFunction& function);
void decode(const Json& json, LambdaFunction& out);

// While it lives, this thread finds these functions first: by the name in a config, or by the name of the layer.
class FunctionScope {
 public:
  explicit FunctionScope(const std::map<std::string, LambdaFunction>& functions);
  ~FunctionScope();
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;

 private:
  const std::map<std::string, LambdaFunction>* before_;
};

struct LambdaConfig {
  LambdaFunction function = {};
  // The shape of the output without the batch axis; checked against what the function gives.
  std::optional<std::vector<std::int64_t>> output_shape = std::nullopt;
  LambdaFunction mask = {};  // the output's mask from inputs and masks; none when empty
  Json arguments = Json(JsonObject{});

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields =
      Fields{field("function", &LambdaConfig::function), field("output_shape", &LambdaConfig::output_shape),
             field("mask", &LambdaConfig::mask), field("arguments", &LambdaConfig::arguments)};
};

class LambdaLayer final : public LayerOf<LambdaLayer, LambdaConfig, MaskRule::custom, MaskCall> {
 public:
  static constexpr std::string_view kClassName = "Lambda";
  explicit LambdaLayer(LambdaConfig config, LayerOptions options = {});
  static LayerRef from_config(const JsonObject& json);
  static LayerRegistration registration() {
    return {std::string(kClassName), "", &LambdaLayer::from_config, &LambdaLayer::arguments};
  }
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;

 private:
  LambdaInputs inputs_of(const CallContext& ctx, const std::vector<Traced>& inputs) const;
};

}  // namespace layers

using layers::LambdaInputs;
using Lambda = Handle<layers::LambdaLayer>;

// Makes a function known by name, for Lambda("name") and for files that hold one.
void register_function(const std::string& name, layers::LambdaFunction function);

}  // namespace ramet
