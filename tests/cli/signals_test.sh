#!/bin/sh
# Ctrl-C ends training without saving, SIGTERM saves first.
set -eu
. "$(dirname "$0")/lib.sh"

# stopped_by SIGNAL: trains far too long, sends the signal once an epoch is done; the exit status is in $status.
stopped_by() {
  rm -f epochs.txt
  "$ramet" train chain.keras --data data.npz --save stopped.keras --history stopped.json --epochs 1000000 --json \
    >epochs.txt 2>err.txt &
  job=$!
  tries=0
  until [ -s epochs.txt ] || [ $tries = 200 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -s "$1" $job
  status=0
  wait $job || status=$?
}

# A shell without job control starts background jobs with SIGINT ignored; the program must catch it all the same.
stopped_by INT
[ "$status" = 130 ] || complain "SIGINT ends with $status: $(tail -1 err.txt)"
[ ! -e stopped.keras ] && [ ! -e stopped.json ] || complain "an interrupted training left files"

stopped_by TERM
[ "$status" = 75 ] || complain "SIGTERM ends with $status: $(tail -1 err.txt)"
expect 0 evaluate stopped.keras --data data.npz
grep -q '"loss"' stopped.json || complain "SIGTERM left no history"

# A run that was broken off goes on after its last whole epoch and ends where it would have ended, bit by bit, although
# Dropout and the order of the samples are drawn at random.
rm -f epochs.txt
"$ramet" train chain.keras --data data.npz --save parts.keras --history parts.json --seed 3 --resume runs \
  --epochs 1000000 --json >epochs.txt 2>err.txt &
job=$!
tries=0
until [ -s epochs.txt ] || [ $tries = 200 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -s INT $job
wait $job || true
[ -s runs/latest.keras ] && [ ! -e parts.keras ] || complain "a run that was broken off left no backup: $(tail -1 err.txt)"
refuses 1 "holds another model" train pair.keras --loss mse --data pair_data.npz --save parts.keras --resume runs
# How far it came is not known beforehand; a copy tells, since one epoch is not more than there is.
cp -r runs copy && echo mine >copy/note
expect 0 train chain.keras --data data.npz --save parts.keras --seed 3 --resume copy --epochs 1
epochs=$(sed -n 's/^ramet: going on after epoch //p' err.txt)
[ "${epochs:-0}" -ge 1 ] || complain "--resume does not say after which epoch it goes on: $(cat err.txt)"
[ "$(ls copy)" = note ] || complain "--resume left in its folder: $(ls copy)"
epochs=$((epochs + 3))
expect 0 train chain.keras --data data.npz --save parts.keras --history parts.json --seed 3 --resume runs --epochs $epochs
[ ! -e runs ] || complain "a run that came to its end left its backup"
expect 0 train chain.keras --data data.npz --save whole.keras --history whole.json --seed 3 --epochs $epochs --quiet
expect 0 diff whole.keras parts.keras
cmp -s whole.json parts.json || complain "the history of a run in parts is not that of the whole run"
finish
