# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tested: parsed and evaluated by nix 2.8 with a stand-in for nixpkgs; nothing
# was built.
#
# An overlay for nixpkgs, beside twowaytest.patch, which is made as
# contrib/distro.md says.

final: prev: {
  rt-tests = prev.rt-tests.overrideAttrs (old: {
    patches = (old.patches or [ ]) ++ [ ./twowaytest.patch ];
  });
}
