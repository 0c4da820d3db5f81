// Keras' weights files (.weights.h5 and model.weights.h5 in an archive): which variable stands where.
#pragma once
#include "ramet/graph/model.h"
#include "ramet/io/hdf5/hdf5_read.h"
#include "ramet/io/hdf5/hdf5_write.h"

namespace ramet::io {

// One object's own variables: path/0, path/1, … in the file.
struct WeightGroup {
  std::string path;  // "layers/dense/vars"
  std::string name;  // of the object
  VariableRefs variables;
};

// All groups of a model in Keras' order. A layer that several models hold stands at its first place, or at every one:
// Keras makes a layer of its own of each when it reads a whole model. The optimizer's group is the last one, when the
// model is compiled and `optimizer` asks for it.
std::vector<WeightGroup> weight_groups(const Model& model, bool optimizer, bool every_place = false);

// A file of these groups. The variables must stay as they are until it is written.
hdf5::FileWriter weights_writer(const std::vector<WeightGroup>& groups);

// Where the elements of a variable come from.
struct Source {
  VariableRef variable;
  hdf5::Dataset dataset;
};

// Finds the datasets of all groups and checks count, shape and type of each before anything is changed. DataError
// naming the layer. Groups of models that Keras 2.13 wrote are found, too.
std::vector<Source> match_weights(const hdf5::Group& root, const std::vector<WeightGroup>& groups);

// DataError unless the file has as many variables for the group as the model.
void check_count(const WeightGroup& group, std::size_t count);

// What a file says of one variable, checked.
Source match_variable(const hdf5::Dataset& dataset, const VariableRef& variable, std::string_view owner);

// Reads the elements into the variables of a model that is thrown away if that fails. `done` is called with the bytes
// of the file that are not needed any more. Returns the paths of variables that hold NaN or infinity.
std::vector<std::string> read_weights(const std::vector<Source>& sources,
                                      const std::function<void(std::span<const std::byte>)>& done = nullptr);

// The same for a model that stays, all or none: nothing changes unless everything was read and `check`, which throws
// when what was read cannot be trusted, agrees.
void replace_weights(const std::vector<Source>& sources, const std::function<void()>& check);

}  // namespace ramet::io
