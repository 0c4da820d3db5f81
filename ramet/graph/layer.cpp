#include "ramet/graph/layer.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "ramet/array/random.h"
#include "ramet/base/strings.h"
#include "ramet/graph/load_context.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet {
namespace {

std::mutex names_mutex;
std::map<std::string, int, std::less<>> names_given;
std::mutex policy_mutex;
std::string global_policy = "float32";
thread_local std::string path_prefix;  // empty, or ends in '/'

}  // namespace

Gate& Variable::gate() {
  static Gate gate;
  return gate;
}

void Variable::assign(const Array& given) {
  const Gate::Write alone(gate());
  Array& mine = storage();
  require(given.defined() && given.shape() == mine.shape(), "variable '", path, "' has shape ", to_string(mine.shape()),
          " and cannot be assigned ", given.defined() ? cat("shape ", to_string(given.shape())) : "an undefined Array",
          "; a variable keeps its shape");
  const Array same = given.astype(mine.dtype());
  std::copy_n(static_cast<const char*>(same.raw()), same.byte_size(), static_cast<char*>(mine.raw()));
  touched();
}

const Nest<Spec>* SpecArgs::find(std::string_view name) const {
  for (const auto& [key, value] : kwargs)
    if (key == name) return &value;
  return nullptr;
}

PathScope::PathScope(const std::string& prefix) : before_(path_prefix) { path_prefix += prefix + "/"; }
PathScope::~PathScope() { path_prefix = before_; }

DTypePolicy dtype_policy_from(std::string_view name) {
  if (name == "mixed_bfloat16") return {DType::bf16, DType::f32};
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16})
    if (name == keras_name(dtype)) return {dtype, dtype};
  static constexpr std::string_view kKnown = "use float32, float64, bfloat16 or mixed_bfloat16";
  if (name == "mixed_float16")
    throw UsageError(
        cat("dtype policy 'mixed_float16' is not supported: its small gradients need a loss that is scaled; ", kKnown));
  throw UsageError(cat("dtype policy '", name, "' is not supported; ", kKnown));
}

void set_dtype_policy(const std::string& name) {
  dtype_policy_from(name);
  const std::lock_guard lock(policy_mutex);
  global_policy = name;
}

std::string dtype_policy() {
  const std::lock_guard lock(policy_mutex);
  return global_policy;
}

std::string unique_name(std::string_view class_name) {
  const std::string base = snake_case(class_name);
  const std::lock_guard lock(names_mutex);
  const int before = names_given[base]++;
  return before ? cat(base, "_", before) : base;
}

void reset_names() {
  const std::lock_guard lock(names_mutex);
  names_given.clear();
}

std::string describe(const Operation& operation) { return cat(operation.class_name(), " '", operation.name(), "'"); }

namespace {

// Initialized, or room for what a file holds.
Array first_value(const Layer& layer, const std::string& name, const Shape& shape, DType dtype,
                  const InitFunction& initializer) {
  if (LoadContext* loading = LoadContext::current()) {
    std::uint64_t bytes = size_of(dtype);
    bool fits = true;
    for (const auto size : shape)
      fits = fits && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes);
    if (!fits || bytes > loading->weight_bytes)
      throw DataError(cat(describe(layer), ": the weight '", name, "' of shape ", to_string(shape),
                          " takes more memory than ",
                          loading->values_follow ? "the file's weights justify" : "allowed"));
    loading->weight_bytes -= bytes;
    if (loading->values_follow) return Array::uninitialized(shape, dtype);
  }
  Array value = initializer(shape, dtype);
  require(value.shape() == shape, describe(layer), ": the initializer of '", name, "' gave ", to_string(value.shape()),
          ", not ", to_string(shape));
  return value.astype(dtype).copy();
}

Json shape_json(const Shape& shape) {
  JsonArray out;
  for (const auto size : shape) out.push_back(size == None ? Json(nullptr) : Json(size));
  return Json(std::move(out));
}

