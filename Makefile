# Larder. `make serve` and `make test` are all a new machine needs.
.PHONY: serve test check bench packages build clean

serve: build
	.build/release/larder serve

build:
	@scripts/bootstrap
	swift build -c release --product larder

test:
	@scripts/bootstrap --tests
	scripts/fetch-packages
	swift test --disable-xctest --skip EndToEndTests
	swift test --disable-xctest --filter EndToEndTests

check:
	scripts/check

bench: build
	@scripts/bootstrap --bench
	scripts/bench

packages:
	@scripts/bootstrap --tests
	scripts/fetch-packages

clean:
	swift package clean
