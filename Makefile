# Larder. `make serve` and `make test` are all a new machine needs.
.PHONY: serve test check tsan asan fuzz interop kernel-tls soak soak-cluster bench bench-cluster bench-config bench-console bench-lists bench-patches bench-publish bench-push bench-reports packages screenshots build clean

serve: build
	.build/release/larder serve

build:
	@scripts/bootstrap
	swift build -c release --product larder

# At most 8 tests run at once: with more of them, a test could exceed its time limit. The suites with the server's deadlines
# run alone, and so do the end-to-end tests with deadlines of seconds.
# The end-to-end tests run the optimized program: it publishes in a third of the time of a debug build.
TESTS = scripts/run-tests --experimental-maximum-parallelization-width
PROGRAM = LARDER_PROGRAM='$(CURDIR)/.build/release/larder'
test:
	@scripts/bootstrap --tests
	scripts/fetch-packages
	swift build -c release --product larder
	$(TESTS) 8 --skip 'EndToEndTests|ServerTests'
	$(TESTS) 8 --skip-build --filter ServerTests
	$(PROGRAM) $(TESTS) 4 --skip-build --filter EndToEndTests --skip EndToEnd/Alone
	$(PROGRAM) $(TESTS) 4 --skip-build --filter EndToEnd/Alone

check:
	scripts/check

# Pictures of the console's pages in both themes and languages, wide and narrow, in .build/screenshots.
screenshots: build
	@scripts/bootstrap --tests
	scripts/screenshots

# Half an hour: the test suite under ThreadSanitizer, end-to-end tests included.
tsan:
	scripts/check-threads

# HTTP, TLS and the server under AddressSanitizer, and the fuzzers, which use it as well.
asan:
	scripts/check-memory

# Tests with curl, Python, h11, tuspy, wrk, nginx, openssl, Ceph's radosgw and Prometheus.
interop: build
	@scripts/bootstrap --tests --interop
	scripts/interop

# Tests on Debian's kernel in a virtual machine.
kernel-tls: build
	@scripts/bootstrap --kernel
	scripts/kernel-tls

# Half an hour of mixed load, 50 kills under the reports of 100,000 simulated devices, and the whole series of crashes in
# publishing, releasing, building patches, pruning and backups, of which `make test` makes a part (decision 0061).
soak: build
	@scripts/bootstrap --tests --interop
	scripts/soak-reports
	scripts/soak
	LARDER_ALL_CRASHES=1 $(PROGRAM) $(TESTS) 4 --filter 'EndToEnd/(CrashTests|PatchCrashTests|PruningTests|BackupTests)'

# Ten minutes: two nodes, their database and their bucket are broken every five seconds.
soak-cluster: build
	@scripts/bootstrap --tests --interop
	scripts/soak-cluster

# Sizes of patches, against other tools.
bench-patches: build
	@scripts/bootstrap --tests --bench
	scripts/fetch-packages
	scripts/bench-patches

# Time and memory of publishing and of applying.
bench-publish: build
	@scripts/bootstrap --tests --bench
	scripts/fetch-packages
	scripts/bench-publish

# The cost of a device's response as packages and releases grow.
bench-config: build
	scripts/bench-config

# The time until each page of the console is usable, over 1,000,000 devices.
bench-console: build
	@scripts/bootstrap --tests
	scripts/bench-console

# The first page of every list in SQLite and in PostgreSQL, with 500 packages, 20,000 versions and 200,000 audit entries.
bench-lists: build
	@scripts/bootstrap --tests
	scripts/bench-lists
	scripts/bench-lists --postgresql

# Memory and wake-up of clients that wait on /push, beside nginx with nchan.
bench-push: build
	@scripts/bootstrap --bench
	scripts/bench-push

# Reports a second that are durable, of simulated devices, in SQLite and in PostgreSQL.
bench-reports: build
	@scripts/bootstrap --tests
	scripts/bench-reports

bench: build
	@scripts/bootstrap --bench
	scripts/bench

# Nodes on PostgreSQL and a bucket, against one server on SQLite and a folder.
bench-cluster: build
	@scripts/bootstrap --tests --bench --interop
	scripts/bench-cluster

# For each fuzz target: make fuzz SECONDS=600
SECONDS = 60
fuzz:
	@scripts/bootstrap
	scripts/fuzz $(SECONDS)

packages:
	@scripts/bootstrap --tests
	scripts/fetch-packages

clean:
	swift package clean