Json shapes_json(const Nest<Spec>& nest) {
  if (nest.is_leaf()) return shape_json(nest.leaf().shape);
  if (!nest.is_list()) return Json(nullptr);
  JsonArray out;
  for (const auto& item : nest.list()) out.push_back(shapes_json(item));
  return Json(std::move(out));
}

// {"input_shape": …}, or {"shapes_dict": {"query_shape": …}} for attention, which Keras builds for several shapes.
// (Cells take several tensors, too, but are built for the first.)
Json build_config_of(const Layer& layer, const SpecArgs& args) {
  const auto names = layer.positional_arguments();
  if (names.empty() || names[0] != "query")
    return args.args.empty() ? Json(nullptr) : Json(JsonObject{{"input_shape", shapes_json(args.args[0])}});
  JsonObject shapes;
  for (std::size_t i = 0; i < args.args.size() && i < names.size(); ++i)
    shapes.set(names[i] + "_shape", shapes_json(args.args[i]));
  for (const auto& [key, nest] : args.kwargs)
    if (std::find(names.begin(), names.end(), key) != names.end()) shapes.set(key + "_shape", shapes_json(nest));
  return Json(JsonObject{{"shapes_dict", Json(std::move(shapes))}});
}

}  // namespace

Weight Builder::weight(const std::string& name, Shape shape, const InitFunction& initializer, WeightOptions options) {
  for (const auto size : shape)
    require(size != None, describe(layer_), ": the weight '", name,
            "' needs a size that the input leaves open: ", to_string(shape));
  const DType dtype = options.dtype.value_or(layer_.variable_dtype());
  auto variable = std::make_shared<Variable>(name, first_value(layer_, name, shape, dtype, initializer));
  variable->path = cat(path_, "/", name);
  variable->is_parameter = options.trainable;
  variable->trainable = options.trainable && layer_.trainable();
  variable->regularizer = std::move(options.regularizer);
  variable->constraint = std::move(options.constraint);
  layer_.variables_.push_back(variable);
  return Weight(variable);
}

Weight Builder::seed(std::optional<std::int64_t> seed) {
  const auto number = seed ? *seed : static_cast<std::int64_t>(next_seed());
  auto variable = std::make_shared<Variable>("seed_generator_state", Array::of<std::int64_t>({2}, {number, 0}));
  variable->path = cat(path_, "/seed_generator_state");
  variable->is_parameter = variable->trainable = false;
  variable->is_weight = false;
  layer_.variables_.push_back(variable);
  return Weight(variable);
}

// A layer that was frozen before anybody could know of those inside freezes them now.
void Builder::adopt(const LayerRef& inner) {
  if (inner->built()) return;
  const auto known = layer_.sublayers();
  if (!layer_.trainable() && std::find(known.begin(), known.end(), inner) == known.end()) inner->set_trainable(false);
  layer_.built_inside_.push_back(inner);
}

void Builder::build(const LayerRef& inner, const Spec& input) {
  adopt(inner);
  inner->build_now(cat(path_, "/", inner->name()), {{Nest<Spec>(input)}, {}});
}

void Builder::build(const LayerRef& inner, const std::vector<Spec>& inputs) {
  Nest<Spec>::List list(inputs.begin(), inputs.end());
  adopt(inner);
  inner->build_now(cat(path_, "/", inner->name()), {{Nest<Spec>(std::move(list))}, {}});
}

Layer::Layer(std::string name, bool trainable, std::string dtype) : Operation(std::move(name)), trainable_(trainable) {
  require(this->name().find('/') == std::string::npos, "layer name '", this->name(), "' must not contain '/'");
  set_dtype(dtype);
}

void Layer::set_dtype(const std::string& dtype) {
  dtype_name_ = dtype.empty() ? dtype_policy() : dtype;
  try {
    dtype_ = dtype_policy_from(dtype_name_);
  } catch (const UsageError& error) { throw UsageError(cat("layer '", name(), "': ", error.what())); }
}

