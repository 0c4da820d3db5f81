// The programs people write with recurrent and attention layers.
#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "ramet/graph/model.h"
#include "ramet/layers/layers.h"

using namespace ramet;

TEST_CASE("program: shared layers, several inputs by name, masks that travel by themselves") {
  auto word = Embedding(10'000, 64, {.mask_zero = true});
  auto encode = Bidirectional(LSTM(32));
  auto q = Input({None}, {.dtype = "int32", .name = "question"});
  auto d = Input({None}, {.dtype = "int32", .name = "document"});
  auto u = encode(word(q)), v = encode(word(d));
  auto near = Dot(1, {.normalize = true})({u, v});
  auto same = Dense(1, {.activation = "sigmoid"})(Concatenate()({u, v}));
  Model pair({q, d}, {near, same});
  CHECK(to_string(near.shape()) == "(None, 1)");
  CHECK(pair.layers().size() == 7);  // two inputs, embedding, encoder, dot, concatenate, dense
  CHECK(pair.weights().size() == 1 + 6 + 2);
}

TEST_CASE("program: states, call arguments, encoder and decoder") {
  auto x = Input({None, 8}), y = Input({None, 8});
  auto [seq, h, c] = LSTM(64, {.return_sequences = true, .return_state = true})(x).unpack<3>();
  auto dec = LSTM(64, {.return_sequences = true})(y, {.initial_state = {h, c}});
  auto att = MultiHeadAttention(4, 16)(dec, seq, {.use_causal_mask = false});
  auto z = BatchNormalization()(att, {.training = false});
  Model model({x, y}, z);
  CHECK(to_string(z.shape()) == "(None, None, 64)");
  CHECK(model.weights().size() == 3 + 3 + 8 + 4);
}
