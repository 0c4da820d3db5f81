// The four kinds of failure, and the helpers that word them: who: what is wrong: what was got; what to do.
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>

namespace ramet {

// Every error Ramet throws on purpose. The text is one line of at most kLongest bytes, whatever names a file has
// brought into it: control characters are written out, and what is too long is cut out of the middle, so that who it is
// about and what to do stay.
class Error : public std::runtime_error {
 public:
  static constexpr std::size_t kLongest = 1000;
  explicit Error(const std::string& what);
};

// The caller passed something that cannot work.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A file or an array holds something it should not.
class DataError : public Error {
 public:
  using Error::Error;
};

// A device is missing, out of memory or failing.
class DeviceError : public Error {
 public:
  using Error::Error;
};

// A mistake of Ramet itself; the message asks for a report.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& what) : Error("internal error of Ramet (please report it): " + what) {}
};

// Joins anything that can be written to a stream.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.precision(9);
  (out << ... << parts);
  return std::move(out).str();
}

// Refuses a caller's mistake.
template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw UsageError(cat(parts...));
}

// States what must be true unless Ramet itself is wrong.
template <class... Parts>
void ensure(bool holds, const Parts&... parts) {
  if (!holds) throw InternalError(cat(parts...));
}

}  // namespace ramet
