// Read this first. An operation is what a node calls; a layer is an operation with state.
//
// A layer of one's own says what it is made of (a config struct with a field table), which weights it has (`build`) and
// what it computes (`call`, in ops over values). Everything else follows: shapes by tracing, gradients from the ops,
// cloning and JSON from the table, masks from a rule. See ramet/layers/core/dense.h.
#pragma once
#include "ramet/base/config.h"
#include "ramet/graph/object_registry.h"
#include "ramet/graph/tensor.h"
#include "ramet/graph/trace.h"

namespace ramet {

// Specs of call arguments; sizes may be None.
struct SpecArgs {
  std::vector<Nest<Spec>> args;
  std::vector<std::pair<std::string, Nest<Spec>>> kwargs;

  const Nest<Spec>* find(std::string_view name) const;
  std::vector<Spec> inputs() const { return args.empty() ? std::vector<Spec>() : args[0].flatten(); }
};

class Operation : public std::enable_shared_from_this<Operation> {
 public:
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  virtual std::string_view class_name() const = 0;
  const std::string& name() const { return name_; }
  virtual bool is_layer() const { return false; }

  // Symbolic call: records a node and returns its outputs. UsageError when the arguments cannot be; the operation is
  // then as before.
  Tensor call(const CallArgs& args);
  int node_count() const { return nodes_; }

  // Emits the operation's ops.
  virtual TracedNest trace(Trace& trace, const TracedArgs& args) = 0;
  // Makes ready for arguments of these specs (sizes may be None). Layers build their weights here.
  virtual void prepare(const SpecArgs&) {}
  // Runs what a call consists of: a UsageError names the operation, and one that was not built before is not after it.
  void guarded(const std::function<void()>& call);

 protected:
  explicit Operation(std::string name) : name_(std::move(name)) {}
  virtual void forget_build() {}
  virtual bool is_built() const { return true; }
  void rename(std::string name) { name_ = std::move(name); }

 private:
  std::string name_;

 protected:
  int nodes_ = 0;
};

// What every layer may be given besides its own arguments.
struct LayerOptions {
  std::string name = "";  // empty: the class in snake case, made unique
  bool trainable = true;
  std::string dtype = "";  // a dtype policy; empty: the one of set_dtype_policy
  static constexpr auto fields =
      Fields{field("name", &LayerOptions::name), field("trainable", &LayerOptions::trainable),
             field("dtype", &LayerOptions::dtype)};
};

// What a dtype policy says: the type that weights have, and the one that a layer computes and gives results in.
struct DTypePolicy {
  DType compute = DType::f32, variable = DType::f32;
};
// float32, float64, bfloat16 or mixed_bfloat16 (computes in bfloat16, weights in float32); UsageError otherwise.
DTypePolicy dtype_policy_from(std::string_view name);

// Keras' set_dtype_policy: what layers compute in that are made from now on and not told. Safe to call from any thread.
void set_dtype_policy(const std::string& name);
std::string dtype_policy();

// What a layer does with the mask of its input.
enum class MaskRule : unsigned char {
  reject,        // does not know masks: an incoming one is dropped
  pass_through,  // the output has the mask of the (first) input
  consume,       // uses the mask; the output has none
  custom,        // compute_mask says
};

using InitFunction = std::function<Array(const Shape&, DType)>;

struct WeightOptions {
  bool trainable = true;
  std::function<Value(Value)> regularizer = nullptr;
  std::function<Value(Value)> constraint = nullptr;
  std::optional<DType> dtype = std::nullopt;  // the layer's variable type otherwise
};

// Makes a layer's weights; passed to `build`.
class Builder {
 public:
  Builder(Layer& layer, std::string path) : layer_(layer), path_(std::move(path)) {}
  Weight weight(const std::string& name, Shape shape, const InitFunction& initializer, WeightOptions options = {});
  // A random state that is not a weight. `seed` empty: drawn from the process' seed.
  Weight seed(std::optional<std::int64_t> seed);
  // Builds a layer inside this one for an input of this spec.
  void build(const LayerRef& inner, const Spec& input);
  void build(const LayerRef& inner, const std::vector<Spec>& inputs);
  const std::string& path() const { return path_; }

 private:
  void adopt(const LayerRef& inner);
  Layer& layer_;
  std::string path_;
};

class Layer : public Operation {
 public:
  bool is_layer() const final { return true; }
  using Operation::call;

