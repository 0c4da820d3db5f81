// Do two sentences have the same words? Both go through one embedding and one LSTM; masks travel by themselves, inputs
// are given by name, and two outputs learn at the same time.
#include <ramet/ramet.h>

#include <algorithm>
#include <iostream>
#include <random>

using namespace ramet;

namespace {

constexpr std::int64_t kWords = 40, kLongest = 6;

struct Pairs {
  Array question, document, near, same;
};

// Sentences of two to six words, padded with zeros. Half of the documents are the question's words in another order.
Pairs make_pairs(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Pairs out{Array({count, kLongest}, DType::i32), Array({count, kLongest}, DType::i32), Array({count, 1}),
            Array({count, 1})};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto q = out.question.rows(i, i + 1).data<std::int32_t>(),
               d = out.document.rows(i, i + 1).data<std::int32_t>();
    const auto length = static_cast<std::ptrdiff_t>(pick(2, kLongest));
    const bool same = pick(0, 1) == 1;
    const auto word = [&] { return static_cast<std::int32_t>(pick(1, kWords - 1)); };
    std::generate(q.begin(), q.begin() + length, word);
    if (same)
      std::copy(q.begin(), q.begin() + length, d.begin());
    else
      std::generate(d.begin(), d.begin() + length, word);
    std::shuffle(d.begin(), d.begin() + length, random);
    out.near.data<float>()[static_cast<std::size_t>(i)] = same ? 1.0F : 0.0F;
    out.same.data<float>()[static_cast<std::size_t>(i)] = same ? 1.0F : 0.0F;
  }
  return out;
}

}  // namespace

int main() try {
  set_random_seed(7);
  auto word = Embedding(kWords, 16, {.mask_zero = true});
  auto encode = Bidirectional(LSTM(16));  // one layer, used twice
  auto q = Input({None}, {.dtype = "int32", .name = "question"});
  auto d = Input({None}, {.dtype = "int32", .name = "document"});
  auto u = encode(word(q)), v = encode(word(d));
  auto near = Dot(1, {.normalize = true}, {.name = "near"})({u, v});
  auto same = Dense(1, {.activation = "sigmoid"}, {.name = "same"})(Concatenate()({u, v, (u - v) * (u - v)}));
  Model pair({q, d}, {near, same}, {.name = "pair"});

  pair.compile({.optimizer = Adam(1e-2), .loss = {"mse", "binary_crossentropy"}, .loss_weights = {0.2, 1.0}});
  const Pairs train = make_pairs(1024, 1), test = make_pairs(256, 2);
  pair.fit({{"question", train.question}, {"document", train.document}}, {train.near, train.same},
           {.batch_size = 64, .epochs = 6, .verbose = 2});

  const Arrays out = pair.predict({test.question, test.document});
  int right = 0;
  for (std::size_t i = 0; i < 256; ++i)
    right += (out[1].data<float>()[i] > 0.5F) == (test.same.data<float>()[i] > 0.5F);
  std::cout << right << " of 256 new pairs judged rightly\n";
  return right > 160 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
