#!/bin/sh
# Makes .venv and installs what is asked for: `sh scripts/setup.sh run`, `check` or `test`. The Makefile calls it.
# It asks nothing, may be stopped at any moment and run again, and is done at once when nothing changed.
#   PYTHON=…           the Python to use (3.11 or newer)      SPECVIZ_PIP_ARGS=…   further arguments for pip
#   CHROMIUM=…         the browser for the tests; `none` if they are to run without one
#   NODE=…             node 20 or newer, for the checks and tests of the scripts; `none` to leave those out
set -eu
cd "$(dirname "$0")/.."
level=${1:-run}
venv=.venv/bin/python
unset PYTHONHOME PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0

say() { printf 'specviz: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() { # prints the first Python that is new enough and can make an environment
    lacks_venv=
    for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        new_enough "$python" || continue
        if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
            echo "$python"
            return
        fi
        lacks_venv=${lacks_venv:-$python}
    done
    [ -z "$lacks_venv" ] || fail "$lacks_venv cannot make an environment. On Debian and Ubuntu: sudo apt-get install ${lacks_venv##*/}-venv"
    found=$("${PYTHON:-python3}" -c 'import platform; print(platform.python_version())' 2>/dev/null) || found="not there"
    fail "Python 3.11 or newer is needed and ${PYTHON:-python3} is $found. Install one, or name one: make $level PYTHON=/path/to/python3"
}

install() { # one pip run; a stamp is written last, so that what was interrupted is known and started afresh
    files=requirements.txt
    [ "$level" = run ] || files="requirements.txt requirements-test.txt"
    wanted=$(cat $files constraints.txt scripts/setup.sh | cksum)
    done=.venv/installed-$([ "$level" = run ] && echo run || echo test)
    if [ -e .venv/installing ] || { [ -e .venv ] && ! { new_enough $venv && $venv -m pip --version >/dev/null 2>&1; }; }; then
        say "the last installation was not finished or no longer works: starting afresh"
        rm -rf .venv
    fi
    [ ! -e "$done" ] || [ "$(cat "$done")" != "$wanted" ] || return 0
    if [ ! -e .venv ]; then
        python=$(find_python)
        say "making .venv with $("$python" --version)"
        mkdir .venv
        : >.venv/installing
        "$python" -m venv .venv
        # the pip that comes with an older Python takes a third longer to resolve and unpack; without a newer one it still works
        $venv -m pip install --quiet --upgrade pip >/dev/null 2>&1 || true
    fi
    : >.venv/installing
    rm -f .venv/installed-* .venv/install.log
    say "installing; the first time takes some minutes and a few GB of disk"
    # shellcheck disable=SC2046,SC2086  # lists of words are meant
    # not compiled: Python compiles what it imports, a small part of it, when it is first imported
    { $venv -m pip install --no-compile $(printf -- '-r %s ' $files) -c constraints.txt ${SPECVIZ_PIP_ARGS:-} 2>&1 || echo failed; } | {
        result=ok
        while IFS= read -r line; do
            printf '%s\n' "$line" >>.venv/install.log
            case $line in
            failed) result=failed ;;
            *Downloading*MB\)* | *"Using cached"*MB\)* | ERROR:*) echo "  ${line#"${line%%[! ]*}"}" ;;
            "Installing collected packages"*) echo "  Unpacking" ;;
            esac
        done
        [ $result = ok ]
    } >&2 || fail "the installation did not finish; .venv/install.log says why. It needs the network once. Then run again: make $level"
    [ "$level" = run ] || cat requirements.txt constraints.txt scripts/setup.sh | cksum >.venv/installed-run
    echo "$wanted" >"$done"
    rm .venv/installing
}

works() { [ -n "$1" ] && "$1" --version 2>/dev/null | grep -q -i 'chrom'; }

on_path() { # prints a Chromium that is here and starts; the shell draws no window, which takes a sixth less processor time
    for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
        path=$(command -v "$name" 2>/dev/null) || continue
        if works "$path"; then echo "$path"; return; fi
    done
    return 1
}

find_chromium() { # leaves its path in .venv/chromium: from this machine, else the package manager, else playwright
    [ "${CHROMIUM:-}" != none ] || { : >.venv/chromium; return 0; }
    if on_path >.venv/chromium; then return 0; fi
    sudo= deps=
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    if command -v apt-get >/dev/null && $sudo true 2>/dev/null; then
        say "installing chromium with apt-get"
        { $sudo apt-get -qq update && for name in chromium-headless-shell chromium; do
            ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $name || break
        done; } >/dev/null || true
        if on_path >.venv/chromium; then return 0; fi
        deps=--with-deps
    fi
    say "installing chromium with playwright"
    $venv -m playwright install $deps chromium >/dev/null || true
    $venv -c 'from playwright.sync_api import sync_playwright as start
with start() as p: print(p.chromium.executable_path)' >.venv/chromium || true
    works "$(cat .venv/chromium)" || {
        rm .venv/chromium
        fail "the browser tests need Chromium or Chrome: install one, or leave them out: make test CHROMIUM=none ARGS=\"-m 'not browser'\""
    }
}

node_works() { [ -n "$1" ] && "$1" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; }

find_node() { # leaves its path in .venv/node, and the tools of package.json in node_modules
    : >.venv/node
    [ "${NODE:-}" != none ] || return 0
    path=$(command -v "${NODE:-node}" 2>/dev/null) || path=
    sudo=
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    if ! { node_works "$path" && command -v npm >/dev/null; } && command -v apt-get >/dev/null && $sudo true 2>/dev/null; then
        say "installing node with apt-get"
        { $sudo apt-get -qq update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends nodejs npm; } >/dev/null 2>&1 || true
        path=$(command -v node 2>/dev/null) || path=
    fi
    { node_works "$path" && command -v npm >/dev/null; } ||
        fail "the scripts of the page are checked and tested with node 20 or newer and npm: install them, or leave that out: make $level NODE=none"
    tools || fail "npm could not install what package-lock.json names. Run again, or leave it out: make $level NODE=none"
    echo "$path" >.venv/node
}

tools() { # what package.json names, in node_modules
    named=$(cat package.json package-lock.json | cksum)
    [ "$(cat node_modules/.specviz 2>/dev/null)" != "$named" ] || return 0
    say "installing the tools that check scripts"
    npm ci --silent --no-audit --no-fund >&2 && echo "$named" >node_modules/.specviz
}

tools_early() { # beside pip, which takes one core and some minutes; what goes wrong is said by find_node, which tries again
    [ "$level" != run ] && [ "${NODE:-}" != none ] && node_works "$(command -v "${NODE:-node}" 2>/dev/null)" && command -v npm >/dev/null || return 0
    tools >/dev/null 2>&1 || true
}

tools_early &
early=$!
install
wait "$early"
[ "$level" != test ] || find_chromium
[ "$level" = run ] || find_node
