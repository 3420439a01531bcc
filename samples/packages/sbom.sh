#!/bin/sh
# Usage: sbom.sh BUILD DIR VERSION COMMIT: writes DIR/obkv-bulkload-VERSION.spdx.json (called by `make sbom`): the programs and
# the library in BUILD with their checksums, and every library that they are linked with, as the programs name them. A library
set -eu
build=$1 out=$2 version=$3 commit=$4
cd "$(dirname "$0")/../.."
: "${SOURCE_DATE_EPOCH:?}"
mkdir -p "$out"
file=$out/obkv-bulkload-$version.spdx.json

licence_of() { # SONAME: name and SPDX expression
    case $1 in
        libarchive.so.*) echo "libarchive BSD-2-Clause" ;;
        libz.so.*) echo "zlib Zlib" ;;
        libdeflate.so.*) echo "libdeflate MIT" ;;
        libisal.so.*) echo "isa-l BSD-3-Clause" ;;
        libbz2.so.*) echo "bzip2 bzip2-1.0.6" ;;
        libbrotli*.so.*) echo "brotli MIT" ;;
        libsnappy.so.*) echo "snappy BSD-3-Clause" ;;
        liblz4.so.*) echo "lz4 BSD-2-Clause" ;;
        libzstd.so.*) echo "zstd BSD-3-Clause" ;;
        liblzma.so.*) echo "liblzma LicenseRef-public-domain" ;;
        libxxhash.so.*) echo "xxHash BSD-2-Clause" ;;
        libjansson.so.*) echo "jansson MIT" ;;
        libexpat.so.*) echo "expat MIT" ;;
        libmd.so.*) echo "libmd BSD-3-Clause AND BSD-2-Clause AND ISC AND LicenseRef-public-domain" ;;
        libsodium.so.*) echo "libsodium ISC" ;;
        libmariadb.so.*) echo "mariadb-connector-c LGPL-2.1-or-later" ;;
        libgomp.so.*) echo "libgomp GPL-3.0-or-later WITH GCC-exception-3.1" ;;
        libstdc++.so.* | libgcc_s.so.*) echo "gcc-runtime GPL-3.0-or-later WITH GCC-exception-3.1" ;;
        libc.so.* | libm.so.* | ld-linux*.so.*) echo "glibc LGPL-2.1-or-later" ;;
        *) echo "sbom.sh: no licence is known for $1" >&2; return 1 ;;
    esac
}
version_of() { # SONAME PROGRAM: of the package that it comes from here
    path=$(ldd "$2" | awk -v so="$1" '$1 == so { print $3 }')
    package=$(dpkg -S "$(realpath "$path")" 2>/dev/null || dpkg -S "*/${path##*/}" 2>/dev/null || :)
    package=$(echo "$package" | head -n 1 | sed 's/: .*//')
    [ -z "$package" ] || dpkg-query -W -f='${Version}' "$package" 2>/dev/null || :
}
sum() { sha256sum "$1" | cut -c -64; }
made="$build/bin/obkv-* $build/lib/libsst.so.1 $build/lib/libsst.a"
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
# shellcheck disable=SC2086 # names of our own, without blanks
identity=$(sha256sum $made | sha256sum | cut -c -32)
own=SPDXRef-Package-obkv-bulkload
entry() { # ID NAME VERSION LICENCE: a member of packages
    printf '  {"SPDXID": "%s", "name": "%s", "versionInfo": "%s", "licenseConcluded": "%s", "licenseDeclared": "%s",\n' \
        "$1" "$2" "$3" "$4" "$4"
    printf '   "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": false}'
}
{
    printf '{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",\n'
    printf ' "name": "obkv-bulkload-%s", "documentNamespace": "https://spdx.org/spdxdocs/obkv-bulkload-%s-%s",\n' \
        "$version" "$version" "$identity"
    printf ' "creationInfo": {"created": "%s", "creators": ["Tool: sbom.sh"]},\n' "$created"
    printf ' "comment": "commit %s",\n "documentDescribes": ["%s"],\n' "$commit" "$own"
    printf ' "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-public-domain", "name": "public domain",\n'
    printf '   "extractedText": "The authors have placed this in the public domain."}],\n "packages": [\n'
    entry "$own" obkv-bulkload "$version" Apache-2.0
    relations=
    for program in $build/bin/obkv-load $build/bin/obkv-import $build/lib/libsst.so.1; do
        for soname in $(readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
            known=$(licence_of "$soname")
            id=SPDXRef-Package-${known%% *}
            case "$relations" in *" $id "*) continue ;; esac
            relations="$relations $id "
            printf ',\n'
            library_version=$(version_of "$soname" "$program")
            entry "$id" "${known%% *}" "${library_version:-NOASSERTION}" "${known#* }"
        done
    done
    printf '\n ],\n "files": [\n'
    comma=
    for path in $made; do
        printf '%s  {"SPDXID": "SPDXRef-File-%s", "fileName": "./%s",\n' "$comma" "${path##*/}" "${path#"$build"/}"
        printf '   "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION",\n'
        printf '   "checksums": [{"algorithm": "SHA1", "checksumValue": "%s"},\n' "$(sha1sum "$path" | cut -c -40)"
        printf '    {"algorithm": "SHA256", "checksumValue": "%s"}]}' "$(sum "$path")"
        comma=',
'
    done
    printf '\n ],\n "relationships": [\n'
    printf '  {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "%s"}' "$own"
    for path in $made; do
        printf ',\n  {"spdxElementId": "%s", "relationshipType": "CONTAINS", "relatedSpdxElement": "SPDXRef-File-%s"}' \
            "$own" "${path##*/}"
    done
    for id in $relations; do
        printf ',\n  {"spdxElementId": "%s", "relationshipType": "DYNAMIC_LINK", "relatedSpdxElement": "%s"}' "$own" "$id"
    done
    printf '\n ]\n}\n'
} >"$file.part"
mv "$file.part" "$file"
echo "$file"
