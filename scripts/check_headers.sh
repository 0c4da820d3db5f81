#!/bin/sh
# Verifies the public headers: ramet/ramet.h and what it includes, found by following the includes. They name nothing
# but ramet/ and the standard library, and each compiles alone. A header that some source includes first has been shown
# to by the build; the others are compiled here. The compiler is $CXX, or c++.
set -eu
cd "$(dirname "$0")/.."

public=$(awk '
  BEGIN {
    header[count = 1] = "ramet/ramet.h"
    for (i = 1; i <= count; i++) {
      print header[i]
      while ((getline line < header[i]) > 0) {
        if (line !~ /^[ \t]*#[ \t]*include/) continue
        name = line
        sub(/^[^<"]*[<"]/, "", name)
        sub(/[>"].*/, "", name)
        if (line ~ /"ramet\// && !(name in seen)) {
          seen[name] = 1
          header[++count] = name
        } else if (line !~ /"ramet\// && name !~ /^[a-z_]+$/) {
          print header[i] ": <" name "> is no header of the standard library" > "/dev/stderr"
          bad = 1
        }
      }
      close(header[i])
    }
    exit bad
  }')

shown=$(find ramet -name '*.cpp' -exec awk '/^#include/ { gsub(/.*<|.*include "|[">].*/, ""); print; exit }' {} \;)

alone=0
for header in $public; do
  case "
$shown
" in *"
$header
"*) continue ;; esac
  echo "#include \"$header\"" | ${CXX:-c++} -std=c++20 -fsyntax-only -Wall -Wextra -I. -x c++ - || {
    echo "headers: $header does not compile alone" >&2
    exit 1
  }
  alone=$((alone + 1))
done
echo "headers: $(echo "$public" | wc -l) public headers stand alone ($alone compiled here, the rest by their sources)"
