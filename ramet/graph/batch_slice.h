// Two layers that replicate is made of: a part of the batch, and the parts joined again with their masks.
#pragma once
#include "ramet/graph/handle.h"

namespace ramet {

// Rows of part `index` of `parts`: every part has batch / parts rows and the last one the rest too.
struct BatchSliceConfig {
  std::int64_t index = 0, parts = 1;
  static constexpr std::size_t kPositional = 2;
  static constexpr auto fields = Fields{field("index", &BatchSliceConfig::index, not_negative),
                                        field("parts", &BatchSliceConfig::parts, positive)};
};

class BatchSliceLayer final : public LayerOf<BatchSliceLayer, BatchSliceConfig, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = "BatchSlice";
  using LayerOf::LayerOf;
  std::string registered_name() const override { return "ramet>BatchSlice"; }
  std::string module() const override { return "ramet"; }
  Value call(const CallContext& ctx, Value x) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;
  Value rows(Value x) const;
};

// Joins along the batch axis. Parts without rows are left out. A mask is joined where every part has one.
struct BatchJoinConfig {
  static constexpr Fields fields{};
};

class BatchJoinLayer final : public LayerOf<BatchJoinLayer, BatchJoinConfig, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = "BatchJoin";
  using LayerOf::LayerOf;
  std::string registered_name() const override { return "ramet>BatchJoin"; }
  std::string module() const override { return "ramet"; }
  Values call_list(const CallContext& ctx, const Values& xs) const override;
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>& inputs) const override;
};

using BatchSlice = Handle<BatchSliceLayer>;
using BatchJoin = Handle<BatchJoinLayer>;

}  // namespace ramet
