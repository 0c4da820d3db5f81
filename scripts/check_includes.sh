#!/bin/sh
# Verifies who may include whom: a folder of ramet/ includes itself, the folders listed for it, and what those may.
# Kernel files (x_cpu, x_simd, x_cuda) belong to `backend` wherever they lie, and may also see the folder they lie in.
# Tests may include anything below `train`. An argument checks another tree.
set -eu
cd "${1-$(dirname "$0")/..}"

find ramet -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.inc' \) -print | LC_ALL=C sort |
  xargs grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null |
  awk '
    BEGIN {
      rule("base",     "")
      rule("array",    "base")
      rule("ir",       "array")
      rule("ops",      "ir")
      rule("autodiff", "ops")
      rule("passes",   "ops")
      rule("backend",  "ir")
      rule("plan",     "backend ops")  # views, constants and loops are placed, not run
      rule("exec",     "plan passes")
      rule("graph",    "ops")
      rule("eager",    "exec graph")  # arrays computed at once
      rule("nn",       "graph")  # state of metrics and optimizers is variables
      rule("layers",   "graph nn")
      rule("io",       "layers")
      rule("dist",     "backend")
      rule("train",    "base array ir ops autodiff passes backend plan exec graph eager nn layers io dist")
    }

    # The rows stand in an order in which each names only those above it, so that what they grant is known already.
    function rule(folder, list,   names, n, i, other) {
      known[folder] = 1
      grants[folder, folder] = 1
      n = split(list, names, " ")
      for (i = 1; i <= n; i++)
        for (other in known)
          if ((names[i], other) in grants) grants[folder, other] = 1
    }

    function folder_of(path,   parts) { return split(path, parts, "/") > 2 ? parts[2] : "" }
    function is_kernel(path) { return path ~ /_(cpu|simd|cuda)\.[a-z]+$/ }
    function owner(path) { return is_kernel(path) ? "backend" : folder_of(path) }

    function allowed(file, target,   from, to) {
      from = folder_of(file)
      to = owner(target)
      if (file ~ /_test\.cpp$/ && to != "train") return 1
      if (is_kernel(file) && ("backend", to) in grants) return 1
      return (from, to) in grants
    }

    {
      file = $0; sub(/:.*/, "", file)
      match($0, /^[^:]*:[0-9]+/); place = substr($0, 1, RLENGTH)
      target = $0; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)

      if (file ~ /_test\.cpp$/ && target ~ /^tests\/support\//) next
      if (target !~ /^ramet\//) { complain("write the path from the repository root, or <...> for a library") ; next }
      if (folder_of(file) == "") next  # ramet/ramet.h, the public surface, may name everything
      if (!(folder_of(file) in known)) { complain("the folder ramet/" folder_of(file) " has no row in the table"); next }
      if (folder_of(target) == "") { complain("nothing in ramet/ includes the public surface") ; next }
      if (!allowed(file, target)) complain("ramet/" folder_of(file) " may not include " owner(target))
    }

    function complain(why) { printf "%s: includes \"%s\": %s\n", place, target, why; bad++ }

    END { exit bad > 0 }
  ' >&2
