#!/bin/sh
# Every command once, as it is meant.
set -eu
. "$(dirname "$0")/lib.sh"

expect 0 --version && shows "ramet "
expect 0 --help && shows "ramet predict model.keras"
for command in summary predict evaluate train plot clone convert diff weights bench ir plan describe doctor; do
  expect 0 help $command && shows "Examples" && shows "ramet $command"
  expect 0 $command --help && shows "Usage"
done
expect 0 help exit-codes && shows 130

expect 0 summary chain.keras && shows "Total params: 83" && shows "Saved by Ramet 0.1.0, as Keras 3.15.1"
expect 0 summary pair.keras --json && shows '"class_name": "Concatenate"' && shows '"keras_version": "3' && shows '"params": 15'
expect 0 summary pair.keras --expand-nested && shows squash

expect 0 predict chain.keras --inputs x.npz --outputs y.npz
expect 0 predict chain.keras --inputs x.npz --outputs y7.npz --batch-size=7 --device cpu:1
cmp y.npz y7.npz || complain "another batch size and device give other results"
"$ramet" predict chain.keras --inputs - --outputs - <x.npz >piped.npz
cmp y.npz piped.npz || complain "pipes give other results"
expect 0 predict pair.keras --inputs pair_x.npz --outputs p.npz
grep -aq near.npy p.npz && grep -aq same.npy p.npz || complain "outputs are not named after their layers"
expect 0 predict repeated.keras --inputs three.npz --outputs r.npz
grep -aq d.npy r.npz && grep -aq d_1.npy r.npz || complain "a repeated output name is not numbered"

expect 0 evaluate chain.keras --data data.npz && shows "accuracy: " && shows "loss: "
expect 0 evaluate chain.keras --data data.npz --json && shows '"accuracy": '
expect 0 evaluate pair.keras --data pair_data.npz --loss mse,mae --metrics same=mse --json
shows '"near_loss": ' && shows '"same_mse": '

expect 0 train chain.keras --data data.npz --save t.keras --epochs 3 --seed 5 --history h.json --validation-split 0.2
grep -q '"val_loss": \[' h.json || complain "the history lacks val_loss"
expect 0 train chain.keras --data data.npz --save again.keras --epochs 3 --seed 5 --validation-split 0.2 --json --quiet
[ "$(wc -l <out.txt)" = 3 ] || complain "train --json does not print a line per epoch"
[ ! -s err.txt ] || complain "train --quiet is not quiet: $(cat err.txt)"
cmp t.keras again.keras || complain "the same seed does not repeat the run"
expect 1 diff t.keras chain.keras && shows "weight hidden/kernel"
expect 0 train pair.keras --data pair_data.npz --save trained_pair.keras --optimizer sgd --learning-rate 0.1 --loss mse --no-shuffle
expect 0 train t.keras --data data.npz --save t2.keras --metrics accuracy,sparse_categorical_crossentropy

expect 0 clone chain.keras fresh.keras --seed 1
expect 1 diff chain.keras fresh.keras --json && shows '"equal": false' && shows '"config": []'
expect 0 clone chain.keras copy.keras --weights copy
expect 0 diff chain.keras copy.keras
expect 1 diff chain.keras pair.keras && shows "layers/hidden: Dense → nothing"

for file in c.h5 c.weights.h5 c.weights.json; do expect 0 convert chain.keras $file; done
expect 0 diff chain.keras c.h5
for file in c.weights.h5 c.weights.json c.h5 chain.keras; do
  expect 0 convert fresh.keras filled.keras --load-weights $file
  expect 0 diff chain.keras filled.keras
done

expect 0 weights chain.keras && shows "hidden/kernel" && shows "83 parameters"
expect 0 weights chain.keras --json && shows '"nonfinite": 0'

expect 0 plot pair.keras && shows 'subgraph "cluster_tower"' && shows '"left" -> "tower/inner"'
shows 'tower · 2 calls' && shows '(None, 1) · 7 params · output'
expect 0 plot pair.keras p.mmd
grep -q '^flowchart TB' p.mmd || complain "no Mermaid in p.mmd"
if command -v dot >/dev/null; then
  for file in p.svg p.png; do expect 0 plot pair.keras $file && [ -s $file ] || complain "$file was not drawn"; done
fi

expect 0 describe && shows "Conv2D" && shows "optimizers"
expect 0 describe Dense && shows "units" && shows "required" && shows "GlorotUniform"
expect 0 describe adam --json && shows '"beta_1"'
expect 0 ir chain.keras && shows "program(" && shows "matmul"
expect 0 ir chain.keras --train --optimized --batch-size 8 && shows "[8, 6]"
expect 0 plan chain.keras && shows "arena"
expect 0 bench chain.keras --rounds 2 && shows "GFLOP/s" && shows "samples/s"
expect 0 bench pair.keras --train --rounds 2 --threads 1 --json && shows '"share_of_peak"'
expect 0 bench chain.keras --rounds 2 --trace steps.json
grep -q '"traceEvents"' steps.json || complain "bench --trace writes no events"
expect 0 doctor && shows "passed"
# A file of a later Keras opens with warnings on stderr while what is unknown in it is off.
mkdir later
echo '{"keras_version": "3.99.0"}' >later/metadata.json
echo '{"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": [
  {"class_name": "InputLayer", "config": {"batch_shape": [null, 6], "name": "features"}},
  {"class_name": "ReLU", "config": {"name": "r", "tomorrow": null}}]}}' >later/config.json
for words in "summary later" "predict later --inputs x.npz --outputs later.npz"; do
  expect 0 $words
  for text in "warning: later: written by Keras 3.99.0" "ReLU: the argument 'tomorrow' = null is not known here and left out"; do
    grep -qF "$text" err.txt || complain "ramet $words does not warn '$text' but: $(cat err.txt)"
  done
done
sed -i 's/"tomorrow": null/"tomorrow": 2/' later/config.json
refuses 1 "ReLU: the argument 'tomorrow' = 2 is not supported" summary later

finish
