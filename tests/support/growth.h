// How the work of opening something grows when one thing in it is doubled: in steps of our own code, which are the same
// on every machine. Only builds with RAMET_COUNT_STEPS count them (preset `files`); elsewhere the files are opened.
#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "ramet/base/error.h"
#include "ramet/base/steps.h"

#if defined(RAMET_TEST_COUNTS_MEMORY)
#include <sanitizer/allocator_interface.h>
#endif

namespace ramet::testing {

// Something that can be counted in a file.
struct Countable {
  const char* name;
  std::size_t from;  // the smallest number that is tried; then twice and four times as many
  std::function<std::string(std::size_t)> make;
  std::function<void(const std::string&)> open = nullptr;
};

struct Work {
  std::uint64_t steps = 0;
  std::string refusal;  // empty when it was opened
};

// Copies of plain bytes take no steps of ours, but room.
inline std::uint64_t& bytes_allocated() {
  static std::uint64_t bytes = 0;
  return bytes;
}

inline Work work_of(const std::function<void(const std::string&)>& open, const std::string& content) {
  Work work;
  const std::uint64_t before = steps_done() + bytes_allocated() / 16;
  try {
    open(content);
  } catch (const DataError& error) { work.refusal = error.what(); }
  work.steps = steps_done() + bytes_allocated() / 16 - before;
  return work;
}

// Twice as much of it takes twice the work, a little more for sorted things; a square law takes four times. Nothing
// takes more than kMostPerByte for a byte of the file.
inline void check_growth(const Countable& c) {
  constexpr double kMostPerByte = 8000;  // a cell of a recurrent layer takes 50 bytes of text
  const char* only = std::getenv("RAMET_ONLY");
  if (only && std::string(c.name).find(only) == std::string::npos) return;
  CAPTURE(std::string(c.name));
  Work work[3];
  std::size_t size[3];
  (void)work_of(c.open, c.make(c.from));  // what is made once per process is made
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string content = c.make(c.from << i);
    size[i] = content.size();
    work[i] = work_of(c.open, content);
  }
  CAPTURE(work[2].refusal);
  CHECK(work[0].refusal.empty() == work[2].refusal.empty());
  const auto first = static_cast<double>(work[1].steps) - static_cast<double>(work[0].steps),
             second = static_cast<double>(work[2].steps) - static_cast<double>(work[1].steps);
  const double per_byte = static_cast<double>(work[2].steps) / static_cast<double>(size[2]);
  const std::string figures = cat(work[0].steps, ", ", work[1].steps, ", ", work[2].steps, " steps for ", size[0], ", ",
                                  size[1], ", ", size[2], " bytes: ", per_byte, " per byte, growth ", second / first);
  CAPTURE(figures);
  if (std::getenv("RAMET_TELL")) MESSAGE(std::string(c.name), ": ", figures, " ", work[2].refusal.substr(0, 200));
  // What hardly grows at all was refused before it was looked at.
  const bool grows = static_cast<double>(work[2].steps) > 1.3 * static_cast<double>(work[0].steps);
  CHECK((!grows || second <= 2.6 * first + 20'000));
  CHECK(per_byte <= kMostPerByte);
}

}  // namespace ramet::testing
