#!/bin/sh
# Messages keyed timestamp|msgid and msgtype|msgid: what obkv-split plan finds wrong with ranges of time, and with a short prefix.
set -eu
here=$(dirname "$0")
awk -f "$here/messages.awk" >messages.csv
awk -v type=1 -f "$here/messages.awk" >types.csv
plan() { # TABLE FILE
    obkv-split plan --ddl "$here/$1.sql" --columns HBASE_ROW_KEY,f:v "$2" | grep -e 'new rows' -e 'different values'
}
plan range messages.csv
plan prefix messages.csv
plan prefix types.csv
plan types types.csv