LayerRef Layer::clone_named(std::string name) const {
  LayerRef out = clone();
  out->rename(std::move(name));
  return out;
}

std::vector<std::string> Layer::sublayer_names() const {
  return std::vector<std::string>(sublayers().size(), "layers/");
}

void Layer::set_trainable(bool trainable) {
  trainable_ = trainable;
  for (const auto& v : variables_)
    if (v->is_parameter) v->trainable = trainable;
  for (const auto& inner : sublayers()) inner->set_trainable(trainable);
}

void Layer::collect_weights(VariableRefs& out) const {
  for (const bool parameter : {true, false})
    for (const auto& v : variables_)
      if (v->is_weight && v->is_parameter == parameter) out.push_back(v);
  for (const auto& inner : sublayers()) inner->collect_weights(out);
}

VariableRefs Layer::weights() const {
  VariableRefs all, out;
  collect_weights(all);
  std::set<const void*> seen;
  for (auto& v : all)
    if (seen.insert(v->identity()).second) out.push_back(std::move(v));
  return out;
}

VariableRefs Layer::trainable_weights() const {
  if (!trainable_) return {};
  VariableRefs out = weights();
  std::erase_if(out, [](const VariableRef& v) { return !v->trainable; });
  return out;
}

VariableRefs Layer::non_trainable_weights() const {
  VariableRefs out = weights();
  if (trainable_) std::erase_if(out, [](const VariableRef& v) { return v->trainable; });
  return out;
}

Arrays Layer::get_weights() const {
  Arrays out;
  for (const auto& v : weights()) out.push_back(v->value());
  return out;
}

void Layer::set_weights(const Arrays& values) {
  const auto all = weights();
  require(values.size() == all.size(), "You called `set_weights(weights)` on layer '", name(),
          "' with a weight list of length ", values.size(), ", but the layer was expecting ", all.size(), " weights.");
  for (std::size_t i = 0; i < all.size(); ++i)
    require(values[i].shape() == all[i]->shape(), "Layer ", name(), " weight shape ", to_string(all[i]->shape()),
            " is not compatible with provided weight shape ", to_string(values[i].shape()), ". (weight '", all[i]->path,
            "')");
  const Gate::Write alone(Variable::gate());  // all of them at once, for whoever predicts meanwhile
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->assign(values[i]);
}

std::int64_t Layer::count_params() const {
  std::int64_t count = 0;
  for (const auto& v : weights()) count += v->size();
  return count;
}

void Layer::check_arguments(const SpecArgs& args) const {
  const auto positional = positional_arguments(), keyword = call_arguments();
  require(args.args.size() <= positional.size(), describe(*this), ": takes ", positional.size(),
          " positional argument(s) (", join(positional, ", "), "); got ", args.args.size());
  for (const auto& [key, value] : args.kwargs) {
    const auto named = [&key = key](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), key) != list.end();
    };
    if (named(keyword) || named(positional) || key == "training") continue;
    const std::string near = nearest(key, keyword);
    throw UsageError(cat(describe(*this), ": call has no argument '", key, "'",
                         near.empty() ? "" : cat("; did you mean '", near, "'?"),
                         keyword.empty() ? "" : cat(" (it takes ", join(keyword, ", "), ")")));
  }
}

void Layer::prepare(const SpecArgs& args) {
  check_arguments(args);
  const auto inputs = args.inputs();
  require(!inputs.empty() || positional_arguments().size() > 1, "Layer '", name(),
          "' expected 1 input(s). Received 0 instead.");
  check(inputs);
  build_now(path_prefix + name(), args);
}

void Layer::build_now(const std::string& path, const SpecArgs& args) {
  if (built_) return;
  Builder builder(*this, path);
  build_args(builder, args);
  built_ = true;
  if (!weights().empty()) build_config_ = build_config_of(*this, args);
}

void Layer::forget_build() {
  variables_.clear();
  for (const auto& inner : built_inside_) inner->forget_build();
  built_inside_.clear();
  built_ = false;
  build_config_ = Json(nullptr);
}

