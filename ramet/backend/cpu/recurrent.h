// LSTM and GRU over whole sequences, f32, forward and gradient. What the inputs bring is already multiplied: x is
// x·W + b of every step, so that a step multiplies by the recurrent kernel only. Everything is batch-major. Parts are
// cut by rows of the batch; no bit depends on their number. Also read by code compiled for AVX-512: plain data only.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ramet::cpu {

struct RecurrentShape {
  std::int64_t batch = 0, steps = 0, units = 0;
  int gates = 4;         // blocks of `units` columns in x and the recurrent kernel: 4 for LSTM (i, f, c, o), 3 for GRU
  bool reverse = false;  // from the last step to the first
};

struct RecurrentForward {
  RecurrentShape shape;
  const float* x = nullptr;            // [batch, steps, gates·units]
  const float* kernel = nullptr;       // packed by pack_recurrent
  const float* bias = nullptr;         // GRU: of the recurrent product, [gates·units]
  const float* h0 = nullptr;           // [batch, units]
  const float* c0 = nullptr;           // LSTM
  const std::uint8_t* mask = nullptr;  // [batch, steps], or null; a row keeps its state where it is false
  // The last state may lie where the first one does; null: not wanted.
  float* h = nullptr;
  float* c = nullptr;  // LSTM
  // States after each step, states before each step, [batch, steps, units].
  float* sequence = nullptr;
  float* h_entered = nullptr;
  float* c_entered = nullptr;  // LSTM
  // [batch, steps, 4·units]: LSTM i, f, c, o; GRU z, r, candidate and the candidate's recurrent product. Zero where
  // masked.
  float* gates = nullptr;
};

struct RecurrentGrad {
  RecurrentShape shape;
  const float* gates = nullptr;    // as the forward pass left them
  const float* entered = nullptr;  // LSTM c_entered, GRU h_entered
  const float* kernel = nullptr;   // the recurrent kernel transposed, packed by pack_b
  const float* dh = nullptr;       // of the last states
  const float* dc = nullptr;       // LSTM
  const float* dsequence = nullptr;
  const std::uint8_t* mask = nullptr;
  float* dx = nullptr;  // [batch, steps, gates·units]
  float* du = nullptr;  // GRU: of the recurrent products, which differ from dx in the candidate
  float* dh0 = nullptr;
  float* dc0 = nullptr;  // LSTM
};

// One step of the gradient: dh and dc come as gradients of the states after step t. Leaves in dh what passes to the
// state before by other ways than the recurrent product, in dc that of c, in dz the gradient of the recurrent product.
struct RecurrentGradStep {
  const RecurrentGrad* grad = nullptr;
  std::int64_t t = 0;
  float* dh = nullptr;  // [batch, units]
  float* dc = nullptr;
  float* dz = nullptr;  // [batch, gates·units]
};

// Floats that pack_recurrent writes for a kernel [units, gates·units]. The layout depends on the CPU target.
std::size_t recurrent_packed_size(std::int64_t units, int gates);
void pack_recurrent(const float* kernel, std::int64_t units, int gates, float* packed);

// How many parts are worth making for so many threads.
int recurrent_parts(const RecurrentShape& shape, int threads);
// Bytes of scratch for all parts together.
std::size_t recurrent_forward_scratch(const RecurrentShape& shape);
std::size_t recurrent_grad_scratch(const RecurrentShape& shape, int parts);
void recurrent_forward_part(const RecurrentForward& forward, int part, int parts, void* scratch);
void recurrent_grad_part(const RecurrentGrad& grad, int part, int parts, void* scratch);

}  // namespace ramet::cpu
