#!/bin/sh
# A comment stands alone: code moves, and few read its neighbour first. So none opens with a word that leans on another comment or
# leaves its noun out. A contract begins with a verb ("Returns …"), the comment of a struct names the thing.
words='What|Of|The same|And|Also|Else|Or|Its|It|They|Those|These|Likewise|Ditto|As above|As below'
! grep -nHE "^[[:blank:]]*/\* ($words)([^A-Za-z_]|$)" $(find $FOLDERS samples -name '*.[ch]' | sort)
