#!/bin/sh
# Asks real Keras about everything: makes the recordings again and says which differ, then runs the checks that send
# files both ways. usage: tools/oracle/ask.sh RAMET_PROGRAM
set -eu
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
python=$("$here/python.sh")
export PYTHONUTF8=1 JAX_PLATFORMS=cpu TF_CPP_MIN_LOG_LEVEL=3
"$here/record.sh"
git diff --stat -- tests/data
failed=0
for check in objects round_trip resume applications; do
  echo "$check"
  "$python" "$here/$check.py" "$program" || failed=1
done
exit $failed
