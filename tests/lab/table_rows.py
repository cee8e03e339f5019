"""The rows of the controller's table of figures: what to run, and what must come out of it."""
import dataclasses
import statistics

BUFFERS = [0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 8, 10, 20, 30, 50, 80, 100]
ORDERS = ["0,0", "0,20", "20,0"]
DEFAULT = "adaptive-bbr2"


@dataclasses.dataclass
class Finding:
    what: str
    bound: str  # empty: shown beside the others, and not judged
    reached: str
    holds: bool

    @property
    def verdict(self):
        if not self.bound:
            return "not judged"
        return "yes" if self.holds else "**no**"

    def __str__(self):
        mark = ("ok  " if self.holds else "MISS") if self.bound else "    "
        return f"{mark} {self.what} {self.reached}" + (f" (bound {self.bound})" if self.bound else "")


def told(what, value):
    return Finding(what, "", f"{value:.4g}", True)


def at_least(what, bound, value):
    return Finding(what, f"≥ {bound:g}", f"{value:.4g}", value >= bound)


def at_most(what, bound, value):
    return Finding(what, f"≤ {bound:g}", f"{value:.4g}", value <= bound)


def flows(*, algorithm=DEFAULT, startup=None, **options):
    """The command line of one run; option names with '_' for '-'. A row that names no start-up is
    run with that of the whole table."""
    arguments = ["flows", "--algorithm", algorithm]
    if startup:
        arguments += ["--startup", startup]
    for name, value in options.items():
        if value is True:
            arguments.append("--" + name.replace("_", "-"))
        elif value is not None:
            arguments += ["--" + name.replace("_", "-"), str(value)]
    return tuple(arguments)


def over_path(result):
    """Worst flow's mean one-way delay above its path's, ms."""
    return max(f["owd_mean_ms"] - f["path_owd_ms"] for f in result["flows"])


def p95_over_path(result):
    return max(f["owd_p95_ms"] - f["path_owd_ms"] for f in result["flows"])


def competitions(result):
    """Competition events of the flow that reports most."""
    return max(sum(count for name, count in f["events"].items() if "compet" in name)
               for f in result["flows"])


class Row:
    """One line of the table. `cells`: command lines without a seed. `rule`: results by cell, each a
    list over the seeds, to findings."""

    def __init__(self, name, cells, rule, seeds=None):
        self.name = name
        self.cells = cells
        self.rule = rule
        self.own_seeds = seeds

    def _runs_of(self, cell, seeds, startup):
        if cell[0] == "flows" and "--startup" not in cell:
            cell += ("--startup", startup)
        return [cell + ("--seed", str(seed)) for seed in self.own_seeds or seeds]

    def runs(self, seeds, startup):
        return [run for cell in self.cells for run in self._runs_of(cell, seeds, startup)]

    def judge(self, results, seeds, startup):
        by_cell = [[results[run] for run in self._runs_of(cell, seeds, startup)]
                   for cell in self.cells]
        return self.rule(by_cell)


def every(by_cell):
    return [result for cell in by_cell for result in cell]


def worst(by_cell, figure, pick=min):
    return pick(figure(result) for result in every(by_cell))


def mean(by_cell, figure):
    return statistics.mean(figure(result) for result in every(by_cell))


def jain(result):
    return result["jain"]


def used(result):
    return result["utilisation"]


def rows_of_baselines():
    def rule(by_cell):
        ratio = [r["flows"][1]["throughput_mbps"] / r["flows"][0]["throughput_mbps"]
                 for r in every(by_cell)]
        return [at_least("Jain, least", 0.63, worst(by_cell, jain)),
                at_most("Jain, most", 0.76, worst(by_cell, jain, max)),
                at_least("L2/L1, least", 4, min(ratio))]
    for bdp in (3, 10):
        yield Row(f"bbr2 quiche2019, 10/60, {bdp} BDP",
                  [flows(algorithm="bbr2", params="quiche2019", startup="classic", rtt="10,60",
                         buffer_bdp=bdp)],
                  rule)

    def paper(by_cell):
        return [at_least("Jain, least", 0.99, worst(by_cell, jain)),
                at_least("utilisation, least", 0.960, worst(by_cell, used))]
    yield Row("adaptive-bbr2-paper, 16 buffers",
              [flows(algorithm="adaptive-bbr2-paper", startup="classic", rtt="10,60", buffer_bdp=b)
               for b in BUFFERS],
              paper)


