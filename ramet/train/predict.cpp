// Model::predict and Predictor.
#include "ramet/train/predictor.h"

#include <algorithm>

#include "ramet/train/progress.h"
#include "ramet/train/runner.h"

namespace ramet {

using namespace train;

namespace {

std::int64_t batch_size_for(const std::optional<std::int64_t>& given, const std::optional<std::int64_t>& steps,
                            std::int64_t count, const char* who) {
  require(!given || *given > 0, who, ": `batch_size` must be positive; got ", given.value_or(0));
  require(!steps || *steps > 0, who, ": `steps` must be positive; got ", steps.value_or(0));
  if (given) return std::min(*given, std::max<std::int64_t>(count, 1));  // no sum with it overflows
  return steps ? (count + *steps - 1) / *steps : 32;
}

Predictions predict_data(const Model& model, const Feed& x, std::optional<std::int64_t> batch_size,
                         const PredictOptions& options, const char* who) {
  ModelLayer& layer = model.layer();
  const auto training = Training::of(layer);
  const Feed none;
  const Gate::Read reading(training->gate);
  const DataSet data = match_data(layer, {x, none, none, who, true}, nullptr);
  if (data.count == 0) return Predictions(predict_nothing(*training, layer, data), output_names(layer));
  Batches batches(data, batch_size ? *batch_size : data.count);
  const std::int64_t steps = std::min(batches.count(), options.steps.value_or(batches.count()));
  Progress progress(stderr_progress(options.verbose, steps));
  for (const auto& c : options.callbacks) c->set_model(model), c->on_predict_begin();
  const auto before = [&](std::int64_t b) {
    for (const auto& c : options.callbacks) c->on_predict_batch_begin(b);
  };
  const auto after = [&](std::int64_t b) {
    for (const auto& c : options.callbacks) c->on_predict_batch_end(b);
    progress.update(b + 1);
  };
  Arrays out = predict_all(*training, layer, batches, steps, before, after);
  progress.finish();
  for (const auto& c : options.callbacks) c->on_predict_end();
  return Predictions(std::move(out), output_names(layer));
}

}  // namespace

Predictions Model::predict(const Feed& x, const PredictOptions& options) const {
  std::int64_t count = 0;
  for (const Array& a : x.arrays())
    if (a.defined() && a.rank() > 0) count = a.dim(0);
  return predict_data(*this, x, batch_size_for(options.batch_size, options.steps, count, "predict"), options,
                      "predict");
}
Predictions Model::predict(const Feed& x) const { return predict(x, PredictOptions{}); }
Predictions Model::predict_on_batch(const Feed& x) const {
  return predict_data(*this, x, std::nullopt, PredictOptions{}, "predict_on_batch");
}

void Model::set_weights(const Arrays& values) {
  const auto training = Training::of(layer());
  const Gate::Write alone(training->gate);
  layer().set_weights(values);
}

Predictions Model::operator()(const Feed& x, const MaskCall& call) const {
  if (!call.training.value_or(false) && call.mask.is_none()) return predict_on_batch(x);
  std::vector<std::pair<std::string, Arg>> kwargs;
  if (call.training) kwargs.emplace_back("training", Arg(Json(*call.training)));
  if (!call.mask.is_none()) kwargs.emplace_back("mask", call.mask);
  const auto training = Training::of(layer());
  const Training::Owner owner(*training, layer(), "a call in training");
  const Gate::Write alone(training->gate);
  return call_on_arrays(layer(), {x}, kwargs);
}

// ---- Predictor
// ------------------------------------------------------------------------------------------------------------------
struct Predictor::State {
  ModelRef model;
  std::shared_ptr<Training> training;
  StepPlanRef plan;
  std::vector<Shape> inputs, outputs;
  std::vector<std::int64_t> input_sizes, output_sizes;
  bool plain = false;                 // one float32 input and output
  std::vector<std::size_t> input_at;  // place of input i among the external pointers
  std::size_t output_at = 0;
  std::vector<void*> external;
};

Predictor Model::predictor(const std::vector<Shape>& shapes) const {
  const auto& inputs = this->inputs();
  require(shapes.size() == inputs.size(), "predictor: model '", name(), "' has ", inputs.size(), " inputs; got ",
          shapes.size(), " shapes");
  auto state = std::make_shared<Predictor::State>();
  state->model = ref();
  state->training = Training::of(layer());
  BatchSignature signature;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& want = inputs[i].shape();
    for (const auto size : shapes[i])
      require(size > 0, "predictor: every size must be known and positive; got ", to_string(shapes[i]), " for input '",
              inputs[i].name(), "'");
    bool fits = want.size() == shapes[i].size();
    for (std::size_t k = 0; fits && k < want.size(); ++k)
      fits = shapes[i][k] > 0 && (want[k] == None || want[k] == shapes[i][k]);
    require(fits, "Input ", i, " with name '", inputs[i].name(), "' of layer '", name(),
            "' is incompatible with the layer: expected shape=", to_string(want),
            ", found shape=", to_string(shapes[i]));
    signature.x.push_back(Spec{shapes[i], inputs[i].dtype()});
    state->input_sizes.push_back(element_count(shapes[i]));
  }
  const Gate::Read reading(state->training->gate);
  state->plan = state->training->fresh_plan(layer(), signature);
  state->inputs = shapes;
  state->input_at.resize(shapes.size());
  for (const auto& input : state->plan->inputs) {
    if (input.source == StepPlan::Source::x) state->input_at[input.index] = state->external.size();
    state->external.push_back(input.variable ? input.variable->storage().raw() : nullptr);
  }
  state->output_at = state->external.size();
  for (const Spec& spec : state->plan->outputs) {
    state->outputs.push_back(spec.shape);
    state->output_sizes.push_back(element_count(spec.shape));
    state->external.push_back(nullptr);
  }
  state->plain = inputs.size() == 1 && inputs[0].dtype() == DType::f32 && state->plan->outputs.size() == 1 &&
                 state->plan->outputs[0].dtype == DType::f32;
  Predictor predictor(std::move(state));
  // The first run makes the workspace, so that later ones allocate nothing. A model with states is left alone.
  if (!predictor.state_->plan->updated.empty()) return predictor;
  Arrays in, out;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const auto& s : signature.x) in.emplace_back(s->shape, s->dtype), from.push_back(in.back().raw());
  for (const Spec& s : predictor.state_->plan->outputs)
    out.emplace_back(s.shape, s.dtype), to.push_back(out.back().raw());
  predictor.run(std::span<const void* const>(from), std::span<void* const>(to));
  return predictor;
}

