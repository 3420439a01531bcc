#!/bin/sh
# A check that cannot fail is a defect: each check here passes a small sound tree, and complains, with the place, once an offender
# is planted in it. The tree is made in a temporary directory. A check that has no plant_NAME below is complained of.
lint=$PWD/tests/lint
unset LINT_CLANG # the whole tree
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# ---- the sound tree ----

filler() { # COUNT: lines for a file of a size to read
    i=0
    while [ $((i += 1)) -le "$1" ]; do echo "/* line $i */"; done
}
source_file() { # FOLDER NAME: from standard input, after an opening
    mkdir -p "$1"
    { printf '/* Made by selftest:\n * nobody else needs it. */\n'; cat; } >"$1/$2"
}
sound_sources() {
    {
        printf '#ifndef BASE_THING_H\n#define BASE_THING_H\n\nint thing_size(int n);\n\n#endif\n'
        filler 150
    } | source_file libsst/base thing.h
    {
        printf '#include "base/%s"\n\nint thing_size(int n) {\n    return 2 * n;\n}\n' thing.h
        filler 150
    } | source_file libsst/base thing.c
    {
        printf 'enum { WARN_ODD };\nextern const char *const warning_names[];\nconst char *const warning_names[] = {\n'
        printf '    [WARN_ODD] = "odd",\n};\n'
        filler 150
    } | source_file libsst/base warning.c
    {
        printf '#include "base/%s"\n\nenum { WARN_ODD };\n\nint main(void) {\n    return thing_size(WARN_ODD);\n}\n' thing.h
        filler 150
    } | source_file cmd/import obkv_import.c
}
sound_tree() {
    mkdir -p build/release/bin docs/man formats samples tests/lint
    cp "$lint/exported.sh" "$lint/words.sh" tests/lint # called by other checks
    cp "$lint/../../.clang-format" .
    for page in README CONTRIBUTING SECURITY CHANGELOG docs/warnings docs/exit-codes docs/glossary; do
        echo "# A page" >$page.md
    done
    echo "Anybody may." >LICENSE
    printf '\n| code | meaning | |\n|---|---|---|\n| 0 | done | |\n' | tee -a docs/exit-codes.md >>README.md
    printf '\n| `odd` | what | why |\n' >>docs/warnings.md
    printf '```c\nint partitioner_stub(void);\n```\n' >docs/add-a-partitioner.md
    printf '# Map\n\n[A](warnings.md), [b](exit-codes.md), [c](glossary.md).\n\n' >docs/README.md
    printf '## Design and history\n\n[D](add-a-partitioner.md).\n' >>docs/README.md
    printf 'obkv-x(1)\n\n# NAME\n\nobkv-x - does nothing\n\n*--quiet*\n\tSays less.\n' >docs/man/obkv-x.1.scd
    printf '#!/bin/sh\necho " options:"\necho "      --quiet   say less"\n' >build/release/bin/obkv-x
    chmod +x build/release/bin/obkv-x
    sound_sources
    cat >GNUmakefile <<'MAKE'
CONFIG ?= release
all objects: $(patsubst %.c,build/$(CONFIG)/%.o,$(shell find libsst formats cmd -name '*.c'))
build/$(CONFIG)/%.o: %.c
	@mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -fno-pie -fopenmp -Wall -Wextra -Werror -Ilibsst -I. -c -o $@ $<
build/$(CONFIG)/man/%: docs/man/%.scd
	@mkdir -p $(@D) && scdoc <$< | sed -e '/^\.TH/a.nh' -e 's/-/\\-/g' >$@
MAKE
    git init -q . && git add README.md cmd docs
}

# ---- offenders: each prints what the check has to say ----

