# The commands people type. CMake does the building, in build/.

PREFIX ?= /usr/local
DESTDIR ?=
CONFIGURE ?=

.PHONY: all run test soak install clean

all:
	@scripts/packages build
	@mkdir -p build
	@cmake -S . -B build -DBUILD_TESTING=OFF $(CONFIGURE) >build/build.log 2>&1 || { cat build/build.log; exit 1; }
	@cmake --build build --parallel >>build/build.log 2>&1 || { cat build/build.log; exit 1; }

run: all
	@build/recip bench

test:
	@scripts/packages build test
	@scripts/test quick

soak:
	@scripts/packages build test soak
	@scripts/test soak

install: all
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	rm -rf build