def rows_of_fairness():
    def buffers(by_cell):
        return [at_least("Jain, mean", 0.995, mean(by_cell, jain)),
                at_least("Jain, worst", 0.993, worst(by_cell, jain)),
                at_least("utilisation, least", 0.972, worst(by_cell, used)),
                at_most("OWD over path, worst", 2.6, worst(by_cell, over_path, max)),
                at_most("p95 over path, worst", 4.5, worst(by_cell, p95_over_path, max))]
    for startup in ("classic", "fbe"):
        yield Row(f"16 buffers 10/60, {startup}",
                  [flows(startup=startup, rtt="10,60", buffer_bdp=b) for b in BUFFERS], buffers)
    for order in ORDERS:
        yield Row(f"L2 10…100 ms, starts {order}",
                  [flows(rtt=f"10,{rtt}", start=order) for rtt in range(10, 101, 10)],
                  lambda by_cell: [at_least("Jain, worst", 0.994, worst(by_cell, jain))])
    rtts = {3: "10,60,100", 5: "10,30,50,70,100", 10: ",".join(map(str, range(10, 101, 10)))}
    for count, rtt in rtts.items():
        def several(by_cell, count=count):
            return [at_least("Jain, worst", 0.995, worst(by_cell, jain)),
                    at_most("OWD over path, worst", 1 + 1.5 * count,
                            worst(by_cell, over_path, max)),
                    at_most("flows taken for CUBIC", 0, worst(by_cell, competitions, max))]
        yield Row(f"{count} flows", [flows(rtt=rtt)], several)
        yield Row(f"{count} flows, no false competition in 10 seeds",
                  [flows(rtt=rtt, start=starts, duration=100) for starts in
                   ("0", ",".join(str(2 * i) for i in range(count)))],
                  lambda by_cell: [at_most("flows taken for CUBIC", 0,
                                           worst(by_cell, competitions, max))],
                  seeds=list(range(1, 11)))
    for rate in (1, 2, 10, 20, 50, 100):
        def rates(by_cell, rate=rate):
            return [at_least("Jain, worst", 0.995, worst(by_cell, jain)),
                    at_least("utilisation, least", 0.97, worst(by_cell, used)),
                    at_most("OWD over path, worst", 9.84 / rate + 1.5,
                            worst(by_cell, over_path, max))]
        yield Row(f"{rate} Mbit/s", [flows(rate=rate, rtt="10,60")], rates)


def rows_of_radio():
    yield Row("802.11n on L2", [flows(rtt="10,60", wifi=2)], lambda by_cell: [
        at_least("Jain, worst", 0.99, worst(by_cell, jain)),
        at_most("OWD over path, worst", 4, worst(by_cell, over_path, max))])
    for jitter, least, alone in ((1, 0.96, 0.95), (3, 0.93, 0.88), (8, 0.90, 0.75)):
        def two(by_cell, least=least):
            return [at_least("Jain, worst", least, worst(by_cell, jain)),
                    at_least("utilisation, least", 0.95, worst(by_cell, used))]

        def one(by_cell, alone=alone):
            return [at_least("utilisation, least", alone, worst(by_cell, used))]
        yield Row(f"jitter {jitter} ms on L2", [flows(rtt="10,60", jitter_ms=f"0,{jitter}")], two)
        yield Row(f"jitter {jitter} ms, alone", [flows(rtt="50", jitter_ms=jitter)], one)
    for rate in (5, 20):
        for slot in (2.5, 5, 10):
            for harq in ("", ",harq=0.1x8"):
                def alone(by_cell):
                    return [at_least("utilisation, least", 0.95, worst(by_cell, used)),
                            at_most("OWD over path and link's own, worst", 8, worst(
                                by_cell, lambda r: over_path(r) - r["link_own_ms"], max))]

                def shared(by_cell):
                    return [at_least("Jain, worst", 0.975, worst(by_cell, jain)),
                            at_most("OWD over path, worst", 18, worst(by_cell, over_path, max))]
                uplink = f"slot={slot}{harq}"
                yield Row(f"uplink {rate} Mbit/s {uplink}, one flow",
                          [flows(rate=rate, rtt="50", uplink=uplink)], alone)
                yield Row(f"uplink {rate} Mbit/s {uplink}, 10/60",
                          [flows(rate=rate, rtt="10,60", uplink=uplink)], shared)


