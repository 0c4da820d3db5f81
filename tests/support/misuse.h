// A misuse: code that must be refused, by which kind of error and in which words. The tables are in
// tests/misuse_*_test.cpp, tests/misuse_test.cpp runs them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ramet/ramet.h"

namespace ramet::testing {

enum class Refusal : unsigned char { usage, data, device };

struct Misuse {
  const char* name;
  std::function<void(Model&)> code;  // is given the subject, which must come out of it as it went in
  std::vector<const char*> says;     // pieces of the message
  Refusal refusal = Refusal::usage;
};

std::vector<Misuse> argument_misuses();  // layers and what they are built with
std::vector<Misuse> call_misuses();      // layers called on tensors
std::vector<Misuse> model_misuses();     // models, clones, replicas, surgery
std::vector<Misuse> data_misuses();      // predict, weights, arrays
std::vector<Misuse> training_misuses();  // compile, fit, evaluate

// The subject: two inputs "a" (None, 4) and "b" (None, 4), outputs "sum" (None, 2) and "mean" (None, 1), compiled.
Model misused_model();

}  // namespace ramet::testing
