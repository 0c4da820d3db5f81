// Models: graphs that are layers themselves.
#pragma once
#include <any>
#include <iosfwd>

#include "ramet/graph/graph.h"
#include "ramet/graph/handle.h"

namespace ramet {

// What Functional and Sequential share: layers inside, a graph once the input shape is known.
class ModelLayer : public Layer {
 public:
  // The graph; UsageError when the input shape is not known yet.
  virtual const Graph& graph() const = 0;
  virtual bool has_graph() const = 0;
  // Layers in Keras' order. A Sequential leaves its InputLayer out.
  virtual std::vector<LayerRef> layers() const = 0;
  std::vector<LayerRef> sublayers() const override { return layers(); }
  std::vector<std::string> sublayer_names() const override {
    return std::vector<std::string>(layers().size(), "layers/");
  }
  MaskRule mask_rule() const override { return MaskRule::custom; }
  Values compute_mask(const CallContext&, const std::vector<Traced>&) const override {
    return {};
  }  // outputs carry their own
  std::vector<std::string> call_arguments() const override { return {"mask", "training"}; }
  std::optional<bool> default_training() const override { return std::nullopt; }
  TracedNest trace(Trace& trace, const TracedArgs& args) override;

  LayerRef get_layer(std::string_view name) const;
  std::vector<std::string> output_names() const;

  MaskSemantics mask_semantics = kMaskSemantics;
  // What `compile` and training keep here (ramet/train, which guards it); a model layer only carries it.
  std::shared_ptr<void> training_state;
  // Where a loaded model comes from: what its file says besides the model.
  struct FileInfo {
    std::string keras_version;  // empty when the model was not loaded or the file does not say
    JsonObject metadata;        // all of metadata.json
    std::vector<std::string> warnings;
  } file_info;
  // Numbers and bytes of the optimizer's variables, for the summary; set by whoever compiles. Zero before they exist.
  std::function<std::pair<std::int64_t, std::int64_t>()> optimizer_params;

 protected:
  using Layer::Layer;
  // Inputs as given, matched to the graph's: by position or by name, ranks fixed as Keras does.
  std::vector<Traced> match_inputs(const TracedArgs& args) const;
};
using ModelRef = std::shared_ptr<ModelLayer>;

class FunctionalLayer final : public ModelLayer {
 public:
  FunctionalLayer(Arg inputs, Arg outputs, LayerOptions options);
  std::string_view class_name() const override { return "Functional"; }
  std::string module() const override { return "keras.src.models.functional"; }
  const Graph& graph() const override { return graph_; }
  bool has_graph() const override { return true; }
  std::vector<LayerRef> layers() const override { return graph_.layers(); }
  JsonObject get_config() const override;
  LayerRef clone_as(const std::string& dtype) const override;
  static LayerRef from_config(const JsonObject& json);

 private:
  Graph graph_;
};

class SequentialLayer final : public ModelLayer {
 public:
  explicit SequentialLayer(std::vector<LayerRef> layers, LayerOptions options = {});
  std::string_view class_name() const override { return "Sequential"; }
  std::string module() const override { return "keras"; }
  const Graph& graph() const override;
  bool has_graph() const override { return graph_ != nullptr; }
  std::vector<LayerRef> layers() const override { return layers_; }
  JsonObject get_config() const override;
  LayerRef clone_as(const std::string& dtype) const override;
  static LayerRef from_config(const JsonObject& json);

  void add(LayerRef layer);
  void add_input(const Tensor& input);
  LayerRef pop();
  void build_args(Builder& b, const SpecArgs& args) override;
  void prepare(const SpecArgs& args) override;
  const std::optional<Tensor>& input() const { return input_; }
  void build_for(const Spec& input);  // makes the graph for this input

 private:
  Tensor next(const LayerRef& layer) const;  // what it makes of end_
  void rebuild();
  std::vector<LayerRef> layers_;
  std::optional<Tensor> input_;
  Tensor end_;  // what the last layer made of input_
  std::unique_ptr<Graph> graph_;
};

// ---- how user code holds a model
// ------------------------------------------------------------------------------------------------
struct ModelOptions {
  std::string name = "";
  bool trainable = true;
  static constexpr auto fields =
      Fields{field("name", &ModelOptions::name), field("trainable", &ModelOptions::trainable)};
};

struct CompileOptions;
struct FitOptions;
struct EvaluateOptions;
struct PredictOptions;
struct SummaryOptions;
struct SummaryTable;
class Predictor;
struct History;

// Values by name, in alphabetical order as Keras gives them.
class Logs : public std::vector<std::pair<std::string, double>> {
 public:
  using vector::vector;
  using vector::operator[];
  double operator[](std::string_view name) const;  // UsageError with the names there are
  const double* find(std::string_view name) const;
  void set(std::string_view name, double value);  // replaces or inserts
};

// Threads. Whatever only looks at a model (predict, evaluate, summary, save, get_weights) may be called from several
// threads at once. `fit`, `train_on_batch` and `compile` are for one thread at a time, and a second is refused. What
// looks waits for the training step that is running and then sees the weights between two steps; `set_weights` and
// `load_weights` wait for predictions that are running, so that each prediction is made with the old weights or with
// the new. Models that share layers count as one: only one of them at a time may be trained. Freezing, surgery and
// adding layers are for a model that nobody else uses meanwhile. A Predictor takes no locks: its model stays as it is.
//
// A handle: copies are the same model. Training, evaluation and prediction are declared here and live in ramet/train;
// include ramet/ramet.h to use them.
class Model {
 public:
  Model() = default;  // no model
  Model(const Arg& inputs, const Arg& outputs, ModelOptions options = {});
  explicit Model(ModelRef layer) : layer_(std::move(layer)) {}

