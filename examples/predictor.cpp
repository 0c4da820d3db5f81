// Prediction in a program that must not wait: the plan is made once, each call allocates nothing and takes no lock. A
// small model filters a signal, sample by sample, and we count the time of each call.
#include <ramet/ramet.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>

using namespace ramet;

int main() try {
  set_random_seed(7);
  constexpr std::size_t kWindow = 40, kCalls = 20'000;
  auto in = Input({kWindow}, {.name = "samples"});
  auto h = Dense(32, {.activation = "tanh"})(in);
  const Model model(in, Dense(1)(h), {.name = "amplifier"});

  Predictor run = model.predictor({{1, kWindow}});  // plan made here, for this shape
  std::array<float, kWindow> window{};
  std::array<float, 1> out{};
  std::vector<double> micros(kCalls);
  for (std::size_t t = 0; t < kCalls; ++t) {
    std::rotate(window.begin(), window.begin() + 1, window.end());
    window.back() = std::sin(0.05F * static_cast<float>(t));
    const auto begin = std::chrono::steady_clock::now();
    run(window, out);
    micros[t] = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }
  std::sort(micros.begin(), micros.end());
  std::cout << "a call takes " << micros[kCalls / 2] << " µs; one in a thousand more than "
            << micros[kCalls - kCalls / 1000] << " µs\n";

  const Array expected = model.predict(Array::of<float>({1, kWindow}, std::span<const float>(window)));
  std::cout << "the last answer " << out[0] << ", predict says " << expected.item() << '\n';
  return std::abs(out[0] - expected.item()) < 1e-5 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
