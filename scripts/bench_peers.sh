#!/bin/sh
# scripts/bench_peers.sh [ARGUMENTS OF run.py]: the workloads of bench/peers with Ramet and the engines installed in
# build/peers, in one run, and the table.
set -eu
cd "$(dirname "$0")/.."

python=${RAMET_PEERS_PYTHON:-build/peers/bin/python}
if [ ! -x "$python" ]; then
  echo "no other engines are installed: make bench-peers installs them" >&2
  exit 0
fi
mkdir -p build/peers/models
exec "$python" bench/peers/run.py --models build/peers/models --json build/peers/speed.json \
  --peers ort openvino torch-eager jax keras-jax --ramet "$PWD/build/release/bench_workload" "$@"