  const std::string& name() const { return layer().name(); }
  std::vector<LayerRef> layers() const { return layer().layers(); }
  LayerRef get_layer(std::string_view name) const { return layer().get_layer(name); }
  LayerRef get_layer(std::size_t index) const;
  const std::vector<Tensor>& inputs() const { return layer().graph().flat_inputs(); }
  const std::vector<Tensor>& outputs() const { return layer().graph().flat_outputs(); }
  Tensor input() const;  // the tensor, or the structure when there are several
  Tensor output() const;
  std::vector<std::string> output_names() const { return layer().output_names(); }

  // Calls the model as a layer.
  Tensor operator()(const Arg& x, const MaskCall& call = {}) const;
  // Calls it on arrays, as one batch: not in training unless `training` is true.
  Predictions operator()(const Feed& x, const MaskCall& call = {}) const;

  VariableRefs weights() const { return layer().weights(); }
  VariableRefs trainable_weights() const { return layer().trainable_weights(); }
  VariableRefs non_trainable_weights() const { return layer().non_trainable_weights(); }
  Arrays get_weights() const { return layer().get_weights(); }
  void set_weights(const Arrays& values);
  std::int64_t count_params() const { return layer().count_params(); }
  bool trainable() const { return layer().trainable(); }
  void set_trainable(bool trainable) { layer().set_trainable(trainable); }
  void freeze() { set_trainable(false); }
  JsonObject get_config() const { return layer().get_config(); }
  static Model from_config(const JsonObject& config);  // a Functional's config
  // Keras' text for a whole model: {"module", "class_name", "config", …}.
  std::string to_json() const;
  // Initialized afresh. DataError when the weights would take more than `weight_bytes`.
  static Model from_json(std::string_view text, std::uint64_t weight_bytes = std::uint64_t{8} << 30);

  // Writes the model to a file that Keras opens: .keras, or .h5 in the older form. The old file is replaced as a whole
  // or left untouched. load_model (ramet/io/model_file.h) opens it again.
  void save(const std::string& path) const;
  // The weights alone: .weights.h5, .weights.json with shards beside it, or .h5 in the older form. Weights are matched
  // by their place in the model.
  void save_weights(const std::string& path) const;
  void load_weights(const std::string& path);
  // Masks as this version of Keras has them. The model's plans are made anew.
  void set_mask_semantics(MaskSemantics semantics);

  // Prints what Keras prints. `summary_table` is the same as a value.
  void summary() const;
  void summary(std::ostream& out) const;
  std::string summary(const SummaryOptions& options) const;
  SummaryTable summary_table(const SummaryOptions& options) const;

  void compile(const CompileOptions& options);
  History fit(const Feed& x, const Feed& y, const FitOptions& options);
  History fit(const Feed& x, const Feed& y);
  Logs evaluate(const Feed& x, const Feed& y, const EvaluateOptions& options) const;
  Logs evaluate(const Feed& x, const Feed& y) const;
  Predictions predict(const Feed& x) const;
  Predictions predict(const Feed& x, const PredictOptions& options) const;
  Logs train_on_batch(const Feed& x, const Feed& y, const Feed& sample_weight);
  Logs train_on_batch(const Feed& x, const Feed& y);
  Logs test_on_batch(const Feed& x, const Feed& y) const;
  Predictions predict_on_batch(const Feed& x) const;
  // Ends a running fit after the batch, from a callback or another thread.
  void stop_training() const;
  // The optimizer's. Changing it takes effect at the next step; with a schedule it cannot be set.
  double learning_rate() const;
  void set_learning_rate(double rate);
  bool compiled() const;
  // What compile was given, as Keras writes it into files; and compile from that.
  JsonObject get_compile_config() const;
  void compile_from_config(const JsonObject& config);
  // Compiles as another model was; with its optimizer's state where the trainable weights have the same shapes.
  void compile_like(const Model& other, bool with_state);
  // The optimizer's state in Keras' saved order; made on demand. Empty before compile.
  VariableRefs optimizer_variables() const;
  // A plan for inputs of exactly these shapes, to call without allocation or lock; each thread has its own.
  Predictor predictor(const std::vector<Shape>& shapes) const;

  ModelLayer& layer() const;
  const ModelRef& ref() const { return layer_; }
  operator LayerRef() const { return layer_; }
  explicit operator bool() const { return layer_ != nullptr; }

 protected:
  ModelRef layer_;
};

class Sequential : public Model {
 public:
  explicit Sequential(ModelOptions options = {});
  Sequential(std::initializer_list<LayerRef> layers, ModelOptions options = {});
  // Begins with Input(…).
  Sequential(const Tensor& input, std::initializer_list<LayerRef> layers, ModelOptions options = {});
  void add(LayerRef layer);
  void add(const Tensor& input);
  void pop();
  void build(const Shape& input_shape);  // with the batch axis
};

inline Tensor operator|(const Tensor& x, const Model& model) { return model(x); }

}  // namespace ramet
