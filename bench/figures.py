"""The figures of docs/performance.md, as SVG."""

import pathlib
import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "baton", "font.size": 9, "axes.spines.top": False,
                            "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3})

import matplotlib.pyplot as pyplot  # noqa: E402

RATES = ("steady", "payload_1k", "own_task", "three_nodes", "run_batch")
LAGS = ("lag", "million", "history", "steady")


def draw(document, folder):
    """Returns the names of the figures that have data."""
    drawn = []
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = document["rows"]
    for name, paint, wanted in (("rates", paint_rates, RATES), ("lags", paint_lags, LAGS),
                                ("herd", paint_herd, ("herd",))):
        present = [row for row in wanted if row in rows]
        if present:
            figure, axes = pyplot.subplots(figsize=(7, 3.2), layout="constrained")
            paint(axes, rows, present)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            pyplot.close(figure)
            drawn.append(name)
    return drawn


def paint_rates(axes, rows, present):
    """Executions per second with the spread over the runs, and the ceiling of the database alone."""
    values = [[run["rate"] for run in rows[name]["runs"]] for name in present]
    middle = [statistics.median(each) for each in values]
    below = [m - min(each) for m, each in zip(middle, values)]
    above = [max(each) - m for m, each in zip(middle, values)]
    axes.barh([rows[name]["title"] for name in present], middle, xerr=[below, above])
    if "ceiling" in rows:
        axes.axvline(statistics.median(run["rate"] for run in rows["ceiling"]["runs"]), color="black", linestyle="--",
                     label="the database alone")
        axes.legend()
    axes.invert_yaxis()
    axes.set_xlabel("executions a second, committed")


def paint_lags(axes, rows, present):
    """The distribution of the lag."""
    for name in present:
        late = sorted(lag / 1000 for run in rows[name]["runs"] for lag in run["lag_samples_us"])
        axes.plot(late, [(place + 1) / len(late) for place in range(len(late))], label=rows[name]["title"])
    axes.set_xscale("log")
    axes.set_xlabel("ms from the scheduled instant to the handler's start")
    axes.set_ylabel("share")
    axes.legend()


def paint_herd(axes, rows, present):
    """The number of started executions of a herd over time."""
    for number, run in enumerate(rows["herd"]["runs"]):
        late = [lag / 1000 for lag in run["lag_samples_us"]]
        axes.plot(late, [100 * (place + 1) / len(late) for place in range(len(late))], label=f"run {number + 1}")
    axes.set_xlabel("ms after the instant")
    axes.set_ylabel("% of the herd began")
    axes.legend()
