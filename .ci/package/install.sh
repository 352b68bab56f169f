#!/bin/sh
# Installs slosh @VERSION@ into ~/.local/bin: curl -fsSL @DOWNLOAD@/install.sh | sh
# SLOSH_BIN chooses another folder.
set -eu

version=@VERSION@
from=${SLOSH_DOWNLOAD:-@DOWNLOAD@}
into=${SLOSH_BIN:-$HOME/.local/bin}

fail() { echo "slosh: $*" >&2; exit 1; }

case "$(uname -s) $(uname -m)" in
"Linux x86_64") target=x86_64-unknown-linux-musl sum=@SHA256:slosh-VERSION-x86_64-unknown-linux-musl.tar.gz@ ;;
"Linux aarch64") target=aarch64-unknown-linux-musl sum=@SHA256:slosh-VERSION-aarch64-unknown-linux-musl.tar.gz@ ;;
"Darwin arm64") target=aarch64-apple-darwin sum=@SHA256:slosh-VERSION-aarch64-apple-darwin.tar.gz@ ;;
"Darwin x86_64") target=x86_64-apple-darwin sum=@SHA256:slosh-VERSION-x86_64-apple-darwin.tar.gz@ ;;
*) fail "no program for $(uname -s) on $(uname -m); cargo install slosh builds one" ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
archive=$folder/slosh.tar.gz
if command -v curl >/dev/null; then
    curl -fsSL -o "$archive" "$from/slosh-$version-$target.tar.gz"
else
    wget -qO "$archive" "$from/slosh-$version-$target.tar.gz"
fi
if command -v sha256sum >/dev/null; then
    got=$(sha256sum "$archive")
else
    got=$(shasum -a 256 "$archive")
fi
[ "${got%% *}" = "$sum" ] || fail "the archive has another checksum than $sum; nothing was installed"
tar -xzf "$archive" -C "$folder"
mkdir -p "$into"
install -m 755 "$folder/slosh-$version-$target/slosh" "$into/slosh"
echo "slosh $version is in $into"
case ":$PATH:" in
*":$into:"*) ;;
*) echo "Put $into into your PATH." ;;
esac