plant_add_a_partitioner() {
    printf '```c\nint broken(\n```\n' >docs/add-a-partitioner.md
    echo "error"
}
plant_remote_seam() {
    printf 'int take(int fd, void *p) {\n    return (int)pread(fd, p, 1, 0);\n}\n' | source_file formats/csv peek.c
    echo "peek.c:4: reads a file, but not through"
}
plant_banned() {
    echo 'int bad(char *p) { return sprintf(p, "x"); }' | source_file libsst/base bad.c
    echo "bad.c:3: banned function"
}
plant_calls() {
    echo 'int there(void); int here(void); int here(void) { return there(); }' | source_file libsst/base one.c
    echo 'int here(void); int there(void); int there(void) { return here(); }' | source_file libsst/base two.c
    echo "libsst/base/two"
}
plant_circles() {
    printf '#include "base/%s"\n' two.h | source_file libsst/base one.h
    printf '#include "base/%s"\n' one.h | source_file libsst/base two.h
    echo "libsst/base/two"
}
plant_comma_returns() {
    echo 'int f(void) { return g(), 0; }' | source_file cmd/import bad.c
    echo "bad.c:3: a return with a comma"
}
plant_contracts() {
    {
        echo '/* Of both. */'
        echo 'int bad(void);'
    } | source_file libsst/base bad.h
    echo "bad.h:3:/* Of both. */"
}
plant_critical() {
    echo '#pragma omp critical (one)' | source_file libsst/base bad.c
    echo "bad.c:3"
}
plant_exit_codes() {
    printf "\n## Exit codes\n\n0: done. 99: other.\n" >>README.md
    echo "README.md: exit code 99"
}
plant_format() {
    echo 'int   x;' | source_file libsst/base bad.c
    echo "bad.c:3:4: error: code should be clang-formatted"
}
plant_hardening() {
    echo 'int main(void) { return 0; }' >plain.c
    gcc -no-pie -fno-stack-protector plain.c -o build/release/bin/obkv-plain
    echo "obkv-plain: is not position-independent"
}
plant_headers() {
    echo 'int unguarded(void);' | source_file libsst/base bad.h
    echo "bad.h: no include guard"
}
plant_ignored() {
    {
        echo 'struct err;'
        i=0
        while [ $((i += 1)) -le 1001 ]; do echo "int many_$i(struct err *err);"; done
    } | source_file libsst/base many.h
    {
        printf '#include <unistd.h>\n#include "base/%s"\nint f(int a, struct err *err);\nint f(int a, struct err *err) {\n' many.h
        printf '    many_1(err);\n    if (a) a = 2, a++;\n    close(a);\n    (void)fsync(a);\n'
        printf '    (void)fsync(a); /* told */\n    return a;\n}\n'
    } | source_file libsst/base bad.c
    echo "bad.c:7"
    echo "bad.c:8"
    echo "bad.c:9"
    echo "bad.c:10: a result is dropped"
}
plant_layers() {
    printf '#include "sort/%s"\n' run.h | source_file libsst/base bad.c
    echo "bad.c:3"
}
plant_lengths() {
    { echo 'int f(void) {'; filler 60; echo '}'; } | source_file libsst/base bad.c
    echo "bad.c:3: function f has 62 lines"
}
plant_manpages() {
    sed -i 's/quiet/silent/' docs/man/obkv-x.1.scd
    printf '\n```\n%070d\n```\n' 0 >>docs/man/obkv-x.1.scd
    echo "obkv-x.1.scd: options differ"
    echo "obkv-x.1.scd:11: a sample is wider than 80 columns"
}
plant_nouns() {
    echo 'int one_here(void); int two_here(void); int one_here(void) { return 1; } int two_here(void) { return 2; }' |
        source_file libsst/base bad.c
    printf 'struct twice {\n    int n;\n};\n' | source_file libsst/base one.c
    printf 'struct twice {\n    int n;\n};\n' | source_file libsst/base two.c
    echo "bad.c: two_here and others are not declared in a header of its name"
    echo "two.c: struct twice is also in"
}
plant_openings() {
    (cd cmd/import && echo 'int x;' >bad.c)
    echo "bad.c: does not begin with a comment"
}
plant_options() {
    {
        echo '#!/bin/sh'
        i=0
        while [ $((i += 1)) -le 81 ]; do echo "echo '      --option-$i   does nothing'"; done
    } >build/release/bin/obkv-import
    chmod +x build/release/bin/obkv-import
    echo "81 obkv-import"
    echo "more than 60"
}
plant_pages() {
    echo "A page that the map does not name." >docs/"lost".md
    echo "docs/README.md: does not name lost.md"
}
plant_paths() {
    printf 'See [there](docs/%s).\n' nowhere.md >>README.md
    echo "nowhere.md leads nowhere"
}
plant_programs() {
    echo 'int plan_made(void); int plan_made(void) { return 1; }' | source_file cmd/split plan.c
    echo 'int plan_made(void); int bad(void); int bad(void) { return plan_made(); }' | source_file cmd/import bad.c
    echo "bad.c uses plan_made of"
}
plant_sizes() {
    filler 401 | source_file libsst/base bad.c
    echo "bad.c: 403 lines"
}
plant_source_words() {
    echo '/* Whoever comes. */' | source_file libsst/base bad.c
    echo "bad.c:3"
}
plant_symbols() {
    printf '#include <stdio.h>\nint bad(void);\nint bad(void) { return puts("x"); }\n' | source_file libsst/base bad.c
    printf 'int main(void);\nstatic int thing_size(void) { return 1; }\nint main(void) { return thing_size(); }\n' |
        source_file cmd/split twin.c
    echo "bad.c: the library may not use puts"
    echo "twin.c: static thing_size has the name of a function of"
}
plant_top() {
    echo x >stray
    git add stray
    echo "stray: the top of the tree"
}
plant_values() {
    {
        echo 'struct heap {'
        i=0
        while [ $((i += 1)) -le 14 ]; do echo "    int a$i, b$i;"; done
        echo '};'
    } | source_file cmd/import bad.c
    echo "bad.c: struct heap has 28 members"
}
plant_warning_codes() {
    printf '| `even` | what | why |\n' >>docs/warnings.md
    echo "even: not in both"
}
plant_warnings() {
    echo 'static int unused(void) { return 0; }' | source_file libsst/base bad.c
    echo "bad.c:3"
}
plant_words() {
    echo 'Look at the folder.' >>docs/warnings.md
    echo "docs/warnings.md:4"
}

# ---- the proof ----

mkdir "$work/sound" && cd "$work/sound" && sound_tree || exit 1
found=0
for check in "$lint"/*.sh; do
    name=$(basename "$check" .sh)
    case $name in run | exported | selftest) continue ;; esac # exported: a part of symbols
    grep -q "^plant_$name()" "$lint/selftest.sh" || { echo "$name: no offender is planted for it"; found=1; continue; }
    [ $name != format ] || clang-format --version 2>&1 | grep -q "version 14\." || continue
    rm -rf "$work/tree" && cp -r "$work/sound" "$work/tree" && cd "$work/tree" || exit 1
    case $name in
        hardening | ignored) ;; # pass six programs and a thousand functions only
        *) sh "$lint/$name.sh" >"$work/said" 2>&1 || { echo "$name: complains of a sound tree:"; cat "$work/said"; found=1; } ;;
    esac
    plant_$name >"$work/wanted"
    if sh "$lint/$name.sh" >"$work/said" 2>&1; then
        echo "$name: passes the offender that should have given:"
        sed 's/^/    /' "$work/wanted"
        found=1
    fi
    while IFS= read -r line; do
        grep -qF -e "$line" "$work/said" && continue
        echo "$name: does not say: $line"
        sed 's/^/    /' "$work/said"
        found=1
    done <"$work/wanted"
done
exit $found
