# The commands people type. CMake does the building, in build/.

PREFIX ?= /usr/local
DESTDIR ?=
CONFIGURE ?=

.PHONY: all peers run test soak install clean

all:
	@scripts/packages build
	@mkdir -p build
	@cmake -S . -B build -DBUILD_TESTING=OFF $(CONFIGURE) >build/build.log 2>&1 || { cat build/build.log; exit 1; }
	@cmake --build build --parallel "$$(nproc)" >>build/build.log 2>&1 || { cat build/build.log; exit 1; }
	@sed -n 's/^-- \(recip: \)/\1/p' build/build.log

# What `recip bench mutex`, `waiting` and `leveldb` measure beside our own.
peers:
	@scripts/packages build peers
	@$(MAKE) --no-print-directory all

run:
	@scripts/packages build report
	@$(MAKE) --no-print-directory all
	@scripts/run build

test:
	@scripts/packages build report test
	@scripts/test quick

soak:
	@scripts/packages build report test soak ports
	@scripts/test soak

install: all
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	rm -rf build