def rows_of_paths():
    for bucket in ("15kB", "100kB"):
        yield Row(f"policer 5 Mbit/s, {bucket}",
                  [flows(rate=20, rtt="50", policer=f"5:{bucket}")], lambda by_cell: [
                      at_most("loss after 10 s, worst", 0.003, worst(
                          by_cell, lambda r: r["flows"][0]["loss_after_10s"], max)),
                      at_least("utilisation, least", 0.92, worst(by_cell, used))])

    # From 6 s after a step on, rate and delay are again what they were before it.
    def route(by_cell):
        def rate(result, window):
            return result["flows"][0]["windows"][window]["throughput_mbps"]

        def delay(result, window):
            return result["flows"][0]["windows"][window]["owd_mean_ms"]
        return [at_least("rate from 6 s after +30 ms on, share of before", 0.95,
                         worst(by_cell, lambda r: rate(r, 1) / rate(r, 0))),
                at_least("rate from 6 s after −30 ms on, share of before", 0.95,
                         worst(by_cell, lambda r: rate(r, 2) / rate(r, 0))),
                at_most("OWD from 6 s after +30 ms on, over before + 30", 5,
                        worst(by_cell, lambda r: delay(r, 1) - delay(r, 0) - 30, max)),
                at_most("competition events", 0, worst(by_cell, competitions, max))]
    yield Row("route +30 −30 ms",
              [flows(rtt="40", route="+30@60,-30@120", window="30-60,66-120,126-180")], route)

    def reverse(by_cell):
        def window(result, index):
            return result["flows"][0]["windows"][index]
        return [at_least("rate meanwhile, share of before", 0.90, worst(
                    by_cell,
                    lambda r: window(r, 1)["throughput_mbps"] / window(r, 0)["throughput_mbps"])),
                at_most("forward OWD meanwhile, over before", 5, worst(
                    by_cell, lambda r: window(r, 1)["owd_mean_ms"] - window(r, 0)["owd_mean_ms"],
                    max))]
    yield Row("way back +80 ms for 30 s",
              [flows(rtt="40", reverse_delay_ms="80@60,0@90", window="30-60,60-90")], reverse)


def share_of(result):
    """Our flow's share of what it and the peer got while both were there."""
    own = result["flows"][0]["windows"][0]["throughput_mbps"]
    peer = result["peers"][0]["windows"][0]["throughput_mbps"]
    return own / (own + peer) if own + peer > 0 else 0.0


def rows_of_competition():
    def own(result):
        return result["flows"][0]

    def versus(name, bdp, rtt, peer, least, peers_least=None, rules=()):
        # Both are there from 40 s on; the peer ends at 160 s.
        cells = [flows(rtt=rtt, buffer_bdp=bdp, start=start, window="40-160",
                       compete=f"{peer}:50@{at}-160") for start, at in ((0, 0), (0, 20), (20, 0))]

        def rule(by_cell):
            findings = [at_least("own share, worst", least, worst(by_cell, share_of))]
            if peers_least is not None:
                findings.append(at_least("peer's share, worst", peers_least, worst(
                    by_cell, lambda r: 1 - share_of(r))))
            if "events" in rules:
                findings.append(at_least("competition events, least", 1,
                                         worst(by_cell, competitions)))
                findings.append(at_least("worst 5 s, Mbit/s", 0.5, worst(
                    by_cell, lambda r: own(r)["worst_5s_mbps"])))
            if "settles" in rules:
                findings.append(at_most("path + 10 ms after the peer, s", 2, worst(
                    by_cell, lambda r: 99 if own(r)["settled_after_peer_s"] is None
                    else own(r)["settled_after_peer_s"], max)))
            return findings
        return Row(name, cells, rule)
    for bdp in (0.5, 2):
        yield versus(f"beside CUBIC, {bdp} BDP", bdp, 50, "cubic", 0.40, 0.40, ("settles",))
    yield versus("beside CUBIC, 10 BDP", 10, 50, "cubic", 0.22, None, ("events", "settles"))
    yield versus("beside CUBIC, own 100 against 50 ms, 2 BDP", 2, 100, "cubic", 0.20)
    for bdp in (2, 10):
        yield versus(f"beside TcpBbr, {bdp} BDP", bdp, 50, "bbr", 0.20)
    yield Row("fq_codel beside two CUBIC",
              [flows(rtt="50", queue="fq_codel", compete="cubic,cubic", window="20-200")],
              lambda by_cell: [at_least("share of the fair third, worst", 0.90, worst(
                  by_cell, lambda r: r["flows"][0]["windows"][0]["throughput_mbps"] /
                  (5 * 0.9756 / 3)))])


