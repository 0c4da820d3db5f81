// Where a model begins.
#pragma once
#include <variant>

#include "ramet/array/array.h"
#include "ramet/graph/layer.h"

namespace ramet {

// Options of Input beside the shape. `batch_shape`, when given, is the whole shape and the first argument of Input
// stays empty.
struct InputOptions {
  // Nothing converts to it, so that Input({4}) is a shape and never these options by position.
  class Named {
   public:
    explicit Named() = default;
  } by_name = Named();
  std::optional<std::int64_t> batch_size = std::nullopt;
  std::string dtype = "";  // "float32", or the tensor's
  bool sparse = false;     // kept and written; arrays are dense all the same
  bool ragged = false;
  std::optional<std::vector<std::int64_t>> batch_shape = std::nullopt;
  std::string name = "";
  // What the input is like: a symbolic tensor gives shape and type, an array also the data, which then need not be fed.
  std::variant<std::monostate, Tensor, Array> tensor = {};
  bool optional = false;  // nothing may be fed for it
};

class InputLayer final : public Layer {
 public:
  struct Config {
    std::vector<std::int64_t> batch_shape;
    std::string dtype = "float32";
    bool sparse = false, ragged = false;
    std::string name;
    bool optional = false;
    static constexpr auto fields = Fields{field("batch_shape", &Config::batch_shape),
                                          field("dtype", &Config::dtype),
                                          field("sparse", &Config::sparse),
                                          field("ragged", &Config::ragged),
                                          field("name", &Config::name),
                                          field("optional", &Config::optional)};
  };
  // The layer and its tensor. An input without a name has a layer called input_layer_N and a tensor called
  // keras_tensor_N.
  static Tensor create(Config config, Array data = {});

  std::string_view class_name() const override { return "InputLayer"; }
  MaskRule mask_rule() const override { return MaskRule::pass_through; }
  JsonObject get_config() const override;
  LayerRef clone_as(const std::string& dtype) const override;
  TracedNest trace(Trace&, const TracedArgs&) override { throw InternalError("an input layer is not traced"); }
  const Config& config() const { return config_; }
  const Array& data() const { return data_; }  // what the input carries itself; undefined when it must be fed
  std::shared_ptr<Node> node() const { return node_.lock(); }
  static LayerRef from_config(const JsonObject& json);
  // The layer's tensor, made again when nobody holds the first one any more.
  Tensor output();

  InputLayer(Config config, std::string name);

 private:
  Config config_;
  Array data_;
  std::weak_ptr<Node> node_;
  std::string tensor_name_;
};

// A symbolic tensor to build on. `shape` leaves the batch axis out; None is a size known only at run time.
Tensor Input(Shape shape, InputOptions options = {});
inline Tensor Input(std::initializer_list<std::int64_t> shape, InputOptions options = {}) {
  return Input(Shape(shape), std::move(options));
}  // Input({4})
Tensor Input(InputOptions options);

}  // namespace ramet
