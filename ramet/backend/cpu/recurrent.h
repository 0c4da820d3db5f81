// SimpleRNN, GRU and LSTM over whole sequences, f32, forward and gradient (ops/recurrent says what they compute).
// Inputs and sequences are batch-major; what the gradient needs lies step after step, as it is written and read. Rows
// of the batch are cut into parts; no bit depends on their number. Also read by code compiled for AVX-512: plain data
// only.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ramet::cpu {

enum class CellKind { kSimpleRnn, kGru, kLstm };

struct RecurrentShape {
  CellKind cell = CellKind::kLstm;
  int gates = 4;  // blocks of `units` columns in the kernels
  int kept = 4;   // blocks of `units` values per row and step that the gradient reads
  std::int64_t batch = 0, steps = 0, features = 0, units = 0;
  bool reverse = false;  // from the last step to the first
};

struct RecurrentForward {
  RecurrentShape shape;
  const float* x = nullptr;          // [batch, steps, features]
  const float* kernel = nullptr;     // [features, gates·units], packed by pack_recurrent
  const float* projected = nullptr;  // instead of both: x·kernel + bias of every step [batch, steps, gates·units]
  const float* recurrent_kernel = nullptr;  // [units, gates·units], packed by pack_recurrent
  const float* bias = nullptr;              // [gates·units]; GRU: a second row, of the recurrent product
  const float* h0 = nullptr;                // [batch, units]
  const float* c0 = nullptr;                // LSTM
  const std::uint8_t* mask = nullptr;       // [batch, steps], or null; a row keeps its state where it is false
  // The last state may lie where the first one does; null: not wanted.
  float* h = nullptr;
  float* c = nullptr;          // LSTM
  float* sequence = nullptr;   // h after each step, [batch, steps, units]
  float* h_entered = nullptr;  // before each step, [steps, batch, units]
  float* c_entered = nullptr;  // LSTM
  float* gates = nullptr;      // [steps, batch, kept·units]
};

struct RecurrentGrad {
  RecurrentShape shape;
  const float* x = nullptr;
  const float* kernel = nullptr;  // as they are
  const float* recurrent_kernel = nullptr;
  const float* h_entered = nullptr;
  const float* c_entered = nullptr;  // LSTM
  const float* gates = nullptr;
  const float* dh = nullptr;  // of the last states
  const float* dc = nullptr;  // LSTM
  const float* dsequence = nullptr;
  const std::uint8_t* mask = nullptr;
  // Null: not wanted.
  float* dx = nullptr;
  float* dkernel = nullptr;
  float* drecurrent_kernel = nullptr;
  float* dbias = nullptr;
  float* dh0 = nullptr;
  float* dc0 = nullptr;  // LSTM
};

// One step of the gradient: dh and dc come as gradients of the states after step t. Leaves in dh what passes to the
// state before by other ways than the recurrent product, in dc that of c, in dv and du the gradients of what x and h
// bring to the gates.
struct RecurrentGradStep {
  const RecurrentGrad* grad = nullptr;
  std::int64_t t = 0;
  float* dh = nullptr;  // [batch, units]
  float* dc = nullptr;
  float* dv = nullptr;  // [batch, gates·units]
  float* du = nullptr;  // the same place where both are the same
  // The same once more as pack_b has it, for the products that give the kernels' gradients; null: not wanted. Row r of
  // a panel lies r panel widths from here, the next panel panel_stride from it.
  float* dv_panels = nullptr;
  float* du_panels = nullptr;
  std::int64_t panel_stride = 0;
};
// Rows that a block of pack_b has at least.
inline constexpr std::int64_t kMostPanelRows = 512;

// Floats that pack_recurrent writes for a kernel [depth, gates·units]. The layout depends on the CPU target.
std::size_t recurrent_packed_size(std::int64_t depth, std::int64_t units, int gates);
void pack_recurrent(const float* kernel, std::int64_t depth, std::int64_t units, int gates, float* packed);

// Whether the inputs of all steps are better multiplied before the steps than within them.
bool projects_first(const RecurrentShape& shape);
// How many parts are worth making for so many threads.
int recurrent_parts(const RecurrentShape& shape, int threads);
// Bytes of scratch for all parts together.
std::size_t recurrent_forward_scratch(const RecurrentShape& shape);
void recurrent_forward_part(const RecurrentForward& forward, int part, int parts, void* scratch);

// The gradient goes by blocks of steps from the last to the first: prepare, then for each block all parts of walk and
// after them all of gather, which may go together with the walk of the block that follows.
std::size_t recurrent_grad_scratch(const RecurrentShape& shape, int parts);
std::int64_t recurrent_grad_blocks(const RecurrentShape& shape);
void recurrent_grad_prepare(const RecurrentGrad& grad, int parts, void* scratch);
// Back through the steps of a block, by rows of the batch: gradients of the gates, x and the states.
void recurrent_grad_walk(const RecurrentGrad& grad, std::int64_t block, int part, int parts, void* scratch);
// What these steps give to the kernels and the bias, by places in them.
void recurrent_grad_gather(const RecurrentGrad& grad, std::int64_t block, int part, int parts, void* scratch);

}  // namespace ramet::cpu
