# SPDX-License-Identifier: MIT
# The commands people type. CMake does the building, in build/. Options for it: make CONFIGURE='-DRECIP_TOOLS=OFF'; CC, CFLAGS
# and so on are honoured, on the command line and in the environment.

PREFIX ?= /usr/local
DESTDIR ?=
export CONFIGURE

.PHONY: all deps peers run test soak install dist deb clean

all:
	@scripts/build build

# The packages that `make` asks for, and those that it can do without.
deps:
	@scripts/packages build optional report

# What `recip bench mutex`, `waiting` and `leveldb` measure beside our own.
peers:
	@scripts/packages build peers
	@scripts/build build

run:
	@scripts/packages build optional report
	@scripts/build build
	@scripts/run build

test:
	@scripts/packages build optional report test
	@scripts/test quick

soak:
	@scripts/packages build optional report test package rpm soak ports compilers
	@scripts/test soak

install:
	@scripts/install build "$(PREFIX)" "$(DESTDIR)"

# A tarball of the sources in build/, which builds without git and without network.
dist:
	@scripts/dist build

# Debian packages, in build/deb.
deb:
	@scripts/packages build package
	@scripts/deb build/deb

clean:
	rm -rf build
