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

// (batch, target_shape); one −1 is worked out.
struct ReshapeConfig {
  std::vector<std::int64_t> target_shape = {};
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
