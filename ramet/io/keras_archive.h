// The .keras format: config.json, metadata.json and model.weights.h5 in a zip archive or a folder. Internal to
// ramet/io.
#pragma once
#include "ramet/io/model_file.h"
#include "ramet/io/sink.h"

namespace ramet::io {

// What Ramet writes is what this version of Keras writes.
inline constexpr const char* kWrittenVersion = "3.15.1";

// The members of an archive, wherever they were found. The spans live as long as the caller's file.
struct ArchiveParts {
  std::string who;  // starts messages
  std::string config, metadata;
  std::span<const std::byte> weights;
  std::uint64_t file_bytes = 0;
  // Told which bytes of the weights are not needed any more.
  std::function<void(std::span<const std::byte>)> done = nullptr;
};

Model model_from_parts(const ArchiveParts& parts, const LoadOptions& options);

// A model from the object that config.json or an .h5 file's model_config holds, with room for its weights.
Model model_from_object(const Json& object, const JsonObject& metadata, std::uint64_t weight_bytes,
                        const LoadOptions& options);

// Compiles the model as its file says. An argument that is unknown and switched off becomes a warning; so does an
// unknown optimizer, loss or metric, which leaves the model uncompiled.
void compile_from_file(Model& model, const JsonObject& config, const LoadOptions& options);

// How many of the optimizer's variables a file holds when it never made a step: the counter, and the rate unless a
// schedule gives it.
std::size_t variables_before_first_step(const VariableRefs& variables);

// Weights that are NaN or infinite: a warning each, or an error when the caller wants none.
void report_nonfinite(const Model& model, const std::vector<std::string>& paths, const LoadOptions& options);

// Writes a mark beside the version of Keras whose files ours are like.
inline constexpr const char *kOwnMark = "ramet_version", *kOwnVersion = "0.1.0";

// UsageError, before anything is written, for what no file could bring back.
void write_archive(Sink& sink, const Model& model);

}  // namespace ramet::io
