#include "ramet/layers/recurrent/stacked_rnn_cells.h"

namespace ramet::layers {

StackedRNNCellsLayer::StackedRNNCellsLayer(StackedRNNCellsConfig config, LayerOptions options)
    : CellOf(std::move(config), std::move(options)) {
  require(!this->config().cells.empty(), describe(*this), ": needs at least one cell");
  for (const auto& layer : this->config().cells) cells_.push_back(&as_cell(layer, describe(*this)));
}

Nest<std::int64_t> StackedRNNCellsLayer::state_size() const {
  Nest<std::int64_t>::List sizes;
  for (const Cell* cell : cells_) sizes.push_back(cell->state_size());
  return Nest<std::int64_t>(std::move(sizes));
}

std::optional<std::size_t> StackedRNNCellsLayer::output_state() const {
  const auto own = cells_.back()->output_state();
  if (!own) return own;
  return state_size().flatten().size() - cells_.back()->state_size().flatten().size() + *own;
}

Values StackedRNNCellsLayer::get_initial_state(Program& program, std::int64_t batch, DType dtype) const {
  Values out;
  for (const Cell* cell : cells_)
    for (const Value& state : cell->get_initial_state(program, batch, dtype)) out.push_back(state);
  return out;
}

void StackedRNNCellsLayer::build(Builder& b, const Spec& x) {
  Spec input = x;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    b.build(config().cells[i], input);
    input = {{x.dim(0), cells_[i]->output_size()}, x.dtype};
  }
}

CellConstants StackedRNNCellsLayer::constants(const CallContext& ctx, const Spec& x) const {
  CellConstants::List out;
  Spec input = x;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    out.push_back(cells_[i]->constants(context(ctx, i), input));
    input = {{x.dim(0), cells_[i]->output_size()}, x.dtype};
  }
  return CellConstants(std::move(out));
}

// Only the lowest cell knows its inputs before the loop.
Value StackedRNNCellsLayer::project(const CallContext& ctx, Value x, const CellConstants& constants) const {
  return cells_[0]->project(context(ctx, 0), x, constants.list().at(0));
}

CellStep StackedRNNCellsLayer::step(const CallContext& ctx, Value x, const Values& states,
                                    const CellConstants& constants) const {
  CellStep out{x, {}};
  std::size_t at = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CallContext inner = context(ctx, i);
    const std::size_t count = cells_[i]->state_size().flatten().size();
    const Values own(states.begin() + static_cast<std::ptrdiff_t>(at),
                     states.begin() + static_cast<std::ptrdiff_t>(at + count));
    const CellConstants& k = constants.list().at(i);
    const CellStep result = cells_[i]->step(inner, i == 0 ? x : cells_[i]->project(inner, out.output, k), own, k);
    require(result.states.size() == count, describe(*config().cells[i]), ": step returned ", result.states.size(),
            " states, not ", count);
    out.output = result.output;
    out.states.insert(out.states.end(), result.states.begin(), result.states.end());
    at += count;
  }
  return out;
}

}  // namespace ramet::layers
