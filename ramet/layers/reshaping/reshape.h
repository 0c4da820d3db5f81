// Layers that put the elements of each sample into another shape or order.
#pragma once
#include "ramet/graph/handle.h"
#include "ramet/layers/spatial.h"

namespace ramet {
namespace layers {

// (batch, everything else). With channels_first the channels are moved last before.
struct FlattenConfig {
  DataFormat data_format = "channels_last";
  static constexpr auto fields = Fields{field("data_format", &FlattenConfig::data_format)};
};
class FlattenLayer final : public LayerOf<FlattenLayer, FlattenConfig> {
 public:
  static constexpr std::string_view kClassName = "Flatten";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

// Sizes, of which one may be open: −1, which is worked out, or a file's null (Python's None), which is worked out, too,
// and written again as it was.
class TargetShape {
 public:
  static constexpr std::string_view kKind = "list of int";
  TargetShape() = default;
  TargetShape(std::initializer_list<std::int64_t> sizes) : sizes_(sizes) {}
  TargetShape(Shape sizes) : sizes_(std::move(sizes)) {}
  const Shape& sizes() const { return sizes_; }  // −1 where open
  bool operator==(const TargetShape&) const = default;

  friend Json encode(const TargetShape& shape);
  friend void decode(const Json& json, TargetShape& out);

 private:
  Shape sizes_;
  std::vector<std::size_t> null_;  // places of nulls
};

// (batch, target_shape); one −1 is worked out.
struct ReshapeConfig {
  TargetShape target_shape = {};
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("target_shape", &ReshapeConfig::target_shape)};
};
void normalize(ReshapeConfig& config);
class ReshapeLayer final : public LayerOf<ReshapeLayer, ReshapeConfig> {
 public:
  static constexpr std::string_view kClassName = "Reshape";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

// Axis i of the output is axis dims[i − 1] of the input; axes count from 1, the batch stays.
struct PermuteConfig {
  std::vector<std::int64_t> dims = {};
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("dims", &PermuteConfig::dims)};
};
void normalize(PermuteConfig& config);
class PermuteLayer final : public LayerOf<PermuteLayer, PermuteConfig> {
 public:
  static constexpr std::string_view kClassName = "Permute";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

// (batch, features) → (batch, n, features).
struct RepeatVectorConfig {
  std::int64_t n = 0;
  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("n", &RepeatVectorConfig::n)};
};
void normalize(RepeatVectorConfig& config);
class RepeatVectorLayer final : public LayerOf<RepeatVectorLayer, RepeatVectorConfig> {
 public:
  static constexpr std::string_view kClassName = "RepeatVector";
  using LayerOf::LayerOf;
  void check(const std::vector<Spec>& inputs) const override;
  Value call(const CallContext& ctx, Value x) const override;
};

}  // namespace layers
using Flatten = Handle<layers::FlattenLayer>;
using Reshape = Handle<layers::ReshapeLayer>;
using Permute = Handle<layers::PermuteLayer>;
using RepeatVector = Handle<layers::RepeatVectorLayer>;
}  // namespace ramet
