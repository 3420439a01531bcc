#!/usr/bin/env python3
"""Writes users.csv and users_delta.csv (two deliveries of one invented user table); the same bytes each time.

users.csv: 400 users, one record each. users_delta.csv: a day later: new versions of every tenth user (two of them for
every fortieth), and 20 users that are new. Some fields hold commas, quotes and a line end, some are empty.
"""
import csv
import pathlib
import random
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
DAY_MS = 86400 * 1000
BASE_MS = 1709251200000  # 2024-03-01T00:00:00Z
FIRST = "Ada Béla Chen Dana Emil Fatima Goran Hana Ivo Jun Kofi Lena Mei Nils Olga Pavel Quinn Rosa Sven Tara".split()
LAST = "Abbott Brandt Costa Duarte Eriksen Farkas Gupta Hansen Ito Jansen Kovač Lindt Moreau Novak Okafor Petit".split()
CITIES = ["Oslo", "Lyon", "Kraków", "Porto", "Washington, D.C.", "Basel", "Osaka", "Accra"]
NOTES = ["", "", "", "", 'prefers "du"', "calls only, no mail", "moved\nsee ticket 4711", "VIP"]
HEADER = ["id", "updated_ms", "name", "email", "city", "note", "logins", "last_seen", "score"]


def ascii_lower(text):
    return unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode().lower()


def record(rng, number, ts_ms, logins):
    who = random.Random(number)  # a user keeps name and address
    first, last = who.choice(FIRST), who.choice(LAST)
    mail = "%s.%s%d@example.org" % (ascii_lower(first), ascii_lower(last), number)
    seen = ts_ms - rng.randrange(20 * DAY_MS)
    return ["user%05d" % number, ts_ms, "%s, %s" % (last, first), mail, rng.choice(CITIES), rng.choice(NOTES), logins, seen,
            "%.2f" % (rng.random() * 100)]


def write(name, records):
    with open(HERE / name, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(HEADER)
        out.writerows(records)


def main():
    rng = random.Random(20240301)
    numbers = rng.sample(range(1, 1000), 420)
    first = [record(rng, n, BASE_MS - rng.randrange(60 * DAY_MS), rng.randrange(200)) for n in numbers[:400]]
    write("users.csv", first)
    changed = [record(rng, n, BASE_MS + rng.randrange(DAY_MS), 200 + i) for i, n in enumerate(numbers[:400:10])]
    again = [record(rng, n, BASE_MS + DAY_MS + rng.randrange(DAY_MS), 300 + i) for i, n in enumerate(numbers[:400:40])]
    new = [record(rng, n, BASE_MS + rng.randrange(DAY_MS), 1) for n in numbers[400:]]
    write("users_delta.csv", changed + again + new)


if __name__ == "__main__":
    main()
