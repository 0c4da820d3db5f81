#include "ramet/layers/core/lambda.h"

#include "ramet/base/strings.h"
#include "ramet/graph/load_context.h"

namespace ramet {
namespace layers {
namespace {

// The function given to this load for a layer of that name.
const AnyFunction* given_for(const std::string& layer) {
  const LoadContext* loading = LoadContext::current();
  if (!loading) return nullptr;
  const auto it = loading->functions.find(layer);
  return it == loading->functions.end() ? nullptr : &it->second;
}

}  // namespace

LambdaFunction::LambdaFunction(const char* name) : name_(name) {
  const auto found = find_function(name_);
  require(found.has_value(), "Lambda: no function named '", name, "' is registered; call register_function(\"", name,
          "\", …) first");
  require(static_cast<bool>(found->lambda), "Lambda: the function '", name,
          "' takes something else; a Lambda's takes a Value, Values or LambdaInputs");
  call_ = found->lambda;
}

Json encode(const LambdaFunction& function) { return function ? function_json(function.name()) : Json(nullptr); }

void decode(const Json& json, LambdaFunction& out) {
  if (json.is_null()) return;
  const Json* kind = json.is_object() ? json.as_object().find("class_name") : nullptr;
  if (kind && *kind == Json("__lambda__")) throw DataError("Lambda: Python bytecode is never run");
  const std::string name = function_name(json);
  if (name.empty()) throw DataError("Lambda: `function` is not a function's name");
  try {
    out = LambdaFunction(name);
  } catch (const UsageError& error) { throw DataError(error.what()); }
}

// Python code in a file gives way to a function of the layer's name.
LayerRef LambdaLayer::from_config(const JsonObject& json) {
  JsonObject own = json;
  const Json* name = json.find("name");
  const std::string layer = name && name->is_string() ? name->as_string() : "";
  const AnyFunction* replacement = given_for(layer);
  const auto is_code = [](const Json* f) {
    const Json* kind = f && f->is_object() ? f->as_object().find("class_name") : nullptr;
    const bool legacy = f && f->is_array();  // [code, defaults, closure] of Keras 2
    return legacy || (kind && kind->is_string() && kind->as_string() == "__lambda__");
  };
  const bool code = is_code(json.find("function"));
  if (code && !replacement)
    throw DataError(cat("Lambda '", layer,
                        "': the file holds Python bytecode, which is never run; give a C++ function for it: "
                        "load_model(path, {.functions = {{\"",
                        layer, "\", fn}}})"));
  if (code || replacement) {
    own.set("function", Json(nullptr));
    for (const char* shape : {"output_shape", "mask"})
      if (is_code(json.find(shape))) own.set(shape, Json(nullptr));
  }
  for (const char* unused : {"module", "function_type", "output_shape_type", "output_shape_module"}) own.erase(unused);
  const LayerOptions options = layer_options_from(own, kClassName, field_names<LambdaConfig>());
  auto config = ramet::from_json<LambdaConfig>(own);
  if (replacement && (code || !config.function)) {
    if (!replacement->lambda) throw DataError(cat("Lambda '", layer, "': the function given takes something else"));
    config.function = LambdaFunction(layer, *replacement);
  }
  return std::make_shared<LambdaLayer>(std::move(config), options);
}

LambdaLayer::LambdaLayer(LambdaConfig config, LayerOptions options) : LayerOf(std::move(config), std::move(options)) {
  require(static_cast<bool>(this->config().function), "Lambda '", name(), "': a function is needed");
}

LambdaInputs LambdaLayer::inputs_of(const CallContext& ctx, const std::vector<Traced>& inputs) const {
  LambdaInputs in;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    in.inputs.push_back(inputs[i].value);
    in.masks.push_back(ctx.mask(i));
  }
  in.training = ctx.training();
  in.arguments = config().arguments.is_object() ? config().arguments.as_object() : JsonObject{};
  return in;
}

TracedNest LambdaLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  require(!args.args.empty(), describe(*this), ": called without a tensor");
  const auto inputs = args.args[0].flatten();
  const Values ys = config().function(inputs_of(ctx, inputs));
  require(!ys.empty(), describe(*this), ": the function returned nothing");
  TracedNest::List list;
  for (const Value& y : ys) {
    require(y.belongs_to(ctx.program()), describe(*this),
            ": the function returned a value that it did not compute here");
    if (config().output_shape) {
      Shape want = *config().output_shape, got(y.shape().begin() + (y.rank() ? 1 : 0), y.shape().end());
      bool fits = want.size() == got.size();
      for (std::size_t i = 0; fits && i < want.size(); ++i) fits = want[i] == None || want[i] == got[i];
      require(fits, describe(*this), ": output_shape is ", to_string(want), ", but the function gave ", to_string(got));
    }
    // A function that hands an input back hands its mask back, too.
    Value mask;
    for (const Traced& t : inputs)
      if (t.value == y) mask = t.mask;
    list.push_back(TracedNest(Traced{y, mask}));
  }
  return list.size() == 1 ? list[0] : TracedNest(std::move(list));
}

Values LambdaLayer::compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const {
  return config().mask ? config().mask(inputs_of(ctx, inputs)) : Values{};
}

}  // namespace layers
}  // namespace ramet
