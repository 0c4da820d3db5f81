#include "ramet/graph/input.h"

#include "ramet/graph/load_context.h"

namespace ramet {

InputLayer::InputLayer(Config config, std::string name)
    : Layer(std::move(name), true, "float32"), config_(std::move(config)) {
  for (const auto size : config_.batch_shape)
    require(size == None || size >= 0, "Input '", this->name(), "': sizes must be None or not negative; got ",
            to_string(config_.batch_shape));
  require(!config_.ragged, "Input '", this->name(), "': ragged inputs are not supported yet");
  try {
    dtype_from(config_.dtype);
  } catch (const UsageError& error) { throw UsageError(cat("Input '", this->name(), "': ", error.what())); }
  mark_built();
}

Tensor InputLayer::create(Config config, Array data) {
  const bool named = !config.name.empty();
  auto layer = std::make_shared<InputLayer>(config, named ? config.name : unique_name("InputLayer"));
  layer->data_ = std::move(data);
  layer->tensor_name_ = named ? config.name : unique_name("KerasTensor");
  return layer->output();
}

Tensor InputLayer::output() {
  auto node = node_.lock();
  if (!node) {
    node = std::make_shared<Node>();
    node->operation = shared_from_this();
    node->structure = Nest<int>(0);
    node->outputs.push_back({Spec{config_.batch_shape, dtype_from(config_.dtype)}, tensor_name_, std::nullopt});
    node_ = node;
    nodes_ = 1;
  }
  return Tensor(node, 0);
}

JsonObject InputLayer::get_config() const {
  JsonObject out = to_json(config_);
  JsonArray shape;
  for (const auto size : config_.batch_shape) shape.push_back(size == None ? Json(nullptr) : Json(size));
  out.set("batch_shape", Json(std::move(shape)));
  out.set("name", Json(name()));
  return out;
}

LayerRef InputLayer::clone_as(const std::string&) const {
  auto copy = std::make_shared<InputLayer>(config_, name());
  copy->data_ = data_;
  copy->tensor_name_ = tensor_name_;
  return copy;
}

LayerRef InputLayer::from_config(const JsonObject& json) {
  JsonObject own = json;
  own.erase("batch_shape");
  own.erase("dtype");  // a type of arrays, not a policy
  if (const Json* name = own.find("name"); name && name->is_null()) own.erase("name");
  (void)layer_options_from(own, "InputLayer", field_names<Config>());
  if (const Json* dtype = json.find("dtype")) own.set("dtype", *dtype);
  Config config = from_json<Config>("InputLayer", own);
  if (const Json* shape = json.find("batch_shape")) config.batch_shape = shape_from(*shape);
  auto layer = std::make_shared<InputLayer>(config, config.name.empty() ? unique_name("InputLayer") : config.name);
  layer->tensor_name_ = layer->name();
  return layer;
}

namespace {

// Shape, type and data come from a tensor; what else was said must agree with it.
Tensor input_like(const Spec& spec, Array data, const Shape& shape, const InputOptions& options) {
  const auto agree = [&](bool holds, const char* what) {
    require(holds, "Input '", options.name, "': when providing the `tensor` argument (", spec,
            "), you cannot provide an incompatible `", what, "` argument");
  };
  agree(options.dtype.empty() || dtype_from(options.dtype) == spec.dtype, "dtype");
  agree(!options.batch_shape || Shape(options.batch_shape->begin(), options.batch_shape->end()) == spec.shape,
        "batch_shape");
  agree(!options.batch_size || (!spec.shape.empty() && *options.batch_size == spec.shape[0]), "batch_size");
  agree(shape.empty() || (!spec.shape.empty() && shape == Shape(spec.shape.begin() + 1, spec.shape.end())), "shape");
  InputLayer::Config config;
  config.batch_shape = spec.shape;
  config.dtype = keras_name(spec.dtype);
  config.sparse = options.sparse, config.ragged = options.ragged;
  config.name = options.name;
  config.optional = options.optional;
  return InputLayer::create(std::move(config), std::move(data));
}

}  // namespace

Tensor Input(Shape shape, InputOptions options) {
  if (const auto* like = std::get_if<Tensor>(&options.tensor))
    return input_like({like->shape(), like->dtype()}, {}, shape, options);
  if (const auto* data = std::get_if<Array>(&options.tensor)) {
    require(data->defined() && data->rank() > 0, "Input '", options.name, "': `tensor` needs a batch axis");
    return input_like({data->shape(), data->dtype()}, *data, shape, options);
  }
  InputLayer::Config config;
  if (options.batch_shape) {
    require(shape.empty() && !options.batch_size, "Input: give either a shape or `batch_shape`, not both");
    config.batch_shape = *options.batch_shape;
  } else {
    config.batch_shape = std::move(shape);
    config.batch_shape.insert(config.batch_shape.begin(), options.batch_size.value_or(None));
  }
  if (!options.dtype.empty()) config.dtype = options.dtype;
  config.sparse = options.sparse;
  config.ragged = options.ragged;
  config.name = options.name;
  config.optional = options.optional;
  return InputLayer::create(std::move(config));
}

Tensor Input(InputOptions options) {
  require(options.batch_shape.has_value() || options.tensor.index() != 0,
          "Input: a shape, `batch_shape` or `tensor` is needed");
  return Input({}, std::move(options));
}

}  // namespace ramet
