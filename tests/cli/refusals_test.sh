#!/bin/sh
# What cannot be is refused in one line, with the exit status of its kind, and leaves every file as it was.
set -eu
. "$(dirname "$0")/lib.sh"

refuses 2 "a command is missing"
refuses 2 "did you mean 'train'?" trian
refuses 2 "unknown option '--verison'" --verison
refuses 2 "did you mean '--epochs'?" train chain.keras --epoch 3
refuses 2 "MODEL is missing" summary
refuses 2 "unexpected argument 'more'" summary chain.keras more
refuses 2 "--inputs IN.npz is missing" predict chain.keras --outputs y.npz
refuses 2 "--batch-size must be a positive integer; got '0'" predict chain.keras --inputs x.npz --outputs y.npz --batch-size 0
refuses 2 "--batch-size needs a value" predict chain.keras --inputs x.npz --outputs y.npz --batch-size
refuses 2 "is given twice" predict chain.keras --inputs x.npz --inputs x.npz --outputs y.npz
refuses 2 "must end in .npz" predict chain.keras --inputs x.npz --outputs y.txt
refuses 2 "--device" predict chain.keras --inputs x.npz --outputs y.npz --device tpu
refuses 2 "OUT must end in" convert chain.keras out.onnx
refuses 2 "OUT must end in" plot chain.keras out.pdf
refuses 2 "fresh" clone chain.keras out.keras --weights frsh
refuses 2 "did you mean 'Conv2D'?" describe Conv2d
refuses 2 "unknown optimizer 'adm'; did you mean 'adam'?" train chain.keras --data data.npz --save t.keras --optimizer adm
refuses 2 "unknown loss" train chain.keras --data data.npz --save t.keras --loss msee
refuses 2 "give --loss" train pair.keras --data pair_data.npz --save t.keras
refuses 1 "is not a folder" train chain.keras --data data.npz --save t.keras --resume x.npz
refuses 2 "--validation-split" train chain.keras --data data.npz --save t.keras --validation-split 1.5

refuses 1 "No such file" summary missing.keras
refuses 1 "no array 'left'" predict pair.keras --inputs pair_half.npz --outputs y.npz
refuses 1 "did you mean 'left'?" predict pair.keras --inputs pair_misspelt.npz --outputs y.npz
refuses 1 "expected shape=(None, 6), found shape=(5, 7)" predict chain.keras --inputs wide.npz --outputs y.npz
refuses 1 "there is no folder 'nowhere'" predict chain.keras --inputs x.npz --outputs nowhere/y.npz
refuses 1 "there is no array 'y'" evaluate chain.keras --data only_x.npz
refuses 1 "is none of x, y" evaluate chain.keras --data x.npz
refuses 1 "name their arrays x/<input>" evaluate pair.keras --data data.npz --loss mse
refuses 2 "No such file" diff chain.keras missing.keras
[ ! -e y.npz ] && [ ! -e t.keras ] || complain "a refused command left an output"

# Names that a file has made long.
mkdir long
printf '{"class_name": "%05000d", "config": {}}' 0 >long/config.json
refuses 1 "config.json" summary long
printf '{"class_name": "Sequential", "config": {"name": "%05000d", "layers": []}}' 0 >long/config.json
refuses 1 "is longer than 512 bytes" summary long

# A model file of nonsense, and one cut short; names with line breaks and escapes.
head -c 300 /dev/zero >zero.keras
head -c 2000 chain.keras >cut.keras
refuses 1 zero.keras summary zero.keras
refuses 1 cut.keras summary cut.keras
refuses 1 '\x0a' summary "$(printf 'new\nline\033[2J.keras')"
[ -z "$(tr -d '[:print:]\n' <err.txt)" ] || complain "an error line holds control characters"

# Files that were there stay.
echo precious >kept.npz && echo precious >kept.keras && echo precious >kept.json && echo precious >kept.svg
refuses 1 "found shape" predict chain.keras --inputs wide.npz --outputs kept.npz
refuses 1 "is none of" train chain.keras --data x.npz --save kept.keras --history kept.json
refuses 1 cut.keras convert cut.keras kept.keras
refuses 1 cut.keras plot cut.keras kept.svg
refuses 1 chain.weights.h5 convert chain.keras kept.keras --load-weights chain.weights.h5
! env PATH=/nowhere "$ramet" plot chain.keras kept.svg 2>err.txt || complain "plot draws without Graphviz"
grep -qF "Debian's package: graphviz" err.txt || complain "plot does not say what is missing: $(cat err.txt)"
for file in kept.*; do [ "$(cat "$file")" = precious ] || complain "$file was changed by a command that failed"; done
[ -z "$(find . -name '.*tmp*')" ] || complain "temporary files were left: $(find . -name '.*tmp*')"
if [ -e /dev/full ]; then
  status=0
  "$ramet" summary chain.keras >/dev/full 2>err.txt || status=$?
  [ "$status" = 1 ] || complain "a full stdout ends with $status"
fi
finish
