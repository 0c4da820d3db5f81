// A layer around a function over values.
#pragma once
#include "ramet/graph/handle.h"

namespace ramet {
namespace layers {

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
    static_assert(LambdaCallable<F>,
                  "a Lambda's function takes a Value, Values or LambdaInputs and returns a Value or Values");
    call_ = lambda_call(std::move(f));
  }
  // The caller's function under a name. REQUIRES: it can be a Lambda's.
  LambdaFunction(std::string name, const AnyFunction& function) : call_(function.lambda), name_(std::move(name)) {}
  explicit operator bool() const { return static_cast<bool>(call_); }
  Values operator()(const LambdaInputs& in) const { return call_(in); }
  const std::string& name() const { return name_; }  // empty for a function without one

 private:
  std::function<Values(const LambdaInputs&)> call_;
  std::string name_;
};
Json encode(const LambdaFunction& function);
void decode(const Json& json, LambdaFunction& out);

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
    return {std::string(kClassName), "", &LambdaLayer::from_config, &LambdaLayer::arguments, &typeid(LambdaLayer)};
  }
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;

 private:
  LambdaInputs inputs_of(const CallContext& ctx, const std::vector<Traced>& inputs) const;
};

}  // namespace layers

using Lambda = Handle<layers::LambdaLayer>;

}  // namespace ramet
