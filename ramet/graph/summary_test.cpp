#include "ramet/graph/summary.h"

#include <doctest/doctest.h>

#include <sstream>

#include "ramet/graph/op_operation.h"
#include "ramet/graph/registry.h"
#include "ramet/layers/core/dense.h"
#include "tests/support/recording.h"

namespace ramet {
namespace {

SummaryOptions options_of(const Json& json) {
  SummaryOptions options;
  options.boxes = Boxes::unicode;
  options.columns = static_cast<int>(json.at("columns").as_int());
  const auto& object = json.as_object();
  if (const Json* v = object.find("line_length")) options.line_length = static_cast<int>(v->as_int());
  if (const Json* v = object.find("expand_nested")) options.expand_nested = v->as_bool();
  if (const Json* v = object.find("show_trainable")) options.show_trainable = v->as_bool();
  return options;
}

Model two_branches() {
  auto x = Input({32}, {.name = "x"});
  auto a = Dense(16, {.name = "encode_something"})(x);
  auto b = Dense(16, {.name = "b"})(x);
  return Model(x, a + b, {.name = "edge"});
}

Model plain_chain() {
  auto x = Input({32}, {.name = "x"});
  return Model(x, Dense(16, {.name = "encode_something"})(x), {.name = "chain"});
}

TEST_CASE("a summary is byte for byte what Keras prints") {
  const testing::Recording recording("summaries");
  std::size_t texts = 0;
  for (const Json& c : recording.cases()) {
    CAPTURE(c.at("name").as_string());
    const LayerRef layer = deserialize_layer(c.at("config"));
    const Model model(std::dynamic_pointer_cast<ModelLayer>(layer));
    if (c.at("optimizer_built").as_bool()) {
      // Adam: two slots for each trainable weight, the learning rate and the step (int32).
      const std::int64_t trainable = model.summary_table({}).trainable.count;
      model.layer().optimizer_params = [=] {
        return std::pair<std::int64_t, std::int64_t>(2 * trainable + 2, 4 * (2 * trainable + 2));
      };
    }
    for (const Json& t : c.at("texts").as_array()) {
      CAPTURE(t.at("columns").as_int());
      CHECK(model.summary(options_of(t)) == t.at("text").as_string());
      ++texts;
    }
  }
  CHECK(texts == 126);
}

TEST_CASE("a narrow terminal folds the totals and keeps blanks that fit") {
  CHECK(plain_chain().summary({.columns = 26, .boxes = Boxes::unicode}) ==
        "Model: \"chain\"\n"
        "┏━━━━━━━━┳━━━━━━┳━━━━┓\n"
        "┃ Layer  ┃ Out… ┃ P… ┃\n"
        "┃ (type) ┃ Sha… ┃  # ┃\n"
        "┡━━━━━━━━╇━━━━━━╇━━━━┩\n"
        "│ x      │ (No… │  0 │\n"
        "│ (Inpu… │ 32)  │    │\n"
        "├────────┼──────┼────┤\n"
        "│ encod… │ (No… │ 5… │\n"
        "│ (Dens… │ 16)  │    │\n"
        "└────────┴──────┴────┘\n"
        " Total params: 528 (2.06 \n"
        "KB)\n"
        " Trainable params: 528 \n"
        "(2.06 KB)\n"
        " Non-trainable params: 0 \n"
        "(0.00 B)\n");
}

TEST_CASE("a table wider than the terminal is cropped") {
  const std::string text = plain_chain().summary({.line_length = 60, .columns = 40, .boxes = Boxes::unicode});
  CHECK(text.find("┃ Layer (type)             ┃ Output Shap\n") != std::string::npos);
}

TEST_CASE("a column may be left without room for text") {
  const std::string text = two_branches().summary({.line_length = 22, .columns = 240, .boxes = Boxes::unicode});
  CHECK(text.find("│ x   │ (N… │  │ -   │\n") != std::string::npos);
}

TEST_CASE("positions of one's own place the columns and stand titles at the bottom") {
  const std::string text = two_branches().summary(
      {.line_length = 60, .positions = {0.2, 0.4, 0.6, 1.0}, .columns = 240, .boxes = Boxes::unicode});
  CHECK(text.find("┃ Layer     ┃ Output    ┃          ┃                       ┃\n"
                  "┃ (type)    ┃ Shape     ┃  Param # ┃ Connected to          ┃\n") != std::string::npos);
}

TEST_CASE("a layer range takes regular expressions, in either order") {
  const auto names = [](const SummaryTable& table) {
    std::vector<std::string> out;
    for (const auto& row : table.rows) out.push_back(row.name);
    return out;
  };
  const Model model = two_branches();
  CHECK(names(model.summary_table({.layer_range = {{"enc", "b"}}})) ==
        std::vector<std::string>{"encode_something", "b"});
  CHECK(names(model.summary_table({.layer_range = {{"b", "x"}}})) ==
        std::vector<std::string>{"x", "encode_something", "b"});
  CHECK_THROWS_WITH_AS(model.summary_table({.layer_range = {{"q", "x"}}}),
                       "Passed layer_names do not match the layer names in the model. Received: ['q', 'x']",
                       UsageError);
  CHECK_THROWS_WITH_AS(model.summary_table({.layer_range = {{"(", "x"}}}),
                       "summary: layer_range: '(' is not a regular expression", UsageError);
}

TEST_CASE("where UTF-8 is not to be had, boxes are ASCII") {
  auto in = Input({3}, {.name = "in"});
  Model inner(in, Dense(2, {.name = "dense_with_a_long_name_inside"})(in), {.name = "inner"});
  auto x = Input({3}, {.name = "x"});
  const Model model(x, inner(x), {.name = "m"});
  CHECK(model.summary({.line_length = 56, .expand_nested = true, .columns = 60, .boxes = Boxes::ascii}) ==
        "Model: \"m\"\n"
        "+------------------------------------------------------+\n"
        "| Layer (type)           | Output Shape    |   Param # |\n"
        "|------------------------+-----------------+-----------|\n"
        "| x (InputLayer)         | (None, 3)       |         0 |\n"
        "|------------------------+-----------------+-----------|\n"
        "| inner (Functional)     | (None, 2)       |         8 |\n"
        "|------------------------+-----------------+-----------|\n"
        "|    + in (InputLayer)   | (None, 3)       |         0 |\n"
        "|------------------------+-----------------+-----------|\n"
        "|    +                   | (None, 2)       |         8 |\n"
        "| dense_with_a_long_nam~ |                 |           |\n"
        "| (Dense)                |                 |           |\n"
        "+------------------------------------------------------+\n"
        " Total params: 8 (32.00 B)\n"
        " Trainable params: 8 (32.00 B)\n"
        " Non-trainable params: 0 (0.00 B)\n");
}

TEST_CASE("an empty Sequential has a table without rows") {
  CHECK(Sequential({.name = "empty"}).summary({.columns = 60, .boxes = Boxes::ascii}) ==
        "Model: \"empty\"\n"
        "+------------------------------------------------------+\n"
        "| Layer (type)           | Output Shape    |   Param # |\n"
        "|------------------------+-----------------+-----------|\n"
        "+------------------------------------------------------+\n"
        " Total params: 0 (0.00 B)\n"
        " Trainable params: 0 (0.00 B)\n"
        " Non-trainable params: 0 (0.00 B)\n");
}

TEST_CASE("the optimizer's variables have a line and count in the total once they exist") {
  const Model model = plain_chain();
  model.layer().optimizer_params = [] { return std::pair<std::int64_t, std::int64_t>(0, 0); };
  CHECK(model.summary({}).find("Optimizer") == std::string::npos);
  model.layer().optimizer_params = [] { return std::pair<std::int64_t, std::int64_t>(1058, 4232); };
  const std::string text = model.summary({.columns = 80});
  CHECK(text.find(" Total params: 1,586 (6.20 KB)\n") != std::string::npos);
  CHECK(text.find(" Optimizer params: 1,058 (4.13 KB)\n") != std::string::npos);
}

TEST_CASE("the table as a value says what the text says") {
  const SummaryTable table = two_branches().summary_table({});
  CHECK_FALSE(table.chain);
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[3].class_name == "Add");
  CHECK(table.rows[3].connected_to == std::vector<std::string>{"encode_something[0][0]", "b[0][0]"});
  CHECK_FALSE(table.rows[3].trainable.has_value());
  CHECK(table.rows[1].trainable == true);
  CHECK(table.total.count == 1056);
  CHECK(table.total.bytes == 4224);
  const Json json = table.to_json();
  CHECK(
      json.at("layers").as_array()[1].dump() ==
      R"({"name": "encode_something", "class_name": "Dense", "output_shapes": [[null, 16]], "params": 528, "built": true, "connected_to": ["x[0][0]"], "depth": 0, "trainable": true})");
  CHECK(json.at("total_params").dump() == R"({"count": 1056, "bytes": 4224})");
  CHECK(json.at("optimizer_params").is_null());
}

TEST_CASE("shared weights count once, frozen ones as not trainable") {
  auto x = Input({4}, {.name = "x"});
  Dense twice(4, {.name = "twice"});
  const Model model(x, Dense(2, {.name = "head"})(twice(twice(x))));
  CHECK(model.summary_table({}).total.count == 30);
  CHECK_FALSE(model.summary_table({}).chain);
  CHECK(model.summary_table({}).rows[1].connected_to == std::vector<std::string>{"x[0][0]", "twice[0][0]"});
  twice->set_trainable(false);
  CHECK(model.summary_table({}).trainable.count == 10);
  CHECK(model.summary_table({}).non_trainable.count == 20);
  CHECK(model.summary_table({}).rows[1].trainable == false);
}

TEST_CASE("a summary goes to any stream") {
  std::ostringstream out, table;
  const Model model = plain_chain();
  model.summary(out);
  table << model.summary_table({});
  CHECK(out.str() == model.summary(SummaryOptions{}));
  CHECK(table.str() == out.str());
}

TEST_CASE("too narrow columns are refused") {
  CHECK_THROWS_WITH_AS(two_branches().summary({.line_length = 20, .columns = 80}),
                       "Insufficient console width to print summary: column 'Param #' would have 3 characters; give a "
                       "larger line_length",
                       UsageError);
  CHECK_THROWS_WITH_AS(plain_chain().summary({.positions = {0.5, 1.0}, .columns = 80}),
                       "summary: `positions` must have one entry for each of the 3 columns; got 2", UsageError);
}

}  // namespace
}  // namespace ramet
