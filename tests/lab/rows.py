#!/usr/bin/env python3
"""rows.py LAB: rows of the controller's table that hold, on few cells and with a margin; a change that
loses one fails here. The whole table, with the bounds that are aimed at, is tests/lab/table."""
import sys

import table
import table_rows as rows
from table_rows import Row, at_least, at_most, flows, sender, startup, worst


def two(name, least_jain, least_used, most_over_path, **options):
    """Two bulk flows: fairness, use and delay of one cell."""
    def rule(by_cell):
        return [at_least("Jain", least_jain, worst(by_cell, rows.jain)),
                at_least("utilisation", least_used, worst(by_cell, rows.used)),
                at_most("OWD over path", most_over_path, worst(by_cell, rows.over_path, max))]
    return Row(name, [flows(duration=60, **options)], rule)


def baseline(by_cell):
    """The paper's complaint: the long flow takes nearly all."""
    return [at_most("Jain", 0.78, worst(by_cell, rows.jain, max)),
            at_least("utilisation", 0.95, worst(by_cell, rows.used)),
            at_least("L2/L1", 3, worst(by_cell, lambda r: r["flows"][1]["throughput_mbps"] /
                                       r["flows"][0]["throughput_mbps"]))]


def start(by_cell):
    def lost(result):
        return sender(result, "fbe")["loss"]
    return [at_least("512 KB shorter than TcpBbr's", 0.0, worst(
                by_cell, lambda r: rows.gain(r, "tcpbbr", "fct_ms"))),
            at_most("loss", 0.02, worst(by_cell, lost, max))]


def subset():
    yield Row("bbr2 quiche2019, 10/60, 3 BDP",
              [flows(algorithm="bbr2", params="quiche2019", rtt="10,60", buffer_bdp=3,
                     duration=60)], baseline)
    yield two("adaptive-bbr2-paper, 10/60", 0.95, 0.93, 8, algorithm="adaptive-bbr2-paper",
              rtt="10,60")
    yield two("adaptive-bbr2, 10/60, 10 BDP", 0.97, 0.95, 10, rtt="10,60")
    yield two("adaptive-bbr2 from FBE, 10/60, 1 BDP", 0.97, 0.95, 10, rtt="10,60", startup="fbe",
              buffer_bdp=1)
    yield two("802.11n on L2", 0.97, 0.95, 10, rtt="10,60", wifi=2)
    yield Row("uplink slot=5,harq=0.1x8", [flows(rtt="50", uplink="slot=5,harq=0.1x8", duration=60)],
              lambda by_cell: [at_least("utilisation", 0.93, worst(by_cell, rows.used)),
                               at_most("OWD over path and link's own", 10, worst(
                                   by_cell, lambda r: rows.over_path(r) - r["link_own_ms"], max))])
    yield Row("policer 5 Mbit/s, 15 kB", [flows(rate=20, rtt="50", policer="5:15kB", duration=60)],
              lambda by_cell: [at_least("utilisation", 0.90, worst(by_cell, rows.used)),
                               at_most("OWD over path", 1, worst(by_cell, rows.over_path, max))])
    yield Row("a CUBIC that ends", [flows(rtt="50", buffer_bdp=2, compete="cubic@0-30", duration=60)],
              lambda by_cell: [at_least("own rate from 10 s on, Mbit/s", 1.0, worst(
                  by_cell, lambda r: r["flows"][0]["throughput_after_10s_mbps"])),
                               at_most("path + 10 ms after it, s", 3, worst(
                                   by_cell, lambda r: r["flows"][0]["settled_after_peer_s"], max))])
    yield Row("codel that marks, bbr2", [flows(algorithm="bbr2", rtt="40", queue="codel", ecn=True,
                                               duration=60)],
              lambda by_cell: [at_least("utilisation", 0.90, worst(by_cell, rows.used)),
                               at_most("loss after 10 s", 0.001, worst(
                                   by_cell, lambda r: r["flows"][0]["loss_after_10s"], max))])
    yield Row("FBE at 20 Mbit/s, 50 ms", [startup(rate=20, rtt=50)], start)


def main():
    class Options:
        lab = sys.argv[1]
        seeds = [1]
        startup = "classic"
        jobs = 2
    missed = 0
    for row, findings in table.run_rows(Options, list(subset())):
        for finding in findings:
            missed += not finding.holds
            print(f"{'ok  ' if finding.holds else 'MISS'} {row.name}: {finding.what} "
                  f"{finding.reached} (bound {finding.bound})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
