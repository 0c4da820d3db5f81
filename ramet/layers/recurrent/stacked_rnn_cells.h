#pragma once
#include "ramet/layers/recurrent/cell.h"

namespace ramet {
namespace layers {

// Cells one upon the other, as one cell: each takes the output of the one below. States are listed cell by cell.
struct StackedRNNCellsConfig {
  std::vector<LayerRef> cells = {};

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{field("cells", &StackedRNNCellsConfig::cells)};
};

class StackedRNNCellsLayer final : public CellOf<StackedRNNCellsLayer, StackedRNNCellsConfig> {
 public:
  static constexpr std::string_view kClassName = "StackedRNNCells";
  explicit StackedRNNCellsLayer(StackedRNNCellsConfig config, LayerOptions options = {});
  Nest<std::int64_t> state_size() const override;
  std::int64_t output_size() const override { return cells_.back()->output_size(); }
  std::optional<std::size_t> output_state() const override;
  Values get_initial_state(Program& program, std::int64_t batch, DType dtype) const override;
  std::vector<LayerRef> sublayers() const override { return config().cells; }
  std::vector<std::string> sublayer_names() const override {
    return std::vector<std::string>(config().cells.size(), "cells/");
  }
  void build(Builder& b, const Spec& x) override;
  CellConstants constants(const CallContext& ctx, const Spec& x) const override;
  Value project(const CallContext& ctx, Value x, const CellConstants& constants) const override;
  CellStep step(const CallContext& ctx, Value x, const Values& states, const CellConstants& constants) const override;

 private:
  CallContext context(const CallContext& ctx, std::size_t i) const {
    return CallContext(ctx.trace(), *config().cells[i], ctx.args(), ctx.training());
  }
  std::vector<const Cell*> cells_;
};

}  // namespace layers
using StackedRNNCells = Handle<layers::StackedRNNCellsLayer>;
}  // namespace ramet
