#!/usr/bin/env python3
"""rows.py LAB: the rows of the controller's table that hold, with the table's own bounds and seed 1,
and two that the table does not have; a change that loses one fails here. The whole table with all
seeds is tests/lab/table."""
import sys

import table
import table_rows as rows
from table_rows import Row, at_least, at_most, flows, worst

# Of one kind, one or two: all of them take an hour.
OF_THE_TABLE = (
    "bbr2 quiche2019, 10/60, 3 BDP",
    "16 buffers 10/60, fbe",
    "L2 10…100 ms, starts 0,0",
    "3 flows",
    "5 flows",
    "1 Mbit/s",
    "2 Mbit/s",
    "10 Mbit/s",
    "802.11n on L2",
    "jitter 1 ms on L2",
    "jitter 1 ms, alone",
    "jitter 3 ms, alone",
    "jitter 8 ms, alone",
    "uplink 5 Mbit/s slot=5,harq=0.1x8, one flow",
    "uplink 5 Mbit/s slot=10, 10/60",
    "policer 5 Mbit/s, 15kB",
    "route +30 −30 ms",
    "way back +80 ms for 30 s",
    "beside CUBIC, 2 BDP",
    "beside TcpBbr, 2 BDP",
    "FBE, idle grid",
    "FBE behind 802.11n",
    "FBE, driver queue halved",
)


def of_paper(by_cell):
    return [at_least("Jain", 0.99, worst(by_cell, rows.jain)),
            at_least("utilisation", 0.960, worst(by_cell, rows.used))]


def subset():
    by_name = {row.name: row for row in rows.ROWS}
    for name in OF_THE_TABLE:
        yield by_name[name]
    yield Row("adaptive-bbr2-paper, 1 and 10 BDP",
              [flows(algorithm="adaptive-bbr2-paper", startup="classic", rtt="10,60", buffer_bdp=b)
               for b in (1, 10)], of_paper)
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


def main():
    class Options:
        lab = sys.argv[1]
        seeds = [1]
        startup = "fbe"
        jobs = 2
    missed = 0
    for row, findings in table.run_rows(Options, list(subset())):
        for finding in findings:
            missed += not finding.holds
            print(f"{row.name}: {finding}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
