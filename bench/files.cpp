// Opening and saving a large model beside copying its file, everything in the page cache.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

namespace fs = std::filesystem;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class F>
double least_of(int times, F&& f) {
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const double start = now();
    f();
    best = std::min(best, now() - start);
  }
  return best;
}

// What `cp` does, and then what saving adds: waiting until the disk has it.
void copy(const std::string& from, const std::string& to, bool sync) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  if (!sync) return;
  const int file = ::open(to.c_str(), O_WRONLY);
  if (file < 0 || ::fsync(file) != 0) std::perror("fsync");
  ::close(file);
}

}  // namespace

// bench_files [megabytes]
int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 400;
  const fs::path folder = fs::temp_directory_path() / ("ramet_bench_files_" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const std::string file = folder / "model.keras", other = folder / "other.keras";
  {
    const auto layers = std::max(1, static_cast<int>(megabytes / 16));  // 2048 × 2048 floats are 16 MiB
    const auto in = Input({2048});
    Tensor x = in;
    for (int i = 0; i < layers; ++i) x = Dense(2048, {.kernel_initializer = "zeros"})(x);
    Model(in, x).save(file);
  }
  const double size = static_cast<double>(fs::file_size(file)) / 1e6;
  const double plain = least_of(5, [&] { copy(file, other, false); });
  const double synced = least_of(3, [&] { copy(file, other, true); });
  const double open = least_of(5, [&] { (void)load_model(file); });
  const Model model = load_model(file);
  const double save = least_of(3, [&] { model.save(other); });
  std::printf("model of %.0f MB   cp %.3f s   opened in %.3f s (%.0f %% of cp's speed)\n", size, plain, open,
              100 * plain / open);
  std::printf("                   cp and fsync %.3f s   saved in %.3f s (%.0f %% of its speed)\n", synced, save,
              100 * synced / save);
  fs::remove_all(folder);
}