Value Layer::call(const CallContext&, Value) const {
  throw UsageError(cat(describe(*this), " has no `call`; a layer overrides one of call, call_list and call_args"));
}

Values Layer::call_list(const CallContext& ctx, const Values& xs) const {
  require(xs.size() == 1, describe(*this), ": takes one tensor; got ", xs.size());
  return {call(ctx, xs[0])};
}

TracedNest Layer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  Values xs;
  if (!args.args.empty())
    for (const Traced& t : args.args[0].flatten()) xs.push_back(t.value);
  require(!xs.empty(), describe(*this), ": called without a tensor");
  const Values ys = call_list(ctx, xs);
  if (ys.size() == 1) return TracedNest(Traced{ys[0], {}});
  TracedNest::List list;
  for (const Value& y : ys) list.push_back(TracedNest(Traced{y, {}}));
  return TracedNest(std::move(list));
}

Values Layer::compute_mask(const CallContext& ctx, const std::vector<Traced>&) const {
  return mask_rule() == MaskRule::pass_through ? Values{ctx.mask()} : Values{};
}

std::pair<TracedArgs, bool> Layer::entering(const Trace& trace, const TracedArgs& given) const {
  TracedArgs args;
  const auto enter = [&](const TracedNest& nest) {
    return nest.map<Traced>([&](const Traced& t) {
      const bool cast = autocast() && t.value && is_floating(t.value.dtype());
      return Traced{cast ? ops::cast(t.value, compute_dtype()) : t.value, t.mask};
    });
  };
  for (const auto& a : given.args) args.args.push_back(enter(a));
  bool training = trace.training;
  for (const auto& [key, a] : given.kwargs) {
    if (key == "training" && a.is_constant() && a.constant().is_bool()) training = a.constant().as_bool();
    args.kwargs.emplace_back(key, enter(a));
  }
  return {std::move(args), training};
}

namespace {

// The tensors of the first argument with the masks in force.
std::vector<Traced> masked_inputs(const CallContext& ctx) {
  std::vector<Traced> inputs;
  if (!ctx.args().args.empty()) inputs = ctx.args().args[0].flatten();
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].mask = ctx.mask(i);
  return inputs;
}

}  // namespace

Values Layer::output_masks(Trace& trace, const TracedArgs& given) {
  const auto [args, training] = entering(trace, given);
  const CallContext ctx(trace, *this, args, training);
  return compute_mask(ctx, masked_inputs(ctx));
}

TracedNest Layer::trace(Trace& trace, const TracedArgs& given) {
  const auto [args, training] = entering(trace, trace.with_masks_now(given));
  require(built_, describe(*this),
          " was called before it was built; a layer inside another is built in its `build`: b.build(inner, spec)");
  trace.scope.push_back(name());
  const CallContext ctx(trace, *this, args, training);
  const std::vector<Traced> inputs = masked_inputs(ctx);
  TracedNest out = call_args(ctx, args);

  // Masks: what the layer says, for outputs that do not carry one already.
  const Values masks = compute_mask(ctx, inputs);
  const auto count = out.flatten().size();
  require(masks.size() <= 1 || masks.size() == count, describe(*this), ": compute_mask returned ", masks.size(),
          " masks for ", count, " outputs");
  std::size_t at = 0;
  if (!masks.empty())
    out = out.map<Traced>([&](Traced t) {
      const Value m = masks.size() == 1 ? masks[0] : masks[at];
      ++at;
      if (!t.mask) t.mask = m;
      return t;
    });
  if (const auto penalty = activity_penalty())
    out.each([&](const Traced& t) {
      if (t.value && is_floating(t.value.dtype()))
        trace.losses.push_back(penalty(t.value) /
                               static_cast<double>(std::max<std::int64_t>(t.value.rank() ? t.value.dim(0) : 1, 1)));
    });
  trace.scope.pop_back();
  return out;
}

}  // namespace ramet