void Predictor::operator()(std::span<const float> input, std::span<float> output) {
  State& s = *state_;
  require(s.plain, "Predictor: the model has not one float32 input and output; use run with pointers");
  require(static_cast<std::int64_t>(input.size()) == s.input_sizes[0] &&
              static_cast<std::int64_t>(output.size()) == s.output_sizes[0],
          "Predictor: the shapes need ", s.input_sizes[0], " input and ", s.output_sizes[0], " output elements; got ",
          input.size(), " and ", output.size());
  const void* in = input.data();
  void* out = output.data();
  run(std::span<const void* const>(&in, 1), std::span<void* const>(&out, 1));
}

void Predictor::run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  State& s = *state_;
  require(inputs.size() == s.inputs.size() && outputs.size() == s.outputs.size(), "Predictor: the model has ",
          s.inputs.size(), " inputs and ", s.outputs.size(), " outputs; got ", inputs.size(), " and ", outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) s.external[s.input_at[i]] = const_cast<void*>(inputs[i]);
  for (std::size_t i = 0; i < outputs.size(); ++i) s.external[s.output_at + i] = outputs[i];
  s.plan->run(s.external, s.plan->version());
}

const std::vector<Shape>& Predictor::input_shapes() const { return state_->inputs; }
const std::vector<Shape>& Predictor::output_shapes() const { return state_->outputs; }

}  // namespace ramet
