# Two verbs to begin with: `make test` builds and tests everything, `make demo` shows it. Both work on a fresh Debian
# machine: what is missing is installed first.
.POSIX:
.PHONY: help setup build test sanitize demo bench bench-peers oracle format check clean

help:
	@echo 'make setup    install the Debian packages that are missing (or print the command)'
	@echo 'make build    library, programs, tests, benchmarks  -> build/release'
	@echo 'make test     check, then build and run the tests; those of files also with the address sanitizer'
	@echo 'make sanitize the tests again with address, undefined and thread sanitizers'
	@echo 'make demo     build, train and save a model, then show the program ramet on it'
	@echo 'make bench    build, then run the benchmarks, beside the other engines that are installed'
	@echo 'make bench-peers  the same, installing them into build/peers first (bench/peers/README.md)'
	@echo 'make oracle   real Keras, installed into build/oracle first: make the recordings again, then ask it'
	@echo 'make format   format the sources'
	@echo 'make check    formatting, the include rule, lengths of sources, no large files (nothing is built)'
	@echo 'make clean    remove build/'

setup:
	@scripts/setup.sh

build: setup
	cmake --preset release
	cmake --build --preset release

test: setup check
	scripts/test.sh release files

sanitize: setup
	scripts/test.sh asan tsan

demo: build
	scripts/demo.sh

bench: build
	scripts/run_programs.sh 'bench_[!w]*'
	scripts/bench_peers.sh

bench-peers: build
	python3 -m venv build/peers
	build/peers/bin/pip install -q keras tensorflow-cpu jax torch onnx onnxscript onnxruntime openvino h5py
	scripts/run_programs.sh 'bench_[!w]*'
	scripts/bench_peers.sh

oracle: build
	tools/oracle/ask.sh build/release/ramet

format:
	scripts/format.sh

check:
	scripts/format.sh --check
	scripts/check_includes.sh
	scripts/check_sizes.sh
	scripts/check_large_files.sh

clean:
	rm -rf build
