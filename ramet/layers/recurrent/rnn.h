#pragma once
#include "ramet/layers/recurrent/recurrent.h"

namespace ramet {
namespace layers {

// A cell, or cells to be stacked: RNN(LSTMCell(8)), RNN({LSTMCell(8), GRUCell(4)}).
class CellArgument {
 public:
  CellArgument() = default;
  CellArgument(LayerRef cell) : cell_(std::move(cell)) {}
  CellArgument(std::vector<LayerRef> cells);
  CellArgument(std::initializer_list<LayerRef> cells) : CellArgument(std::vector<LayerRef>(cells)) {}
  template <class L>
  CellArgument(const Handle<L>& cell) : cell_(cell) {}
  const LayerRef& layer() const { return cell_; }

 private:
  LayerRef cell_;
};
Json encode(const CellArgument& cell);
void decode(const Json& json, CellArgument& out);  // an object, or a list of them
CellArgument clone_value(const CellArgument& cell, const std::string& dtype);

// Any cell over time. Input [batch, steps, …]; output [batch, size], or [batch, steps, size] with return_sequences.
struct RNNConfig {
  CellArgument cell = {};
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool stateful = false;
  bool unroll = false;  // changes nothing here: the loop is one op
  bool zero_output_for_mask = false;

  static constexpr std::size_t kPositional = 1;
  static constexpr auto fields = Fields{
      field("cell", &RNNConfig::cell),
      field("return_sequences", &RNNConfig::return_sequences),
      field("return_state", &RNNConfig::return_state),
      field("go_backwards", &RNNConfig::go_backwards),
      field("stateful", &RNNConfig::stateful),
      field("unroll", &RNNConfig::unroll),
      field("zero_output_for_mask", &RNNConfig::zero_output_for_mask),
  };
};

class RNNLayer final : public RecurrentOf<RNNLayer, RNNConfig> {
 public:
  static constexpr std::string_view kClassName = "RNN";
  static constexpr std::size_t kDimensions = 0;
  explicit RNNLayer(RNNConfig config, LayerOptions options = {});
};

}  // namespace layers
using RNN = Handle<layers::RNNLayer>;
}  // namespace ramet
