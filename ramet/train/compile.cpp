// Model::compile and what it keeps.
#include <algorithm>

#include "ramet/base/quoted.h"
#include "ramet/graph/load_context.h"
#include "ramet/train/compiled_loss.h"
#include "ramet/train/training.h"

namespace ramet {

using namespace train;

namespace {

template <class Interface>
Json encode_named(const Named<Interface>& named) {
  if (named.object()) return encode(named.object());
  if (named.is_function()) return function_json(named.name());
  return named.name().empty() ? Json(nullptr) : Json(named.name());
}

// A list, or a dict where there are names.
Json list_or_dict(const std::vector<std::string>& names, JsonArray items, bool dict) {
  if (!dict) return Json(std::move(items));
  JsonObject out;
  for (std::size_t i = 0; i < names.size(); ++i) out.set(names[i], std::move(items[i]));
  return Json(std::move(out));
}

template <class T, class Encode>
Json encode_per_output(const PerOutput<T>& given, const Encode& one) {
  if (given.empty()) return Json(nullptr);
  if (given.single()) return one(given.values()[0]);
  JsonArray items;
  for (const auto& v : given.values()) items.push_back(one(v));
  for (const auto& item : given.items()) items.push_back(encode_per_output(item, one));
  return list_or_dict(given.names(), std::move(items), given.by_name());
}

Json encode_metrics(const MetricArgs& args) {
  if (args.empty()) return Json(nullptr);
  if (!args.is_list()) return encode_named(args.one());
  JsonArray items;
  for (const auto& item : args.list()) items.push_back(encode_metrics(item));
  return list_or_dict(args.names(), std::move(items), args.is_dict());
}

// A name, a function's name, or an object.
template <class Interface>
Named<Interface> decode_named(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return Named<Interface>(json.as_string());
  if (const std::string name = function_name(json); !name.empty()) {
    if (auto own = Object<Interface>::from_function(name)) return Named<Interface>(Object<Interface>(std::move(own)));
    const Json* module = json.as_object().find("module");
    const bool keras = !module || *module == Json("builtins") || WrittenClass::of(json.as_object()).may_be_keras();
    if (!keras) {
      if (LoadContext* loading = LoadContext::current())
        loading->unknown = cat(Interface::kKind, " function ", quoted(name));
      throw DataError(cat("unknown ", Interface::kKind, ": the function ", quoted(name), " is neither Keras' own nor ",
                          "registered; call register_function"));
    }
    return Named<Interface>::of_function(name);
  }
  Object<Interface> object;
  decode(json, object);
  return Named<Interface>(std::move(object));
}

bool is_object_config(const Json& json) { return json.is_object() && json.as_object().contains("class_name"); }

template <class T, class Decode>
PerOutput<T> decode_per_output(const Json* json, const Decode& one) {
  if (!json || json->is_null()) return {};
  std::vector<PerOutput<T>> items;
  std::vector<std::string> names;
  // Nothing for an output is a value, too.
  const auto add = [&](const Json& item) {
    items.push_back(item.is_null() ? PerOutput<T>(one(item)) : decode_per_output<T>(&item, one));
  };
  if (json->is_array()) {
    for (const Json& item : json->as_array()) add(item);
    return PerOutput<T>::structure(std::move(items));
  }
  if (!json->is_object() || is_object_config(*json)) return PerOutput<T>(one(*json));
  for (const auto& [name, item] : json->as_object()) add(item), names.push_back(name);
  return PerOutput<T>::structure(std::move(items), std::move(names));
}

MetricArgs decode_metrics(const Json* json) {
  if (!json || json->is_null()) return {};
  if (json->is_string() || is_object_config(*json)) return MetricArgs(decode_named<MetricBase>(*json));
  std::vector<MetricArgs> list;
  if (json->is_array()) {
    for (const Json& item : json->as_array()) list.push_back(decode_metrics(&item));
    return MetricArgs(std::move(list));
  }
  std::vector<std::string> names;
  for (const auto& [name, item] : json->as_object()) names.push_back(name), list.push_back(decode_metrics(&item));
  return MetricArgs::dict(std::move(names), std::move(list));
}

// As Keras 3 writes an optimizer: Keras 2 had a package in the name and keys that mean nothing any more.
Json modern_optimizer(const Json& json) {
  if (!json.is_object()) return json;
  JsonObject out = json.as_object();
  if (const Json* name = out.find("class_name"); name && name->is_string() && name->as_string().starts_with("Custom>"))
    out.set("class_name", Json(name->as_string().substr(7)));
  if (const Json* config = out.find("config"); config && config->is_object()) {
    JsonObject own = config->as_object();
    own.erase("jit_compile"), own.erase("is_legacy_optimizer");
    if (const Json* decay = own.find("decay"); decay && decay->is_number() && decay->as_double() == 0)
      own.erase("decay");
    if (const Json* rate = own.find("lr")) {
      const Json value = *rate;
      own.erase("lr");
      own.set("learning_rate", value);
    }
    out.set("config", Json(std::move(own)));
  }
  return Json(std::move(out));
}

// {{"label", {"mae"}}}: what stands before a list is an output.
void check_metric_outputs(const MetricArgs& args, const std::vector<std::string>& outputs, const char* what) {
  for (const auto& entry : args.list()) {
    if (!entry.is_list() || entry.list().size() != 2 || entry.list()[0].is_list() || !entry.list()[1].is_list())
      continue;
    const std::string& name = entry.list()[0].one().name();
    require(name.empty() || std::find(outputs.begin(), outputs.end(), name) != outputs.end(), "compile: `", what,
            "` names the output '", name, "', which the model has not; its outputs are '", join(outputs, "', '"), "'");
  }
}

Compiled& compiled_of(Training& training, const char* what) {
  require(training.compiled.has_value(), "You must call compile() before ", what);
  return *training.compiled;
}

}  // namespace

void Model::compile(const CompileOptions& options) {
  require(static_cast<bool>(options.optimizer), "compile: an optimizer is needed");
  check_names(options);
  const auto training = Training::of(layer());
  const Training::Owner owner(*training, layer(), "compile");
  const Gate::Write alone(training->gate);
  CompileOptions merged = options;
  // As in Keras, what is not given stays as it was.
  if (training->compiled) {
    const CompileOptions& before = training->compiled->options;
    if (merged.loss.empty()) {
      merged.loss = before.loss;
      if (merged.loss_weights.empty()) merged.loss_weights = before.loss_weights;
    }
    if (merged.metrics.empty() && merged.weighted_metrics.empty())
      merged.metrics = before.metrics, merged.weighted_metrics = before.weighted_metrics;
  }
  if (layer().has_graph()) {
    const Outputs outputs(layer());
    check_metric_outputs(merged.metrics, outputs.names, "metrics");
    check_metric_outputs(merged.weighted_metrics, outputs.names, "weighted_metrics");
    merged.metrics = by_output_name(merged.metrics, outputs.names);
    merged.weighted_metrics = by_output_name(merged.weighted_metrics, outputs.names);
    (void)losses_by_output(merged, outputs.names);
    for (const auto& m : metrics_by_output(merged, outputs)) (void)resolve_metric(m.metric, {1}, {1});
  }
  training->compiled = Compiled{std::move(merged), std::nullopt};
  training->drop_plans();
  // The model's layer holds this function, so it outlives the reference. The optimizer has no state before the first
  // step.
  layer().optimizer_params = [&model = layer()] {
    std::pair<std::int64_t, std::int64_t> out{0, 0};
    const auto state = Training::of(model);
    const Gate::Read reading(state->gate);
    if (state->compiled && state->compiled->optimizer)
      for (const auto& v : state->compiled->optimizer->variables)
        out.first += v->stored().size(), out.second += static_cast<std::int64_t>(v->stored().byte_size());
    return out;
  };
}

bool Model::compiled() const { return layer_ && Training::of(layer())->compiled.has_value(); }
void Model::stop_training() const { Training::of(layer())->stop = true; }

double Model::learning_rate() const {
  const auto training = Training::of(layer());
  Compiled& compiled = compiled_of(*training, "reading the learning rate");
  const LearningRate& rate = compiled.options.optimizer->learning_rate();
  if (rate.schedule()) {
    // The schedule at the current step, computed as the training program does.
    const double step = compiled.optimizer ? compiled.optimizer->iteration->stored().item() : 0;
    auto program = std::make_unique<Program>();
    program->output("rate", (*rate.schedule())(program->input("step", {{}, DType::i64})));
    return Executable::compile(std::move(program))->run(Arrays{Array::scalar(step, DType::i64)})[0].item();
  }
  return training->optimizer_state(layer()).learning_rate->stored().item();
}

void Model::set_learning_rate(double rate) {
  const auto training = Training::of(layer());
  Compiled& compiled = compiled_of(*training, "setting the learning rate");
  require(!compiled.options.optimizer->learning_rate().schedule(),
          "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
          "argument, hence its learning rate is not settable. If you need the learning rate to "
          "be settable, you should instead create the optimizer with a float `learning_rate` argument.");
  training->optimizer_state(layer()).learning_rate->assign(Array::scalar(rate));
}

VariableRefs Model::optimizer_variables() const {
  const auto training = Training::of(layer());
  return training->compiled ? training->optimizer_state(layer()).variables : VariableRefs{};
}

JsonObject Model::get_compile_config() const {
  const auto training = Training::of(layer());
  const Compiled& compiled = compiled_of(*training, "get_compile_config()");
  const CompileOptions& o = compiled.options;
  Json optimizer = encode(o.optimizer);
  // The rate as it is now: callbacks may have changed it.
  if (compiled.optimizer && compiled.optimizer->learning_rate)
    optimizer.as_object().at("config").as_object().set("learning_rate",
                                                       Json(compiled.optimizer->learning_rate->stored().item()));
  // Compiled before its outputs were known.
  const auto as_dict = [&](const MetricArgs& given) {
    return layer().has_graph() ? by_output_name(given, train::output_names(layer())) : given;
  };
  JsonObject out{{"optimizer", std::move(optimizer)},
                 {"loss", encode_per_output(o.loss, [](const auto& l) { return encode_named(l); })},
                 {"loss_weights", encode_per_output(o.loss_weights, [](double w) { return Json(w); })},
                 {"metrics", encode_metrics(as_dict(o.metrics))},
                 {"weighted_metrics", encode_metrics(as_dict(o.weighted_metrics))},
                 {"run_eagerly", Json(false)},
                 {"steps_per_execution", Json(1)},
                 {"jit_compile", Json(false)}};
  for (const auto& [key, value] : compiled.ways) out.set(key, value);
  return out;
}

void Model::compile_from_config(const JsonObject& config) {
  // The last five change no result: three are ways to run a step, two stand in files of Keras 2.
  static constexpr std::string_view kKnown[] = {
      "optimizer",           "loss",        "loss_weights",     "metrics",           "weighted_metrics", "run_eagerly",
      "steps_per_execution", "jit_compile", "optimizer_config", "sample_weight_mode"};
  for (const auto& [key, value] : config)
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) leave_out("compile", key, value);
  CompileOptions o;
  if (const Json* optimizer = config.find("optimizer"); optimizer && !optimizer->is_null())
    decode(modern_optimizer(*optimizer), o.optimizer);
  o.loss =
      decode_per_output<Named<LossBase>>(config.find("loss"), [](const Json& j) { return decode_named<LossBase>(j); });
  o.loss_weights = decode_per_output<double>(config.find("loss_weights"), [](const Json& j) {
    double weight = 0;
    decode(j, weight);
    return weight;
  });
  o.metrics = decode_metrics(config.find("metrics"));
  o.weighted_metrics = decode_metrics(config.find("weighted_metrics"));
  compile(o);
  for (const char* key : {"run_eagerly", "steps_per_execution", "jit_compile"})
    if (const Json* value = config.find(key); value && (value->is_bool() || value->is_int() || value->is_string()))
      Training::of(layer())->compiled->ways.set(key, *value);
}

void Model::compile_like(const Model& other, bool with_state) {
  const auto source = Training::of(other.layer());
  compile(compiled_of(*source, "compile_like()").options);
  Training::of(layer())->compiled->ways = source->compiled->ways;
  if (!with_state || !source->compiled->optimizer) return;
  const VariableRefs from = source->compiled->optimizer->variables, to = optimizer_variables();
  bool same = from.size() == to.size();
  for (std::size_t i = 0; same && i < from.size(); ++i) same = from[i]->spec() == to[i]->spec();
  for (std::size_t i = 0; same && i < from.size(); ++i) to[i]->assign(from[i]->stored());
}

}  // namespace ramet
