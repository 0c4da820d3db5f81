#include "ramet/backend/cpu/cpu_target.h"

#include <doctest/doctest.h>

#include "ramet/base/error.h"

namespace ramet::cpu {

TEST_CASE("cpu_target: every available target gives a full table of its own width") {
  const CpuTarget before = cpu_target();
  int lanes = 0;
  for (const CpuTarget target : available_targets()) {
    set_cpu_target(target);
    CAPTURE(to_string(target));
    CHECK(cpu_target() == target);
    CHECK(simd().lanes > lanes);
    lanes = simd().lanes;
    for (const auto& f : simd().unary) CHECK((f != nullptr));
    for (const auto& form : simd().binary) {
      for (const auto& f : form) CHECK((f != nullptr));
    }
    for (const auto& form : simd().compare) {
      for (const auto& f : form) CHECK((f != nullptr));
    }
    for (const auto& f : simd().reduce) CHECK((f != nullptr));
  }
  set_cpu_target(before);
}

TEST_CASE("cpu_target: a target this CPU lacks is refused") {
  if (available_targets().size() == 3) return;
  CHECK_THROWS_AS(set_cpu_target(CpuTarget::kAvx512), UsageError);
}

}  // namespace ramet::cpu
