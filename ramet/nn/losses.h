// All losses. In `compile` they are named by string ("mse") or given as objects (losses::Huber({.delta = 0.5})).
#pragma once
#include "ramet/nn/hinge_losses.h"
#include "ramet/nn/probabilistic_losses.h"
#include "ramet/nn/regression_losses.h"
