// One model on several devices: each gets a part of the batch, the results are put together again. Keras'
// multi_gpu_model.
#pragma once
#include "ramet/graph/clone.h"

namespace ramet {

struct ReplicateOptions {
  bool cpu_merge = true;  // results are put together on cpu:0; otherwise on the first device
  bool cpu_relocation =
      false;  // the template is first cloned onto cpu:0, with its weights copied; the source stays as it is
};

// A functional model that cuts its batch into one part per device (10 over 3: 3, 3, 4), runs `model` on each part on
// its device, all at the same time, and joins the outputs. Weights are the model's own, so training the result trains
// the model (or, with cpu_relocation, its copy). Batches smaller than the number of devices leave the first devices
// idle. UsageError for fewer than two devices.
Model replicate(const Model& model, const std::vector<Device>& devices, const ReplicateOptions& options = {});

// Keras' name and arguments: `gpus` devices, or the devices of these numbers. Runs on gpu:i where there are GPUs, on
// cpu:i otherwise.
struct MultiGpuOptions {
  bool cpu_merge = true;
  bool cpu_relocation = false;
};
Model multi_gpu_model(const Model& model, int gpus, const MultiGpuOptions& options = {});
Model multi_gpu_model(const Model& model, const std::vector<int>& gpus, const MultiGpuOptions& options = {});

}  // namespace ramet
