#include "cli/graphviz.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "ramet/base/error.h"

extern char** environ;

namespace ramet::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// A file without a name: the program reads its input from one and writes into others, so that no pipe can fill up.
File unnamed() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw DataError(cat("no temporary file can be made: ", std::strerror(errno)));
  return file;
}

std::string content(const File& file) {
  std::string out;
  std::rewind(file.get());
  char part[1 << 16];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;) out.append(part, n);
  return out;
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : "/usr/bin:/bin"; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string file = cat(rest.substr(0, colon), "/", name);
    if (::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return "";
}

std::string run_graphviz(const std::string& dot, const std::string& format) {
  const std::string program = find_program("dot");
  if (program.empty())
    throw DataError(cat("Graphviz' program `dot`, which draws .", format,
                        ", is not installed (Debian's package: graphviz); .dot and .mmd need nothing"));
  const File in = unnamed(), out = unnamed(), errors = unnamed();
  std::fwrite(dot.data(), 1, dot.size(), in.get());
  std::rewind(in.get());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(errors.get()), STDERR_FILENO);
  std::string name = "dot", option = "-T" + format;
  char* const words[] = {name.data(), option.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw DataError(cat(program, " cannot be run: ", std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw DataError(cat(program, " failed: ", content(errors)));
  return content(out);
}

}  // namespace ramet::cli
