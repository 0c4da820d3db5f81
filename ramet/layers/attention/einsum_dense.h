#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/attention/einsum.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/regularizers.h"

namespace ramet {
namespace layers {

// A shape without its batch axis: one size, or a list in which None is taken from the input.
class PartialShape {
 public:
  PartialShape() = default;
  PartialShape(std::int64_t size) : sizes_{size} {}
  PartialShape(int size) : sizes_{size} {}
  PartialShape(std::initializer_list<std::int64_t> sizes) : sizes_(sizes) {}
  explicit PartialShape(Shape sizes) : sizes_(std::move(sizes)) {}
  const Shape& sizes() const { return sizes_; }
  bool operator==(const PartialShape&) const = default;

 private:
  Shape sizes_;
};
Json encode(const PartialShape& shape);
void decode(const Json& json, PartialShape& out);

// y = activation(einsum(equation, x, kernel) + bias). The equation reads "x,kernel->y", with "..." for further axes at
// the front or at the end of x and y: "abc,cd->abd", "...x,xy->...y". `bias_axes` names the axes of y that the bias
// has.
struct EinsumDenseConfig {
  std::string equation = "";
  PartialShape output_shape = {};
  Activation activation = "linear";
  std::optional<std::string> bias_axes = std::nullopt;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = nullptr;
  Regularizer bias_regularizer = nullptr;
  Regularizer activity_regularizer = nullptr;
  Constraint kernel_constraint = nullptr;
  Constraint bias_constraint = nullptr;

  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{
      field("equation", &EinsumDenseConfig::equation),
      field("output_shape", &EinsumDenseConfig::output_shape),
      field("activation", &EinsumDenseConfig::activation),
      field("bias_axes", &EinsumDenseConfig::bias_axes),
      field("kernel_initializer", &EinsumDenseConfig::kernel_initializer),
      field("bias_initializer", &EinsumDenseConfig::bias_initializer),
      field("kernel_regularizer", &EinsumDenseConfig::kernel_regularizer),
      field("bias_regularizer", &EinsumDenseConfig::bias_regularizer),
      field("activity_regularizer", &EinsumDenseConfig::activity_regularizer),
      field("kernel_constraint", &EinsumDenseConfig::kernel_constraint),
      field("bias_constraint", &EinsumDenseConfig::bias_constraint),
  };
};

class EinsumDenseLayer final : public LayerOf<EinsumDenseLayer, EinsumDenseConfig> {
 public:
  static constexpr std::string_view kClassName = "EinsumDense";
  explicit EinsumDenseLayer(EinsumDenseConfig config, LayerOptions options = {});
  void check(const std::vector<Spec>& inputs) const override;
  void build(Builder& b, const Spec& x) override;
  Value call(const CallContext& ctx, Value x) const override;
  std::function<Value(Value)> activity_penalty() const override { return as_function(config().activity_regularizer); }

 private:
  // The letters for an input of this rank, with further ones in the place of "...".
  Einsum letters(std::size_t rank) const;
  std::string x_, kernel_letters_, y_;  // of the equation, without "..."
  enum class Further { none, front, back } further_ = Further::none;
  std::size_t rank_ = 0;  // of the input it was built for
  Weight kernel_, bias_;
};

}  // namespace layers
using EinsumDense = Handle<layers::EinsumDenseLayer>;
}  // namespace ramet
