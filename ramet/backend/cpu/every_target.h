// For tests: runs a check once per instruction set of this CPU.
#pragma once
#include <doctest/doctest.h>

#include <string>

#include "ramet/backend/cpu/cpu_target.h"

namespace ramet::cpu {

template <class Check>
void on_every_target(Check check) {
  const CpuTarget before = cpu_target();
  for (const CpuTarget target : available_targets()) {
    set_cpu_target(target);
    const std::string name(to_string(target));
    CAPTURE(name);
    check();
  }
  set_cpu_target(before);
}

}  // namespace ramet::cpu
