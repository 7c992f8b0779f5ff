#!/bin/sh
# Creates .venv from the lock; `make setup` calls it. A second run ends at the key, at once.
# Why torch is installed apart from the rest: docs/decisions/0002-torch-cpu-wheel.md
set -eu
unset CDPATH PYTHONPATH PYTHONHOME || true
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
VENV=.venv
KEY_FILE=$VENV/.setup-key
TORCH=torch==2.13.0
TORCH_PAGE=https://download.pytorch.org/whl/cpu/torch/

say() { printf 'setup: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }
pip() { "$VENV/bin/python" -m pip --disable-pip-version-check --no-input -qq "$@"; }

check_python() {
    command -v "$PYTHON" >/dev/null ||
        die "$PYTHON was not found. Name a Python 3.11, 3.12 or 3.13: make setup PYTHON=python3.12"
    "$PYTHON" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' ||
        die "Python 3.11, 3.12 or 3.13 is needed, and $PYTHON is $("$PYTHON" -V 2>&1)." \
            "Name another: make setup PYTHON=python3.12"
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
        die "$PYTHON has no venv module. Debian and Ubuntu: apt install python3-venv"
}

# The environment belongs to these files, this Python and this directory; the key changes with any of them.
current_key() {
    { pwd; "$PYTHON" -VV; cat pyproject.toml constraints.txt scripts/setup.sh scripts/torch_is_cpu.py; } |
        cksum
}

# A CPU build or nothing: from the CPU page alone, else from the index where its build is one.
install_torch() {
    pip install --no-deps --no-index --find-links "$TORCH_PAGE" --retries 0 --timeout 5 "$TORCH" && return
    pip install --dry-run --no-deps --ignore-installed --use-feature=fast-deps \
        --report "$VENV/torch.json" "$TORCH" || return
    "$VENV/bin/python" scripts/torch_is_cpu.py "$VENV/torch.json" || return
    pip install --no-deps "$TORCH"
}

check_python
key=$(current_key)
if [ -x "$VENV/bin/python" ] && [ "$(cat "$KEY_FILE" 2>/dev/null)" = "$key" ]; then
    exit 0
fi

say "creating $VENV with $("$PYTHON" -V 2>&1)"
"$PYTHON" -m venv --clear "$VENV"
pip install -c constraints.txt pip ||
    die "pip could not install the first package: is the package index reachable?"
if install_torch >"$VENV/torch.log" 2>&1; then
    extras=app,dev,docs,llm,postgres,telemetry,embeddings,offline
else
    extras=app,dev,docs,llm,postgres,telemetry
    say "no CPU build of torch could be had, retrieval will be lexical ($VENV/torch.log says why)"
fi
say "installing the locked packages; the first time takes a minute or two"
pip install -c constraints.txt -e ".[$extras]"
printf '%s\n' "$key" >"$KEY_FILE"
say "done: $VENV has deepcritical[$extras]"
