// The step of a `scan`: its body's plan, run once per element of the sequence.
#pragma once
#include "ramet/plan/plan.h"

namespace ramet {

Step make_scan_step(const Site& site, const Backend& backend);

}  // namespace ramet