  // ---- what a layer says of itself
  // ------------------------------------------------------------------------------------------- Weights for an input of
  // this spec; sizes may be None. Called once, before the first call.
  virtual void build(Builder&, const Spec&) {}
  virtual void build_list(Builder& b, const std::vector<Spec>& inputs) { build(b, inputs.at(0)); }
  virtual void build_args(Builder& b, const SpecArgs& args) { build_list(b, args.inputs()); }
  // Refuses inputs that cannot be, before every symbolic call. Sizes may be None.
  virtual void check(const std::vector<Spec>&) const {}
  // Refuses arguments of other names or counts. By default from positional_arguments and call_arguments.
  virtual void check_arguments(const SpecArgs& args) const;
  // The computation. Override one: one tensor in and out; several; or everything with structure and keyword arguments.
  virtual Value call(const CallContext& ctx, Value x) const;
  virtual Values call_list(const CallContext& ctx, const Values& xs) const;
  virtual TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const;
  // Masks of the outputs: none (empty), one (for every output) or one per output. Undefined values mean no mask.
  virtual Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const;
  virtual MaskRule mask_rule() const = 0;
  bool supports_masking() const { return mask_rule() != MaskRule::reject; }
  // Names of the keyword arguments `call` takes.
  virtual std::vector<std::string> call_arguments() const { return {}; }
  // Names of the positional ones; also accepted as keywords.
  virtual std::vector<std::string> positional_arguments() const { return {"inputs"}; }
  // The default of `training` in Keras' signature. Files up to Keras 3.15 record it on nodes although nobody passed it.
  virtual std::optional<bool> default_training() const { return false; }
  // The layers inside. By default those that `build` built (Builder::build), so a layer of one's own that only holds
  // some and builds them need not name them.
  virtual std::vector<LayerRef> sublayers() const { return built_inside_; }
  // What each of them is called in a weights file. A name that ends in '/' is a container of several, numbered there by
  // class: "cells/". By default all stand in "layers/".
  virtual std::vector<std::string> sublayer_names() const;
  // Whether floating inputs and weights are cast to the compute type before `call` sees them.
  virtual bool autocast() const { return true; }
  // A penalty on the outputs, divided by the batch size and added to the losses; empty for none.
  virtual std::function<Value(Value)> activity_penalty() const { return nullptr; }

  // ---- configuration
  // ---------------------------------------------------------------------------------------------------------
  virtual JsonObject get_config() const = 0;
  // A new layer of the same configuration, with weights of its own once built.
  LayerRef clone() const { return clone_as(dtype_name()); }
  virtual LayerRef clone_as(const std::string& dtype) const = 0;  // computing in another type
  LayerRef clone_named(std::string name) const;                   // under another name
  virtual std::string registered_name() const { return std::string(class_name()); }
  virtual std::string module() const { return "keras.layers"; }

  // ---- state
  // -----------------------------------------------------------------------------------------------------------------
  bool built() const { return built_; }
  bool trainable() const { return trainable_; }
  // For its parameters and the layers inside, too. Opening a layer inside again opens just that: what is trained is
  // decided by the flags of the variables.
  virtual void set_trainable(bool trainable);
  // The flag of this layer alone: how files, clones and constructors give a model its own.
  void set_own_trainable(bool trainable) { trainable_ = trainable; }
  DType compute_dtype() const { return dtype_.compute; }
  DType variable_dtype() const { return dtype_.variable; }
  const std::string& dtype_name() const { return dtype_name_; }  // of the policy
  // Own trainable, own other, then those of the layers inside; each variable once. Seeds are left out.
  VariableRefs weights() const;
  // None when this layer is frozen; else those whose own flag says so, whatever the layers in between say.
  VariableRefs trainable_weights() const;
  VariableRefs non_trainable_weights() const;
  Arrays get_weights() const;
  void set_weights(const Arrays& values);
  std::int64_t count_params() const;
  const VariableRefs& own_variables() const { return variables_; }
  // What Keras writes as build_config: the shapes the layer was built for; null when it has none.
  const Json& build_config() const { return build_config_; }
  // Keys that a file had beside the layer's config and that mean nothing to us; written again.
  JsonObject file_extras;
  // How a file named the class, where that is one of the caller's; written again.
  std::optional<WrittenClass> file_class;

  TracedNest trace(Trace& trace, const TracedArgs& args) override;
  // The masks that the outputs of a call with these arguments have: what compute_mask says.
  Values output_masks(Trace& trace, const TracedArgs& args);
  void prepare(const SpecArgs& args) override;
  // Builds unless built. `path` starts the paths of the weights.
  void build_now(const std::string& path, const SpecArgs& args);

 protected:
  Layer(std::string name, bool trainable, std::string dtype);
  virtual void collect_weights(VariableRefs& out) const;
  void forget_build() override;
  bool is_built() const override { return built_; }
  void mark_built() { built_ = true; }
  void set_dtype(const std::string& name);
  friend class Builder;

 private:
  VariableRefs variables_;
  // Arguments as `call` sees them, and the training flag in force.
  std::pair<TracedArgs, bool> entering(const Trace& trace, const TracedArgs& given) const;

  std::vector<LayerRef> built_inside_;  // built by this layer's build, so forgotten with it
  bool built_ = false, trainable_ = true;
  Json build_config_;
  std::string dtype_name_;
  DTypePolicy dtype_;
};

// While it lives, weights that this thread builds have `prefix` before their paths: those of a Sequential's layers its
// name.
class PathScope {
 public:
  explicit PathScope(const std::string& prefix);
  ~PathScope();
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;

 private:
  std::string before_;
};

// A name that no operation of this process had: "dense", "dense_1", …
std::string unique_name(std::string_view class_name);
void reset_names();  // Keras' clear_session, for names

// For messages: Dense 'head'.
std::string describe(const Operation& operation);

}  // namespace ramet
