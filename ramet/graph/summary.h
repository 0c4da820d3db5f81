// What a model consists of: as Keras' text, and as a value for programs.
#pragma once
#include "ramet/graph/model.h"

namespace ramet {

// Which characters draw the lines of the table.
enum class Boxes : unsigned char {
  automatic,  // ascii where the locale's encoding is not UTF-8
  unicode,
  ascii,
};

// Keras' arguments, and what its terminal tells it.
struct SummaryOptions {
  int line_length = 0;                 // of the table; 0: 88 for a chain, 108 for a graph, at most columns - 4
  std::vector<double> positions = {};  // where columns end, as parts of the line; one for each column but "Trainable"
  bool expand_nested = false;          // rows for the layers of models inside
  bool show_trainable = false;
  // First and last layer to show: names, or regular expressions that match their beginnings.
  std::optional<std::array<std::string, 2>> layer_range = std::nullopt;
  int columns = 0;  // of the terminal; 0: $COLUMNS, else what the terminal of stdout says, else 80
  Boxes boxes = Boxes::automatic;
};

struct SummaryRow {
  std::string name, class_name;
  std::vector<Shape> output_shapes;  // of the last call; empty while the layer was not called
  std::int64_t params = 0;
  bool built = true;
  std::vector<std::string> connected_to;  // "layer[call][output]", for calls in the summarized model itself
  int depth = 0;                          // 0: a layer of the model, 1: of a model in it, …
  std::optional<bool> trainable;          // empty: there is nothing to train
};

struct ParamTotal {
  std::int64_t count = 0, bytes = 0;
};

struct SummaryTable {
  std::string model;
  bool chain = true;  // every layer follows the one before: links need no column
  std::vector<SummaryRow> rows;
  ParamTotal total, trainable, non_trainable;  // the total includes the optimizer's
  std::optional<ParamTotal> optimizer;         // once it has state

  Json to_json() const;
};

// The text of the table, byte for byte Keras'. UsageError when the columns get too narrow.
std::string to_text(const SummaryTable& table, const SummaryOptions& options = {});
std::ostream& operator<<(std::ostream& out, const SummaryTable& table);

}  // namespace ramet
