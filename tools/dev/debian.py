# SPDX-License-Identifier: Apache-2.0
"""System packages: what is missing, and apt-get where it may be used."""

import os
import shlex
import shutil

import console
import places


def packages_of(list_name):
    """The package names of a list in packaging/; a # starts a comment."""
    lines = (places.ROOT / "packaging" / list_name).read_text().splitlines()
    return [name for line in lines for name in line.split("#")[0].split()]


def missing(names):
    """Those of the packages that dpkg does not know as installed (none where there is no dpkg)."""
    if not shutil.which("dpkg-query"):
        return []
    listing = console.ask(["dpkg-query", "-W", "-f", "${Status}\t${Package}\n"]) or ""
    installed = {line.split("\t")[1] for line in listing.splitlines() if line.startswith("install ok installed\t")}
    return [name for name in names if name not in installed]


def may_install():
    """Whether this user may install packages here."""
    return _prefix() is not None


def known(name):
    """Whether apt could install the package."""
    return bool(console.ask(["apt-cache", "show", "--no-all-versions", name]))


def refresh():
    """Fetches apt's package lists, where that is allowed; says nothing where it is not."""
    prefix = _prefix()
    if prefix is not None:
        console.step("fetching the package lists (apt-get update)", [*prefix, "apt-get", "update", "-q"], fatal=False)


def install(names):
    """Installs system packages through apt-get, or ends ./dev with the exact list."""
    if not names:
        return
    names = sorted(set(names))
    prefix = _prefix()
    if prefix is None:
        raise console.Failure(wanted(names))
    refresh()
    status, output = _apt_get(prefix, names)
    if status:
        raise console.Failure("\n".join(output.splitlines()[-5:]) + "\n" + wanted(names))


def offer(name):
    """Installs a package that helps and is not needed, where that is allowed and apt has it."""
    prefix = _prefix()
    if prefix is None or not missing([name]):
        return
    if not known(name):
        refresh()
    if known(name):
        _apt_get(prefix, [name])


def _apt_get(prefix, names):
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q",
               "--no-install-recommends", *names]
    return console.step("installing system packages: " + " ".join(names), command, fatal=False)


def wanted(names):
    """The text that tells a user what to install."""
    return ("system packages are missing, and this user may not install them here. As an administrator:\n"
            f"  apt-get install --no-install-recommends {shlex.join(names)}")


def _prefix():
    """What goes before apt-get: nothing for root, sudo where it asks no password, None where neither."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and console.ask(["sudo", "-n", "true"]) is not None:
        return ["sudo", "-n"]
    return None
