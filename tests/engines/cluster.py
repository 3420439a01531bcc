"""A simulated cluster that imports by shards: cluster.py writes docs/images/scale.svg.

Workers take shards from one queue, largest first or in order. Some workers are slow all the time, some attempts fail half way and
are tried again at the end of the queue, and regions have the sizes of a heavy-tailed distribution. Times are in units of the work
of an even worker; the seed decides everything else."""
import heapq
import pathlib
import random
import statistics

CHART = pathlib.Path(__file__).resolve().parents[2] / "docs/images/scale.svg"
SLOW_SHARE, SLOWNESS, FAILURES = 0.02, 2.0, 0.02


def sizes(r, shards, skew):
    """Shares of the work, 1 in all. skew: how unevenly (0: equal shards, of text)."""
    raw = [r.lognormvariate(0, skew) for _ in range(shards)]
    total = sum(raw)
    return [x / total for x in raw]


def makespan(seed, workers, shards, skew=0.0, slow=SLOW_SHARE, failures=FAILURES):
    r = random.Random(seed)
    work = sizes(r, shards, skew)
    queue = [(size, 0) for size in work]
    speeds = [SLOWNESS if r.random() < slow else 1.0 for _ in range(workers)]
    free = [(0.0, w) for w in range(workers)]
    heapq.heapify(free)
    end, done = 0.0, 0
    while queue:
        size, tries = queue.pop(0)
        now, w = heapq.heappop(free)
        if r.random() < failures and tries < 5:
            queue.append((size, tries + 1))
            heapq.heappush(free, (now + size * speeds[w] * r.random(), w))
            continue
        done += 1
        end = max(end, now + size * speeds[w])
        heapq.heappush(free, (now + size * speeds[w], w))
    assert done == shards
    return end


def median(workers, shards, **kw):
    return statistics.median(makespan(seed, workers, shards, **kw) for seed in range(9))


def efficiency(workers, shards, **kw):
    """Part of the time of all workers that was work of the run."""
    return 1 / (workers * median(workers, shards, **kw))


def chart():
    """Efficiency over shards for each worker, for 10, 100 and 1,000 workers, even shards and skewed regions."""
    width, height, left, top, each = 640, 330, 60, 50, (1, 2, 4, 8, 16)
    x, y = lambda i: left + i * 110, lambda e: top + (1 - e) * 220
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">' % (
               width, height),
           "<title>Use of the processors of a simulated cluster over shards per task</title>",
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="24">Part of the processors\' time that is work (2 %% slow machines, 2 %% failed attempts)</text>'
           % left]
    for e in (0, 0.25, 0.5, 0.75, 1):
        out.append('<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%d %%</text>' % (
            left, y(e), x(4), left - 6, y(e) + 4, e * 100))
    for i, n in enumerate(each):
        out.append('<text x="%d" y="290" text-anchor="middle">%d</text>' % (x(i), n))
    out.append('<text x="%d" y="312" text-anchor="middle">shards for each task that runs at a time</text>' % x(2))
    for workers, colour in ((10, "#9dbcd8"), (100, "#3b6ea5"), (1000, "#1b3554")):
        for skew, dash in ((0.0, ""), (1.0, ' stroke-dasharray="5 4"')):
            points = [(x(i), y(efficiency(workers, n * workers, skew=skew))) for i, n in enumerate(each)]
            out.append('<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>' % (
                colour, dash, " ".join("%.1f,%.1f" % p for p in points)))
            out.append('<text x="%d" y="%.1f" fill="%s">%d%s</text>' % (x(4) + 6, points[-1][1] + 4, colour, workers,
                                                                     " skewed" if skew else " even"))
    return "\n".join(out) + "\n</svg>\n"


if __name__ == "__main__":
    CHART.write_text(chart())
