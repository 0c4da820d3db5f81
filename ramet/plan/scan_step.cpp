#include "ramet/plan/scan_step.h"

#include <cstring>

#include "ramet/ops/scan/scan.h"

namespace ramet {
namespace {

struct Args {
  std::shared_ptr<const Plan> body;
  std::int64_t length = 0;
  bool reverse = false;
  std::size_t carries = 0, sequences = 0, inputs = 0, outputs = 0;  // of the body
  std::vector<std::size_t> bytes_in, bytes_out;                     // of one step's inputs and outputs
  // Scratch: the table of pointers, two homes for each carry, a home for outputs nobody wants, the body's arena.
  std::vector<std::size_t> home_a, home_b, unwanted;
  std::size_t external = 0, arena = 0;
};

std::size_t bytes_of(const Spec& s) { return static_cast<std::size_t>(element_count(s.shape)) * size_of(s.dtype); }

void run(const Args& a, const Buffers& buffers) {
  char* const scratch = static_cast<char*>(buffers.scratch);
  void** const pointers = reinterpret_cast<void**>(scratch);
  void** const external = reinterpret_cast<void**>(scratch + a.external);
  char* arenas[] = {scratch + a.arena};
  a.body->bind(pointers, arenas, nullptr);

  const std::size_t ny = a.outputs - a.carries;
  void* const* const results = buffers.out;              // last carries
  void* const* const ys = buffers.out + a.carries;       // may be null
  void* const* const history = buffers.out + a.outputs;  // may be null
  for (std::size_t i = a.carries + a.sequences; i < a.inputs; ++i) external[i] = const_cast<void*>(buffers.in[i]);

  // Where the carry that enters step t (counted in the order of running) is kept.
  const auto home = [&](std::size_t i, std::int64_t t, std::int64_t position) -> char* {
    if (history[i]) return static_cast<char*>(history[i]) + static_cast<std::size_t>(position) * a.bytes_in[i];
    return scratch + (t % 2 ? a.home_b[i] : a.home_a[i]);
  };
  const auto position = [&](std::int64_t t) { return a.reverse ? a.length - 1 - t : t; };

  if (a.length == 0) {
    for (std::size_t i = 0; i < a.carries; ++i)
      if (results[i]) std::memcpy(results[i], buffers.in[i], a.bytes_in[i]);
    return;
  }
  for (std::size_t i = 0; i < a.carries; ++i) std::memcpy(home(i, 0, position(0)), buffers.in[i], a.bytes_in[i]);
  for (std::int64_t t = 0; t < a.length; ++t) {
    const std::int64_t at = position(t);
    const bool last = t + 1 == a.length;
    for (std::size_t i = 0; i < a.carries; ++i) {
      external[i] = home(i, t, at);
      void* next = last ? results[i] : home(i, t + 1, position(t + 1));
      external[a.inputs + i] = next ? next : scratch + ((t + 1) % 2 ? a.home_b[i] : a.home_a[i]);
    }
    for (std::size_t i = 0; i < a.sequences; ++i) {
      const std::size_t k = a.carries + i;
      external[k] =
          const_cast<char*>(static_cast<const char*>(buffers.in[k]) + static_cast<std::size_t>(at) * a.bytes_in[k]);
    }
    for (std::size_t i = 0; i < ny; ++i)
      external[a.inputs + a.carries + i] =
          ys[i] ? static_cast<char*>(ys[i]) + static_cast<std::size_t>(at) * a.bytes_out[a.carries + i]
                : scratch + a.unwanted[i];
    a.body->patch(pointers, external);
    run_steps(a.body->steps(), pointers, arenas[0], buffers.pool);
  }
}

}  // namespace

Step make_scan_step(const Site& site, const Backend& backend) {
  const auto& at = site.attrs<ops::ScanAttrs>();
  Args args;
  args.body = make_plan(at.body, backend);
  ensure(args.body->devices().size() == 1, "a scan's body must stay on one device");
  args.length = at.length;
  args.reverse = at.reverse;
  args.carries = static_cast<std::size_t>(at.carries);
  args.sequences = static_cast<std::size_t>(at.sequences);
  args.inputs = at.body->inputs().size();
  args.outputs = at.body->outputs().size();
  std::size_t top = 0;
  const auto take = [&](std::size_t bytes) {
    const std::size_t here = top;
    top += (bytes + 63) / 64 * 64;
    return here;
  };
  take(args.body->pointer_count() * sizeof(void*));
  args.external = take(args.body->externals() * sizeof(void*));
  for (const auto& input : at.body->inputs()) args.bytes_in.push_back(bytes_of(at.body->spec(input.value)));
  for (const auto& output : at.body->outputs()) args.bytes_out.push_back(bytes_of(at.body->spec(output.value)));
  for (std::size_t i = 0; i < args.carries; ++i)
    args.home_a.push_back(take(args.bytes_in[i])), args.home_b.push_back(take(args.bytes_in[i]));
  for (std::size_t i = args.carries; i < args.outputs; ++i) args.unwanted.push_back(take(args.bytes_out[i]));
  args.arena = take(args.body->arena_bytes(0));
  Step step = make_step(
      std::move(args), [](const Args& a, const Buffers& b) { run(a, b); }, top);
  step.kernel = "scan";
  return step;
}

}  // namespace ramet
