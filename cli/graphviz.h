// Graphviz' program `dot`, which is run and not linked.
#pragma once
#include <optional>
#include <string>

namespace ramet::cli {

// Where a program lies on PATH; empty when it is not there.
std::string find_program(const std::string& name);

// The picture of a dot text in a format of `dot -T`. DataError saying what to install when there is no `dot`.
std::string run_graphviz(const std::string& dot, const std::string& format);

}  // namespace ramet::cli
