// Any text as JSON: a value that is written and read back, or a DataError.
#include <cstdint>
#include <cstdlib>

#include "ramet/base/error.h"
#include "ramet/base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ramet::Json value = ramet::Json::parse({reinterpret_cast<const char*>(data), size});
    if (!(ramet::Json::parse(value.dump()) == value)) std::abort();
  } catch (const ramet::DataError&) {}
  return 0;
}
