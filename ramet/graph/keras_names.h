// Names that Keras has, to tell what is missing here from what is misspelt.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace ramet {

// The class of Keras 3.15 that `name` (or its snake case) means among layers, losses, …; empty when there is none.
// `kind` in the singular, as objects have it in kKind.
std::string keras_class(std::string_view kind, std::string_view name);

// How an error begins about a name that is not among `known`: "Keras' loss Dice is not there yet", or "unknown loss
// 'mes'; did you mean 'mse'?".
std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string> known);

}  // namespace ramet
