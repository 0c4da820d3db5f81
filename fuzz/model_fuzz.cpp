// Any bytes as a model file: a model that is saved and opened again, or a DataError. Seeds: fuzz_seeds
// (fuzz/seeds.cpp), and tests/data/keras_files and tests/data/attacks, unpacked.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "ramet/ramet.h"

namespace {

// The archive's CRCs and directory are hard to hit: after a first byte of 'c', what follows is a config.
bool is_config(std::span<const std::uint8_t> data) { return !data.empty() && data[0] == 'c'; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span input(data, size);
  try {
    if (is_config(input)) {
      const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
      const ramet::Model model = ramet::Model::from_json(text, 1 << 20);
      (void)ramet::Model::from_json(model.to_json(), 1 << 20);
    } else {
      const ramet::Model model = ramet::load_model(std::as_bytes(input), {.limits = {4, 1 << 20}});
      (void)ramet::load_model(ramet::save_to_memory(model));
    }
  } catch (const ramet::DataError&) {}
  return 0;
}
