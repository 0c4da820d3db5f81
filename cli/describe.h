// What `ramet describe` knows: an entry per thing that takes arguments. Internal to the command.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/arguments.h"

namespace ramet::cli {

struct Entry {
  std::string_view kind;
  std::string name;
  std::vector<std::string> aliases;  // other names it is found by
  std::function<std::vector<ArgumentInfo>()> arguments;
};

// Input, callbacks, the functions of ops, and compile, fit, evaluate and predict.
std::vector<Entry> call_entries();

}  // namespace ramet::cli
