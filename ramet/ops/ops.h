// All op functions over values.
#pragma once
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/conv/conv.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/index/index.h"
#include "ramet/ops/matmul/matmul.h"
#include "ramet/ops/pool/pool.h"
#include "ramet/ops/random/random_ops.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/ops/scan/scan.h"
#include "ramet/ops/shape/shape_ops.h"
#include "ramet/ops/softmax/softmax.h"
#include "ramet/ops/transfer/transfer.h"
