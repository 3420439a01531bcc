"""What compactions leave, the slow way: HBase's major and minor ones, NEW_VERSION_BEHAVIOR, and OceanBase's rules.

Stated from what HBase's classes do, sharing nothing with rules.c: markers are a list that is asked again for every Put, the
tracker of NEW_VERSION_BEHAVIOR consists of the maps it has in HBase. A verdict is (name in the ledger, part of it or None).
"""
import collections
import copy

PUT, DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_FAMILY = 4, 8, 10, 12, 14
NAMES = {8: "Delete", 10: "DeleteFamilyVersion", 12: "DeleteColumn", 14: "DeleteFamily"}
DELETED = {kind: ("deleted", name) for kind, name in NAMES.items()}
PURGED = {kind: ("purged_markers", name) for kind, name in NAMES.items()}
LONG_MAX = 2**63 - 1
KEPT, SUPERSEDED, DUPLICATE = ("written", None), ("superseded", None), ("duplicate", None)
TABLE_TTL, CELL_TTL = ("expired", "table_ttl"), ("expired", "cell_ttl")

Cell = collections.namedtuple("Cell", "row q ts type seq ttl file line text")
# rules: major, since or before (minor compactions), oceanbase; mvcc: NEW_VERSION_BEHAVIOR
Settings = collections.namedtuple("Settings", "rules rank versions min_versions ttl_s kept delay mvcc now")


class Row:
    """Judges the cells of one row, in order; `left` is the test for cells that a column's end leaves unseen."""
    def __init__(self, s, earliest_put):
        self.s, self.earliest = s, earliest_put
        self.oldest = s.now - s.ttl_s * 1000 if s.ttl_s else -LONG_MAX
        self.q, self.count, self.last, self.left = None, 0, None, lambda c: False
        self.markers, self.past = [], self.oldest if s.min_versions == 0 else -LONG_MAX
        self.track = self.markers.append

    def leave(self, c, why):
        whole = c.q != b"" or c.type == DELETE_FAMILY
        self.left = lambda d: d.q == c.q and (whole or (d.ts, d.type) == (c.ts, c.type))
        self.why = why
        return self.named(c, why)

    @staticmethod
    def named(c, why):
        if c.type == PUT:
            return ("deleted", why[1]) if why[0] == "purged_markers" else why
        return PURGED[c.type] if why[0] in ("superseded", "deleted", "purged_markers") else why

    def outlived(self, c):
        return c.ttl is not None and (c.ts + c.ttl + 2**63) % 2**64 - 2**63 < self.s.now  # as a Java long

    def judge(self, c):
        if c.q != self.q:
            self.q, self.count, self.last = c.q, 0, None
        if self.left(c):
            return self.named(c, self.why)
        if c.ts < self.past:
            return self.leave(c, TABLE_TTL)
        return CELL_TTL if self.outlived(c) else self.put(c) if c.type == PUT else self.marker(c)

    def marker(self, c):
        of_column = c.type in (DELETE, DELETE_COLUMN)
        if self.s.rules == "since" and any(m.ts >= c.ts and (m.type == DELETE_FAMILY or (
                of_column and m.type == DELETE_COLUMN and m.q == c.q)) for m in self.markers):
            return self.leave(c, PURGED[c.type]) if of_column and c.q else PURGED[c.type]
        saved = self.s.kept == "TRUE" or (self.s.kept == "TTL" and c.ts >= self.oldest)
        if not saved:
            self.track(c)
        if self.s.rules != "major" or (self.s.delay and self.s.now - c.ts <= self.s.delay):
            return KEPT
        if not saved:
            return PURGED[c.type]
        return self.leave(c, PURGED[c.type]) if c.ts < self.earliest else self.version(c)

    def put(self, c):
        for kind in (DELETE_FAMILY, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE):
            reaches_down, of_family = kind in (DELETE_FAMILY, DELETE_COLUMN), kind in (DELETE_FAMILY, DELETE_FAMILY_VERSION)
            if any(m.type == kind and (m.ts >= c.ts if reaches_down else m.ts == c.ts) and (of_family or m.q == c.q)
                   for m in self.markers):
                return self.leave(c, DELETED[kind]) if reaches_down else DELETED[kind]
        return self.version(c)

    def version(self, c):
        if (c.ts, c.type) == self.last:
            return DUPLICATE
        self.count += c.type == PUT
        if self.count > self.s.versions:
            return self.leave(c, SUPERSEDED)
        if c.ts < self.oldest and self.count > self.s.min_versions:
            return self.leave(c, TABLE_TTL)
        self.last = c.ts, c.type
        return KEPT


class Node:
    """All up to a marker's sequence id: what it hides, exact deletes by timestamp, and the Puts counted at each moment."""
    def __init__(self, ts=-LONG_MAX - 1, kind=None):
        self.ts, self.type, self.deletes, self.counting = ts, kind, collections.defaultdict(dict), {LONG_MAX: set()}

    def delete(self, c):
        self.deletes[c.ts][c.seq] = c.type
        self.counting[c.seq] = {m for m in self.counting[min(k for k in self.counting if k >= c.seq)] if m < c.seq}


