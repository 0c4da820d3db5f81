// An encoder and a decoder that learn to write digits backwards: states handed from one LSTM to the other, attention
// over what was read.
#include <ramet/ramet.h>

#include <iostream>
#include <random>

using namespace ramet;

namespace {

constexpr std::int64_t kDigits = 10, kLength = 5, kStart = 10;

struct Lines {
  Array read, before, write;  // `before` is `write` one step later, beginning with kStart
};

Lines make_lines(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> digit(0, kDigits - 1);
  const Shape shape{count, kLength};
  Lines out{Array(shape, DType::i32), Array(shape, DType::i32), Array(shape, DType::i32)};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto read = out.read.rows(i, i + 1).data<std::int32_t>(),
               before = out.before.rows(i, i + 1).data<std::int32_t>(),
               write = out.write.rows(i, i + 1).data<std::int32_t>();
    for (std::size_t t = 0; t < kLength; ++t) write[kLength - 1 - t] = read[t] = digit(random);
    before[0] = kStart;
    for (std::size_t t = 1; t < kLength; ++t) before[t] = write[t - 1];
  }
  return out;
}

void print_row(const char* title, const Array& row) {
  std::cout << title;
  for (const auto n : row.data<std::int32_t>()) std::cout << ' ' << n;
  std::cout << '\n';
}

}  // namespace

int main() try {
  set_random_seed(7);
  auto read = Input({kLength}, {.dtype = "int32", .name = "read"});
  auto before = Input({kLength}, {.dtype = "int32", .name = "before"});
  auto x = Embedding(kDigits, 24)(read), y = Embedding(kDigits + 1, 24)(before);
  auto [seq, h, c] = LSTM(48, {.return_sequences = true, .return_state = true})(x).unpack<3>();
  auto dec = LSTM(48, {.return_sequences = true})(y, {.initial_state = {h, c}});
  auto att = MultiHeadAttention(2, 16)(dec, seq, {.use_causal_mask = false});  // query, value
  auto z = BatchNormalization()(Concatenate()({dec, att}), {.training = false});
  auto digits = Dense(kDigits, {.activation = "softmax"})(z);
  Model model({read, before}, digits, {.name = "backwards"});

  model.compile({.optimizer = Adam(1e-2), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  const Lines train = make_lines(2000, 1), test = make_lines(200, 2);
  model.fit({train.read, train.before}, train.write, {.batch_size = 50, .epochs = 5, .verbose = 2});

  // Writes one digit at a time, each after those before it.
  const Array line = test.read.rows(0, 1);
  Array written = Array::full({1, kLength}, kStart, DType::i32), answer({1, kLength}, DType::i32);
  for (std::size_t t = 0; t < kLength; ++t) {
    const Array p = model.predict({line, written});
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < kDigits; ++k)
      if (p.at({0, static_cast<std::int64_t>(t), k}) > p.at({0, static_cast<std::int64_t>(t), best})) best = k;
    answer.data<std::int32_t>()[t] = static_cast<std::int32_t>(best);
    if (t + 1 < kLength) written.data<std::int32_t>()[t + 1] = static_cast<std::int32_t>(best);
  }
  print_row("read     ", line);
  print_row("written  ", answer);
  const double accuracy = model.evaluate({test.read, test.before}, test.write, {.verbose = 0})["accuracy"];
  std::cout << "accuracy on new lines " << accuracy << '\n';
  return accuracy > 0.5 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
