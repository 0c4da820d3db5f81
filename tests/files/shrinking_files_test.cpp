// Files that somebody shortens while they are read: a model, or a DataError, and never the end of the process.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "ramet/io/npy.h"
#include "ramet/io/npz.h"
#include "tests/support/attacks.h"

namespace ramet::testing {
namespace {

// 4 MB in one weight, so that there is time to come in between.
Model large_model(float number) {
  const auto in = Input({1000}, {.name = "in"});
  Model model(in, Dense(1000, {}, {.name = "d"})(in), {.name = "m"});
  Arrays weights = model.get_weights();
  for (Array& w : weights)
    for (float& x : w.data<float>()) x = number;
  model.set_weights(weights);
  return model;
}

bool all_are(const Model& model, float number) {
  for (const Array& w : model.get_weights())
    for (const float x : w.data<float>())
      if (x != number) return false;
  return true;
}

// Opens again and again while a thread cuts `cut` at a moment that moves through the whole of the opening, until it was
// refused ten times. How often that was.
int refusals(const std::string& cut, const std::function<void()>& open) {
  const std::string whole = content_of(cut);
  const auto begin = std::chrono::steady_clock::now();
  open();
  const auto usual = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  std::mt19937_64 random(7);
  int refused = 0;
  for (int i = 0; i < 200 && refused < 10; ++i) {
    put(cut, whole);
    const auto wait = usual * (i % 40) / 40;
    const auto size = static_cast<off_t>(random() % whole.size());
    std::thread thread([&, wait] {
      std::this_thread::sleep_for(wait);
      REQUIRE(::truncate(cut.c_str(), size) == 0);
    });
    try {
      open();
    } catch (const DataError& error) {
      ++refused;
      CHECK(std::string(error.what()).size() <= Error::kLongest);
    }
    thread.join();
  }
  put(cut, whole);
  return refused;
}

}  // namespace

TEST_CASE("shrinking files: whatever is opened, it is refused or whole") {
  const TemporaryFolder folder;
  const Model model = large_model(1);
  model.save(folder / "m.keras");
  model.save(folder / "m.h5");
  model.save_weights(folder / "w.weights.h5");
  std::filesystem::create_directory(folder / "unpacked");
  put(folder / "unpacked/config.json", model.to_json());
  put(folder / "unpacked/metadata.json", "{}");
  put(folder / "unpacked/model.weights.h5", content_of(folder / "w.weights.h5"));
  const Array array = Array(Shape{1 << 20}, DType::f32);
  save_npy(folder / "a.npy", array);
  save_npz(folder / "a.npz", {{"a", array}});

  const auto whole = [&](const std::string& path) {
    const Model loaded = load_model(path);
    CHECK(all_are(loaded, 1));
  };
  const auto same = [&](const Array& loaded) { CHECK(loaded.identical(array)); };
  // Some refusals, so the moments were the right ones.
  for (const char* name : {"m.keras", "m.h5"}) CHECK(refusals(folder / name, [&] { whole(folder / name); }) > 0);
  CHECK(refusals(folder / "unpacked/model.weights.h5", [&] { whole(folder / "unpacked"); }) > 0);
  CHECK(refusals(folder / "a.npy", [&] { same(load_npy(folder / "a.npy")); }) > 0);
  CHECK(refusals(folder / "a.npz", [&] { same(load_npz(folder / "a.npz")[0].second); }) > 0);
}

TEST_CASE("shrinking files: a model that is loaded predicts the same when its file is gone") {
  const TemporaryFolder folder;
  large_model(1).save(folder / "m.keras");
  const Model model = load_model(folder / "m.keras");
  const Array x = Array::of<float>({1, 1000}, std::vector<float>(1000, 1));
  const Array before = model.predict(x);
  REQUIRE(::truncate((folder / "m.keras").c_str(), 0) == 0);
  CHECK(Array(model.predict(x)).identical(before));
}

TEST_CASE("shrinking files: weights are loaded all or not at all") {
  const TemporaryFolder folder;
  large_model(1).save_weights(folder / "w.weights.h5");
  large_model(1).save_weights(folder / "s.weights.json");
  large_model(1).save(folder / "w.keras");
  Model model = large_model(2);
  int refused = 0;
  const std::pair<const char*, const char*> kFiles[] = {
      {"w.weights.h5", "w.weights.h5"}, {"w.keras", "w.keras"}, {"s.weights.json", "s_00000.weights.h5"}};
  for (const auto& [opened, cut] : kFiles)
    refused += refusals(folder / cut, [&, opened = opened] {
      model.set_weights(large_model(2).get_weights());
      try {
        model.load_weights(folder / opened);
        CHECK(all_are(model, 1));
      } catch (const DataError&) {
        CHECK(all_are(model, 2));
        throw;
      }
    });
  CHECK(refused > 0);
}

}  // namespace ramet::testing
