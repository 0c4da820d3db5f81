// Data that comes with the system.
#pragma once
#include <string>

#include "ramet/array/array.h"

namespace ramet::datasets {

struct Samples {
  Array x, y;
};
struct Split {
  Samples train, test;
};

// Fashion-MNIST: 60,000 and 10,000 images, uint8 of (28, 28, 1) from 0 to 255, and labels 0 … 9 as int32. Read from the
// files of the Debian package dataset-fashion-mnist; DataError when they are missing or damaged.
Split fashion_mnist(const std::string& folder = "/usr/share/datasets/fashion-mnist");

}  // namespace ramet::datasets
