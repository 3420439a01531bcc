"""Everyday mistakes in inputs of text, and in what is said about them: columns, mappings, dates and JSON."""
import gzip
import hashlib
import json
import os
import subprocess
import zipfile

from mistakes_kit import T, judge, key, mistake, rows, run


def text_mistakes(d):
    c2, c3 = ("--columns", "HBASE_ROW_KEY,f:q"), ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:q")
    good = rows(50, key, lambda i: str(T + 1000 * i), "v")
    put = lambda name, data: (d / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    put("good.csv", good)
    judge("no mistake", run(d, "import", "--partition", "key:3", *c3, "-o", "good", "good.csv", "--strict"), 0)
    put("semicolon.csv", good.replace(",", ";"))
    mistake(d, "wrong delimiter", 4, ["column"], *c3, "semicolon.csv")
    mistake(d, "wrong column count", 4, ["column"], *c2, "good.csv")
    put("header.csv", "id,q\n" + rows(50, key, "v"))
    mistake(d, "header as data", "header", ["--header"], *c2, "header.csv")
    for name, first, fields in (("names", "id,name", "n"), ("quoted", '"id","name"', '"n"'), ("counted", "user,amount", str),
                                ("other-key", "user_id,n", "v"), ("hbase", "rowkey,info:name", "n")):
        put(name + "-head.csv", first + "\n" + rows(50, key, fields))
        mistake(d, "header as data, " + name, "header", ["--header"], *c2, name + "-head.csv")
    for name, text in (("words", "row,value\n" * 5), ("single", "id,name\n"), ("mixed", "a,x\nb,1\nc,y\nd,2\n")):
        put(name + "-data.csv", text)
        judge("no header, " + name, run(d, "import", "--partition", "key:3", *c2, "-o", name + "-data", name + "-data.csv",
                                        "--strict", "--allow", "duplicates"), 0)
    put("header3.csv", "id,ts,q\n" + good)
    mistake(d, "header where a timestamp is expected", 4, ["--header"], *c3, "header3.csv")
    for name, options, text in (("csv", ("--header",), "id,v\nk1,\\N\nk2,x\n"), ("tab", (), "k1\t\\N\nk2\tx\n"),
                                ("end.tab", (), "k1\t\\N")):
        put("nulls." + name, text)
        mistake(d, "\\N in " + name, "null-text", ["--null '\\N'"], *options, *c2, "nulls." + name)
        judge("nulls in " + name, run(d, "import", "--partition", "key:3", *options, *c2, "--null", "\\N", "nulls." + name, "-o",
                                      "nulls-" + name, "--strict", "--allow", "no-records"), 0)
    put("no-nulls.tab", "k1\t\\Name\nk2\ta\\N\nk3\t\\n\n")
    judge("text like \\N", run(d, "import", "--partition", "key:3", *c2, "no-nulls.tab", "-o", "no-nulls", "--strict"), 0)
    put("names.csv", good)
    mistake(d, "--header without a header", 2, ["header"], "--header", "--columns", "id=HBASE_ROW_KEY,v=f:q", "names.csv")
    put("bom.csv", b"\xef\xbb\xbf" + good.encode())
    judge("BOM is no part of the key", run(d, "import", "--partition", "key:3", *c3, "-o", "bom", "bom.csv"), 0)
    put("crlf.csv", good.replace("\n", "\r\n"))
    judge("CRLF is no part of the value", run(d, "import", "--partition", "key:3", *c3, "-o", "crlf", "crlf.csv"), 0)
    judge("and both are equal", run(d, "verify", "diff", "bom", "crlf"), 0)
    put("latin.csv", rows(50, key, str(T), "caf\u00e9").encode("cp1252"))
    mistake(d, "Windows-1252", "not-utf8", ["iconv"], *c3, "latin.csv")
    put("utf16.csv", good.encode("utf-16"))
    mistake(d, "UTF-16", 5, ["iconv"], *c3, "utf16.csv")
    for unit, per, name in (("seconds", 0.001, "s"), ("microseconds", 1000, "us"), ("nanoseconds", 1_000_000, "ns")):
        put(unit + ".csv", rows(50, key, lambda i: str(int((T + 1000 * i) * per)), "v"))
        mistake(d, unit, "timestamp-unit", ["look like " + unit, "--timestamp-unit " + name], *c3, unit + ".csv")
        right = run(d, "import", "--partition", "key:3", *c3, "-o", unit + "-right", unit + ".csv", "--timestamp-unit", name,
                    "--strict")
        judge(unit + " with its unit", right, 0)
        judge(unit + " is what milliseconds are", run(d, "verify", "diff", "good", unit + "-right"), 0)
    for value, pattern in ((20231114, "yyyyMMdd"), (2023111410, "yyyyMMddHH"), (202311141059, "yyyyMMddHHmm"),
                           (20231114105959, "yyyyMMddHHmmss"), (20231114105959123, "yyyyMMddHHmmssSSS")):
        put("digits.csv", rows(50, key, str(value), "v"))
        mistake(d, f"{value} as a timestamp", "timestamp-unit", ["dates written as numbers", f"date(column, '{pattern}')"], *c3,
                "digits.csv")
    for name, value in (("a day of no month", 20231314), ("days since 1970", 19675), ("nothing", 0)):
        put("early.csv", rows(50, key, str(value), "v"))
        mistake(d, "timestamps: " + name, "timestamp-unit", ["before 1990", "--timestamp-unit"], *c3, "early.csv")
    judge("--timestamp 1 is a choice", run(d, "import", "--partition", "key:3", *c2, "-o", "chosen", "--timestamp", 1, "--strict",
                                           "bare.csv"), 0) if not put("bare.csv", rows(50, key, "v")) else None
    put("mixed-units.csv", "".join(f"{key(i)},{T if i % 3 else T // 1000},x\n" for i in range(9)))
    mistake(d, "some times in seconds", "timestamp-unit", ["3 cells look like seconds", "unlike those of most"], *c3,
            "mixed-units.csv")
    mistake(d, "a unit that is none", 2, ["ms"], *c3, "good.csv", "--timestamp-unit", "sec")
    mistake(d, "--timestamp in seconds", "timestamp-unit", ["--timestamp"], *c2, "header.csv", "--header", "--timestamp",
            T // 1000)
    put("empty.csv", "")
    mistake(d, "empty input", "empty-file", ["empty.csv", "transfer"], *c3, "empty.csv")
    judge("allowed", run(d, "import", "--partition", "key:3", *c3, "--allow", "empty-file", "-o", "empty input", "empty.csv"), 0)
    exit_code, text = run(d, "import", "--partition", "key:3", *c3, "-o", "empty-once", "empty.csv")
    judge("empty input is said once", (exit_code, "%d lines\n%s" % (text.count("[empty-file]"), text)), 4, "1 lines")
    delivery_mistakes(d, put, good, c3)
    foreign_mistakes(d, put, c2)
    quote_mistakes(d, put, c2)
    subprocess.run(["sh", "-c", "gzip -c good.csv > packed.csv"], cwd=d, check=True)
    judge("gz named csv is read", run(d, "import", "--partition", "key:3", *c3, "-o", "packed", "packed.csv", "--strict"), 0)
    mistake(d, "the same file twice", "input-twice", ["twice"], *c3, "good.csv", "good.csv")
    os.symlink("good.csv", d / "link.csv")
    mistake(d, "the same file by a link", "input-twice", ["twice"], *c3, "good.csv", "link.csv")
    put("nokey.csv", rows(5, key, str(T), "v") + rows(45, "", str(T), "v"))
    mistake(d, "key column empty", 4, ["row key"], *c3, "nokey.csv")
    put("onekey.csv", rows(500, "same", "v"))
    mistake(d, "all rows are one", "duplicates", ["row key"], *c2, "onekey.csv")
    mistake(d, "no such file", 5, ["nothing.csv"], *c3, "nothing.csv")
    mistake(d, "pattern that matches nothing", 5, ["*.tsv"], *c3, "*.tsv")
    (d / "hollow").mkdir()
    mistake(d, "directory without files", 5, ["no file"], *c3, "hollow")
    mistake(d, "no columns", 2, ["--columns"], "good.csv")
    mistake(d, "--memory in bytes", 6, ["64"], *c3, "good.csv", "--memory", 64)
    mistake(d, "typo in the partitioning", 2, ["keys:3"], *c3, "good.csv", "--partition", "keys:3")
    mistake(d, "quote in the data", 4, ["quote"], *c2, "quotes.csv") if put("quotes.csv", 'a,"open\nb,x\n') else None


def quote_mistakes(d, put, c2):
    """TSV has no quotes unless asked for: fields in quotes are said, values that only look so are not."""
    quoted = "1\t\"v\"\n2\t\\N\n3\t\"w\"\n"
    for name, first, options, text in (("all", 1, (), '"k1"\t"v1"\n"k2"\t"v2"\n'), ("text", 1, (), quoted),
                                       ("doubled", 2, (), 'k1\tv\nk2\t"say ""hi"""\n'),
                                       ("names", 1, ("--header",), '"id"\t"v"\n1\t2\n3\t4\n'),
                                       ("late", 3, ("--header",), 'id\tv\n\n"k1"\t"v1"\n')):
        name += "-quoted.tab"
        put(name, text)
        put("quoting.json", json.dumps({"columns": ["id", "v"], "row": "id", "cells": {"f:q": "v"}, "format": "tsv",
                                        "header": bool(options)}))
        put("kept.json", (d / "quoting.json").read_text().replace("}", "}, \"quote\": null", 1))
        words = [f"{name}:{first}: ", "--quote '\"'", "--quote none"]
        mistake(d, name + " by columns", "quotes-kept", words, *options, *c2, name, "--null", "\\N")
        mistake(d, name + " of a mapping", "quotes-kept", [f"{name}:{first}: ", '"quote": "\\"" in the mapping'], "--map",
                "quoting.json", name)
        for n, said in enumerate((("--quote", '"', *options, *c2), ("--quote", "none", *options, *c2), ("--map", "kept.json"))):
            judge(f"{name} {said}", run(d, "import", "--partition", "key:3", "--null", "\\N", *said, name, "-o", f"{name}-{n}",
                                        "--strict"), 0)
    for name in ("quoted.txt", "quoted.txt.gz"):
        text = b'"k1"\t"v1"\n"k2"\t"v2"\n'
        (d / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
        mistake(d, name + " by its TABs", "quotes-kept", [name + ":1: "], *c2, name)
        judge(name + " with --quote", run(d, "import", "--partition", "key:3", *c2, "--quote", '"', name, "-o", name + "-right",
                                          "--strict"), 0)
    for name, text in (("json", 'k1\t"abc"\nk2\t"a\\"b"\n'), ("some", 'k1\tv\n2\t"w"\n'), ("inch", 'k1\t3"\nk2\t"\n'),
                       ("inner", 'k1\tsay "hi"\nk2\t""x\n')):
        put(name + ".tab", text)
        judge("no quotes: " + name, run(d, "import", "--partition", "key:3", *c2, name + ".tab", "-o", name + "-unquoted",
                                        "--strict"), 0)


def delivery_mistakes(d, put, good, c3):
    """Several files, of which one is not like the others."""
    subprocess.run(["sh", "-c", "gzip -c empty.csv > empty.csv.gz"], cwd=d, check=True)
    put("only-header.csv", "id,ts,q\n")
    put("headed.csv", "id,ts,q\n" + good)
    put("other.csv", "id,q,ts\n" + rows(50, key, str(T), str(T)))
    put("part.csv", rows(50, lambda i: "p" + key(i), str(T), "v"))
    for name in ("empty.csv", "empty.csv.gz"):
        mistake(d, "one is empty: " + name, "empty-file", [name, "transfer"], *c3, "good.csv", name)
    mistake(d, "one has only a header", "empty-file", ["only-header.csv", "transfer"], *c3, "--header", "only-header.csv",
            "headed.csv")
    mistake(d, "columns in another order", "header", ["other.csv", "headed.csv", "by name"], *c3, "--header", "headed.csv",
            "other.csv")
    mistake(d, "only the first part has the header", "header", ["part.csv", "headed.csv", "--header"], *c3, "--header",
            "headed.csv", "part.csv")
    headers_that_are_none(d, put)
    put("headless.csv", good)
    mistake(d, "no file has a header", "header", ["headless.csv", "leave out --header"], *c3, "--header", "headless.csv")
    named = ("--header", "--columns", "id=HBASE_ROW_KEY,ts=HBASE_TS_KEY,q=f:q")
    judge("by name the order is free", run(d, "import", "--partition", "key:3", *named, "-o", "named", "headed.csv", "other.csv",
                                           "--strict"), 0)


def headers_that_are_none(d, put):
    """--header passes over a record, or names columns by it: said where its key is like those of the records after it."""
    for name, first, field in (("numbers", str, lambda i: str(7 * i)), ("keys", key, "v"), ("names", lambda i: f"n{i}", "town"),
                               ("hashes", lambda i: hashlib.md5(b"%d" % i).hexdigest(), "v")):
        put(f"all-{name}.csv", rows(20, first, field))
        mistake(d, f"--header, but all are {name}", "header", [f"all-{name}.csv", "looks like data", "leave out --header"], *(
            "--columns", "HBASE_ROW_KEY,f:q"), "--header", f"all-{name}.csv")
        put(f"headed-{name}.csv", "id,2023\n" + rows(20, first, field))
        headed = run(d, "import", "--partition", "key:3", "--columns", "HBASE_ROW_KEY,f:q", "--header", "-o", "headed-" + name,
                     f"headed-{name}.csv", "--strict")
        judge(f"a header before {name}", headed, 0)
    mistake(d, "columns named by a record", "header", ["all-keys.csv", "names the columns"], "--columns", "auto:f", "--key", "$1",
            "all-keys.csv")


def foreign_mistakes(d, put, c2):
    """Files that are no table: what they are, and how they become one."""
    with zipfile.ZipFile(d / "book.xlsx", "w") as z:
        z.writestr("[Content_Types].xml", "<Types/>")
        z.writestr("xl/workbook.xml", "<workbook/>")
    with zipfile.ZipFile(d / "book.ods", "w") as z:
        z.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    put("book.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    for name in ("book.xlsx", "book.ods", "book.xls"):
        mistake(d, "spreadsheet " + name, 5, [name, "save it as CSV"], *c2, name)
    put("table.sqlite", b"SQLite format 3\0" + bytes(600))
    mistake(d, "a database", 5, ["SQLite", "CSV"], *c2, "table.sqlite")
    put("array.json", json.dumps([{"id": 1, "v": "x"}], indent=1))
    mistake(d, "a JSON array", 2, ["--map", "$.user.name"], *c2, "array.json")
    put("pretty.json", json.dumps({"id": 1, "v": "x"}, indent=1))
    mistake(d, "JSON over lines", 2, ["--map", "$.user.name"], *c2, "pretty.json")
    put("error.html", "<!DOCTYPE html>\n<html>404</html>\n")
    mistake(d, "an error page", 2, ["HTML"], *c2, "error.html")
    put("mac.csv", "id,q\r" + rows(5, key, "v").replace("\n", "\r"))
    mistake(d, "lines that end with CR", 2, ["CR alone", "tr "], "--header", "--columns", "id=HBASE_ROW_KEY,q=f:q", "mac.csv")
    put("tabs.csv", rows(50, key, "v").replace(",", "\t"))
    judge("TABs in a .csv", run(d, "import", "--partition", "key:3", *c2, "-d", "\\t", "-o", "tabs", "tabs.csv", "--strict"), 0)


def mapping_mistakes(d):
    for n, row, time in ((1, "id", "t + 1000"), (2, "id", "5 + 6"), (3, "number(id) + 7", "t"), (4, "id", "add(t, 1000)"),
                         (5, "id + '_' + Long.MAX - t", "t"), (6, "concat(number(id), 7)", "t"), (8, "id + 1", "t"),
                         (9, "id + 2 * 30 + t", "t"), (10, "id + '1'", "t"), (11, "id + '_' + 1", "t"),
                         (12, "id + Long.MAX", "t")):
        source = {"columns": ["id", "t", "v"], "row": row, "timestamp": time, "cells": {"f:q": "v"}}
        (d / f"m{n}.json").write_text(json.dumps({"sources": [source]}))
    (d / "map.csv").write_text(rows(50, str, str(T), "v"))
    for n in (1, 2, 3, 8, 9):
        mistake(d, f"+ of numbers, {n}", "numbers-joined", [f"m{n}.json:1", "add("], "--map", f"m{n}.json", "map.csv", *(
            ("--allow", "timestamp-unit") if n < 3 else ()))
    source = {"columns": ["id", "name"], "row": "id", "cells": {"f:q": "name"}}
    (d / "m7.json").write_text(json.dumps({"sources": [source]}))
    (d / "headed.csv").write_text("id,name\n" + rows(50, key, "v"))
    mistake(d, "header as data of a mapping", "header", ["\"header\": true"], "--map", "m7.json", "headed.csv")
    source = {"columns": ["id", "t", "v"], "row": "id", "timestamp": "t", "when": "v = 'V'", "cells": {"f:q": "v"}}
    (d / "never.json").write_text(json.dumps({"sources": [source]}))
    mistake(d, "when is never true", "no-records", ["all records were skipped", "when"], "--map", "never.json", "map.csv")
    put = lambda name, text: (d / name).write_text(text)
    put("repeated.csv", rows(50, lambda i: key(i % 45), lambda i: f"v{i}"))
    mistake(d, "keys that repeat, without timestamps", "duplicates", ["5 of 50 cells", "row key", "timestamps"], *(
        "--columns", "HBASE_ROW_KEY,f:q"), "repeated.csv")
    for n in (4, 5, 6, 10, 11, 12):
        judge(f"no + of numbers, {n}", run(d, "import", "--partition", "key:3", "--map", f"m{n}.json", "-o", f"m{n}", "map.csv",
                                           "--strict"), 0)


def date_mistakes(d):
    (d / "dates.csv").write_text("2023-01-02 03:04:05,x\n")
    for n, pattern, words in ((1, "yyyy-mm-dd HH:mm:ss", "minutes"), (2, "yyyy-MM-dd HH:MM:ss", "months"),
                              (3, "yyyy-MM-dd HH:mm:SS", "seconds are s"), (4, "yyyy-MM-dd hh:mm:ss", "hours up to 23 are H"),
                              (5, "yyyy-mm-dd", "months are M"), (6, "yyyy-MM-dd HH:mm:ss", "")):
        source = {"columns": ["t", "v"], "row": "v", "timestamp": f"date(t, '{pattern}')", "cells": {"f:q": "v"}}
        (d / f"d{n}.json").write_text(json.dumps({"sources": [source]}))
        judged = (2, [f"d{n}.json:1", words]) if words else (0, [])
        mistake(d, "pattern " + pattern, *judged, "--map", f"d{n}.json", "dates.csv")
    for n, pattern, code in ((7, "yyyymmdd", 2), (8, "yyyy/MM/yyyyMMdd", 0), (9, "HHmm", 0), (10, "hh", 0)):
        source = {"columns": ["t", "v"], "row": f"format_date(1700000000000, '{pattern}')", "cells": {"f:q": "v"}}
        (d / f"d{n}.json").write_text(json.dumps({"sources": [source]}))
        mistake(d, "printed by " + pattern, code, ["minutes"] if code else [], "--map", f"d{n}.json", "dates.csv")


def ttl_mistakes(d):
    """The time to live of a cell is in milliseconds, that of a family in seconds."""
    columns = ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,HBASE_CELL_TTL,f:q")
    for ttl in (3600, 86400, 2592000, 31536000):
        (d / f"ttl{ttl}.csv").write_text(rows(20, key, str(T), str(ttl), "v"))
        (d / f"ttl{ttl}000.csv").write_text(rows(20, key, str(T), str(ttl * 1000), "v"))
        words = [f"ttl{ttl}.csv", "20 cells", "milliseconds"]
        mistake(d, f"a TTL of {ttl} seconds", "ttl-unit", words, *columns, f"ttl{ttl}.csv")
        judge(f"a TTL of {ttl}000", run(d, "import", "--partition", "key:3", *columns, f"ttl{ttl}000.csv", "-o", f"ttl{ttl}000",
                                        "--strict"), 0)
    source = {"columns": ["id", "t", "v"], "row": "id", "timestamp": "t", "ttl": "86400", "cells": {"f:q": "v"}}
    (d / "ttl.json").write_text(json.dumps({"sources": [source]}))
    mistake(d, "a mapping with a TTL in seconds", "ttl-unit", ["ttl"], "--map", "ttl.json", "map.csv")
    exported = ("export", "--name", "t", "ttl86400000", "--now", T + 86400001, "-o")
    judge("all cells have expired", run(d, *exported, "expired"), "all-expired", "TimeToLive", "milliseconds")
    judge("all cells have expired --strict", run(d, *exported, "expired-strict", "--strict"), 4)


def json_mistakes(d):
    (d / "paths.json").write_text(json.dumps({"sources": [{"files": "*.jsonl", "row": "$.id", "cells": {"f:q": "$.name"}}]}))
    (d / "typo.jsonl").write_text("".join('{"id": "%s", "nmae": "x"}\n' % key(i) for i in range(50)))
    mistake(d, "a path that no record has", "no-records", ["paths", "--preview"], "--map", "paths.json", "typo.jsonl")
    (d / "paths2.json").write_text(json.dumps({"row": "$.id", "cells": {"f:q": "$.nmae", "f:r": "$.name", "f:s": "$.none"}}))
    (d / "mixed.jsonl").write_text('{"id": "k1", "nmae": "x"}\n{"id": "k2", "none": null}\n')
    mistake(d, "one of the paths", "path-missing", ["no record has $.name;"], "--map", "paths2.json", "mixed.jsonl")
    (d / "marked.jsonl").write_bytes(b'\xef\xbb\xbf{"id": "k1", "name": "x"}\r\n')
    judge("JSON lines with a BOM", run(d, "import", "--partition", "key:3", "--map", "paths.json", "-o", "marked", "marked.jsonl",
                                       "--strict"), 0)
    (d / "full.jsonl").write_text("".join('{"id": "%s", "name": "x"}\n' % key(i) for i in range(50)))
    for name, text in (("hollow.jsonl", ""), ("blank.jsonl", "\n \n")):
        (d / name).write_text(text)
        mistake(d, "one is empty: " + name, "empty-file", [name, "transfer"], "--map", "paths.json", "full.jsonl", name)
    (d / "empty-values.csv").write_text(rows(50, key, ""))
    mistake(d, "no value at all", "no-records", ["--preview"], "--skip-empty", "--columns", "HBASE_ROW_KEY,f:q",
            "empty-values.csv")