def startup(**options):
    arguments = ["startup"]
    for name, value in options.items():
        arguments += ["--" + name.replace("_", "-"), str(value)]
    return tuple(arguments)


def sender(result, name):
    return next(s for s in result["senders"] if s["name"] == name)


def gain(result, other, figure):
    """How much shorter FBE's figure is than another's, as a share; a start that failed is no gain."""
    mine, theirs = sender(result, "fbe")[figure], sender(result, other)[figure]
    if mine is None:
        return -1.0
    return 1.0 if theirs is None else 1 - mine / theirs


GRID = [(rate, rtt) for rate in (20, 50, 100) for rtt in (20, 50, 100)]


def gains(by_cell, figure, least, picks):
    for other, bound in zip(("cubic", "tcpbbr"), least):
        for what, pick in picks:
            yield at_least(f"{figure} shorter than {other}'s, {what}", bound,
                           pick(gain(r, other, figure) for r in every(by_cell)))


def rows_of_startup():
    both = (("mean", lambda values: statistics.mean(values)),
            ("median", lambda values: statistics.median(values)))

    def idle(by_cell):
        return [*gains(by_cell, "convergence_ms", (0.65, 0.65), both),
                *gains(by_cell, "fct_ms", (0.40, 0.48), both),
                at_most("queue over the initial window's own, worst", 1, worst(
                    by_cell, lambda r: sender(r, "fbe")["max_queue_ms"] -
                    r["initial_window_queue_ms"], max)),
                at_most("loss, worst", 0, worst(by_cell, lambda r: sender(r, "fbe")["loss"], max))]
    yield Row("FBE, idle grid", [startup(rate=rate, rtt=rtt) for rate, rtt in GRID], idle)

    def queues(by_cell):
        return [sender(r, "fbe")["max_queue_ms"] / r["rtt_ms"] for r in every(by_cell)]

    def crossed(by_cell):
        return [*gains(by_cell, "convergence_ms", (0.50, 0.50), both[:1]),
                *gains(by_cell, "fct_ms", (0.33, 0.40), both[:1]),
                # Means, all of them: one run's queue is others' chance.
                at_most("queue, BDP, mean", 0.5, statistics.mean(queues(by_cell))),
                told("queue, BDP, worst", max(queues(by_cell)))]
    yield Row("FBE, 30 % cross traffic",
              [startup(rate=rate, rtt=rtt, cross="poisson:0.3", buffer_bdp=1.5)
               for rate, rtt in GRID], crossed)

    def radio(by_cell):
        def off(result):
            estimate = sender(result, "fbe")["estimate_mbps"]
            return 1.0 if estimate is None else abs(estimate / result["rate_mbps"] - 1)

        def alone(result):
            return sender(result, "fbe")["loss"] > 0 and sender(result, "bbr2-classic")["loss"] == 0
        return [at_most("estimate off by, worst", 0.15, worst(by_cell, off, max)),
                at_most("runs with loss where classic has none", 0,
                        sum(alone(r) for r in every(by_cell)))]
    yield Row("FBE behind 802.11n", [startup(rate=rate, rtt=50, wifi=1) for rate in (20, 50)], radio)
    for slot in (2.5, 5, 10):
        yield Row(f"FBE on slots of {slot} ms with HARQ",
                  [startup(rate=20, rtt=50, uplink=f"slot={slot},harq=0.1x8")], radio)
    yield Row("FBE, driver queue halved", [startup(rate=20, rtt=50, driver_queue="halve@0.22")],
              lambda by_cell: [at_most("local queue, ms", 10, worst(
                  by_cell, lambda r: sender(r, "fbe")["local_queue_ms"], max))])


ROWS = [*rows_of_baselines(), *rows_of_fairness(), *rows_of_radio(), *rows_of_paths(),
        *rows_of_competition(), *rows_of_startup()]
