#include "ramet/passes/passes.h"
namespace ramet::passes {
std::unique_ptr<Program> cluster(const Program&, const PassOptions&) { return nullptr; }
}  // namespace ramet::passes
