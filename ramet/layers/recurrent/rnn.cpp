#include "ramet/layers/recurrent/rnn.h"

#include "ramet/layers/recurrent/stacked_rnn_cells.h"

namespace ramet::layers {

CellArgument::CellArgument(std::vector<LayerRef> cells)
    : cell_(std::make_shared<StackedRNNCellsLayer>(StackedRNNCellsConfig{std::move(cells)})) {}

Json encode(const CellArgument& cell) { return encode(cell.layer()); }

void decode(const Json& json, CellArgument& out) {
  if (!json.is_array()) {
    LayerRef cell;
    decode(json, cell);
    out = CellArgument(std::move(cell));
    return;
  }
  std::vector<LayerRef> cells;
  for (const Json& item : json.as_array()) decode(item, cells.emplace_back());
  out = CellArgument(std::move(cells));
}

CellArgument clone_value(const CellArgument& cell, const std::string& dtype) {
  return CellArgument(ramet::clone_value(cell.layer(), dtype));
}

RNNLayer::RNNLayer(RNNConfig config, LayerOptions options) : RecurrentOf(std::move(config), std::move(options)) {
  cell_ = this->config().cell.layer();
  as_cell(cell_, describe(*this));
}

}  // namespace ramet::layers
