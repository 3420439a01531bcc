#!/bin/sh
# Usage: recipes.sh ARCHIVE URL DIR: writes to DIR the conda recipe and the Homebrew formula of a release, with the version and
# the checksum of the archive that `make dist` made, and the URL where it lies. Called by .github/workflows/release.yml.
set -eu
archive=${1:?usage: recipes.sh ARCHIVE URL DIR} url=$2 out=$3
here=$(dirname "$0")
version=${archive##*/obkv-bulkload-} version=${version%.tar.xz}
sum=$(sha256sum "$archive" | cut -c -64)
mkdir -p "$out"
sed -e "s|^  version: \"[0-9.]*\"|  version: \"$version\"|" -e "s|^  url: .*|  url: $url|" -e "s|^  sha256: .*|  sha256: $sum|" \
    "$here/conda/recipe.yaml" >"$out/recipe.yaml"
sed -e "s|^  url \".*|  url \"$url\"|" -e "s|^  sha256 \".*|  sha256 \"$sum\"|" "$here/homebrew/obkv-bulkload.rb" \
    >"$out/obkv-bulkload.rb"
for file in recipe.yaml obkv-bulkload.rb; do
    if [ "$(grep -c "$sum" "$out/$file")" != 1 ] || ! grep -qF "$url" "$out/$file"; then
        echo "recipes.sh: $file was not filled" >&2
        exit 1
    fi
done