class Tracker:
    """NewVersionBehaviorTracker."""
    def __init__(self, versions):
        self.versions, self.family, self.column, self.count = versions, {LONG_MAX: Node()}, {}, 0
        self.q, self.last = None, (None, None, None)

    def enter(self, c):
        """The sequence id of the Put before, if it has the same key."""
        if c.q != (self.q or b"") or (self.q is None and not self.column and c.type in (DELETE, DELETE_COLUMN)):
            self.column, self.count = copy.deepcopy(self.family), 0
        elif c.type == PUT and self.last[:2] == (c.ts, PUT):
            return self.last[2]
        self.q, self.last = c.q, (c.ts, c.type, c.seq)
        return LONG_MAX

    def track(self, c):
        self.enter(c)
        nodes = self.family if c.type in (DELETE_FAMILY, DELETE_FAMILY_VERSION) else self.column
        if c.type in (DELETE_FAMILY, DELETE_COLUMN):
            nodes[c.seq] = Node(c.ts, c.type)
        else:
            at = min((k for k in nodes if k >= c.seq), default=LONG_MAX)  # HBase fails where there is none
            nodes.setdefault(at, Node()).delete(c)

    def judge(self, c):
        twin = self.enter(c)
        for key in sorted(k for k in self.column if k >= c.seq):
            node = self.column[key]
            exact = min((m for m in node.deletes[c.ts] if m >= c.seq), default=LONG_MAX) if c.ts in node.deletes else LONG_MAX
            for moment in sorted(m for m in node.counting if c.seq <= m <= min(twin, exact)):
                if len(node.counting[moment]) >= self.versions:
                    return SUPERSEDED
                node.counting[moment].add(c.seq)
            if exact < LONG_MAX:
                return DELETED[node.deletes[c.ts][exact]]
            if c.ts <= node.ts:
                return DELETED[node.type]
        return DUPLICATE if twin < LONG_MAX else KEPT


class MvccRow(Row):
    def __init__(self, s, earliest_put):
        super().__init__(s, earliest_put)
        self.tracker, self.past = Tracker(s.versions), -LONG_MAX
        self.track = self.tracker.track

    def judge(self, c):
        return super().judge(c) if self.s.rules == "major" else KEPT

    def put(self, c):
        fate = self.tracker.judge(c)
        return self.version(c) if fate == KEPT else fate

    def version(self, c):
        self.tracker.count += 1
        limit, why = (self.s.min_versions, TABLE_TTL) if c.ts < self.oldest else (self.s.versions, SUPERSEDED)
        verdict = self.leave(c, why) if self.tracker.count >= limit else KEPT
        return KEPT if self.tracker.count <= limit else verdict


class OceanBaseRow(Row):
    """Markers are done with, K, Q and T are the key, and only what a read shows counts as a version."""
    def __init__(self, s, earliest_put):
        super().__init__(s._replace(rules="major", kept="FALSE", delay=0, min_versions=0), earliest_put)
        self.tracker = Tracker(s.versions) if s.mvcc else None
        self.track = self.tracker.track if s.mvcc else self.track

    def outlived(self, c):
        return super().outlived(c) if c.type != PUT else False  # a Put's TTL comes after the key

    def put(self, c):
        if c.ts == self.last:
            return DUPLICATE
        if c.ttl is not None and self.s.now - c.ts > c.ttl:
            self.last = c.ts
            return CELL_TTL
        fate = self.tracker.judge(c) if self.tracker else KEPT
        return fate if fate != KEPT else self.version(c) if self.tracker else super().put(c)

    def version(self, c):
        self.last, self.count = c.ts, self.count + 1
        return KEPT if self.count <= self.s.versions else self.leave(c, SUPERSEDED)


def compacted(s, files):
    """[(cell, verdict)] in the order of a store with these files, oldest first. Files with nothing but expired cells go whole;
    the newest is spared, but under NEW_VERSION_BEHAVIOR it is not read either, though its oldest Put counts."""
    files, gone = [f for f in files if f], set()
    if s.ttl_s and s.min_versions == 0 and s.rules != "oceanbase":
        gone = {i for i, f in enumerate(files) if max(c.ts for c in f) < s.now - s.ttl_s * 1000}
    puts = [c.ts for i, f in enumerate(files) for c in f if c.type == PUT and (i not in gone or i == len(files) - 1)]
    gone -= set() if s.mvcc else {len(files) - 1}
    verdicts = [(c, TABLE_TTL) for i in gone for c in files[i]]
    cells = [c for i, f in enumerate(files) if i not in gone for c in f]
    tie = (lambda c: (-c.seq, -c.file, -c.line)) if s.rank == "sequence" else (lambda c: (-c.file, -c.seq, -c.line))
    kind, row, rules = OceanBaseRow if s.rules == "oceanbase" else MvccRow if s.mvcc else Row, None, None
    for c in sorted(cells, key=lambda c: (c.row, c.q, -c.ts, -c.type, tie(c))):
        if c.row != row:
            row, rules = c.row, kind(s, min(puts, default=LONG_MAX))
        verdicts.append((c, rules.judge(c)))
    return verdicts
