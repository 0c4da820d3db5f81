#include "ramet/train/datasets.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace ramet;

TEST_CASE("fashion_mnist: images are bytes with a channel, labels are integers") {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) return;
  const auto [train, test] = datasets::fashion_mnist();
  CHECK(to_string(train.x.shape()) == "(60000, 28, 28, 1)");
  CHECK(train.x.dtype() == DType::u8);
  CHECK(train.y.dtype() == DType::i32);
  CHECK(to_string(test.y.shape()) == "(10000,)");
  CHECK(train.y.at({0}) == 9);
}

TEST_CASE("fashion_mnist: a missing file names the package") {
  CHECK_THROWS_WITH_AS(
      datasets::fashion_mnist("/nowhere"),
      "/nowhere/train-images-idx3-ubyte.gz is missing; install the Debian package dataset-fashion-mnist", DataError);
}
