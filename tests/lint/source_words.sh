#!/bin/sh
# Words that docs/glossary.md replaces stand neither in comments nor in texts of sources.
exec sh tests/lint/words.sh sources
