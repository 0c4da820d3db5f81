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
finish
