"""The expected firings, computed only from the versions of the tasks, by code that shares nothing with the scheduler.

A version decides the instants from its `valid_from` up to that of the next one. Times are integers: microseconds since
the Unix epoch, UTC.
"""

import calendar
import datetime
import zoneinfo

SECOND = 1_000_000
UNFORETOLD = ("fixed_delay", "api", "calendar", "after")  # depend on more than the definition, or too rare for a cluster test

NICKNAMES = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name}
DAYS = {name.lower(): (number + 1) % 7 for number, name in enumerate(calendar.day_abbr)}
FIELDS = [("second", 0, 59, {}), ("minute", 0, 59, {}), ("hour", 0, 23, {}), ("day", 1, 31, {}),
          ("month", 1, 12, MONTHS), ("weekday", 0, 7, DAYS)]


def micros(text):
    """Microseconds of an RFC 3339 time."""
    at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return calendar.timegm(at.utctimetuple()) * SECOND + at.microsecond


def numbers(text, least, most, names):
    """The numbers that one cron field names: *, n, a-b, lists of them, each with /step."""
    def one(word):
        return names[word] if word in names else int(word)

    found = set()
    for part in text.lower().split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = least, most
        elif "-" in span:
            first, last = (one(word) for word in span.split("-"))
        else:
            first = one(span)
            last = most if step else first
        found.update(range(first, last + 1, int(step or 1)))
    return found


class Cron:
    """Five fields, or six with seconds first; Vixie's rule for days: when both are restricted, either will do."""

    def __init__(self, text, zone):
        words = NICKNAMES.get(text, text).split()
        if len(words) == 5:
            words.insert(0, "0")
        self.sets = [numbers(word, least, most, names) for word, (_, least, most, names) in zip(words, FIELDS)]
        self.either = not words[3].startswith("*") and not words[5].startswith("*")
        self.zone = zoneinfo.ZoneInfo(zone)

    def fires(self, second):
        at = datetime.datetime.fromtimestamp(second, self.zone)
        weekday = at.isoweekday() % 7
        day = at.day in self.sets[3]
        week = weekday in self.sets[5] or (weekday == 0 and 7 in self.sets[5])
        return (at.second in self.sets[0] and at.minute in self.sets[1] and at.hour in self.sets[2]
                and at.month in self.sets[4] and ((day or week) if self.either else (day and week)))


def in_window(schedule, at):
    """Whether a daily window fires at this reading of its clock. `fold` is 1 where the clock shows it again."""
    def seconds(text):
        return sum(int(part) * unit for part, unit in zip(text.split(":"), (3600, 60, 1)))

    begin, end = seconds(schedule["from"]), seconds(schedule["to"])
    now = at.hour * 3600 + at.minute * 60 + at.second
    yesterday = end < begin and now <= end
    passed = now - begin + (86_400 if yesterday else 0)
    day = (at.weekday() - yesterday) % 7
    names = schedule.get("days", list(DAYS))
    return (at.fold == 0 and 0 <= passed <= (end - begin) % 86_400 and passed % (schedule["every_ms"] // 1000) == 0
            and any((DAYS[name] + 6) % 7 == day for name in names))


def instants(schedule, created_at, begin, end):
    """The instants in [begin, end) at which a schedule is due."""
    kind = schedule["kind"]
    if "start_at" in schedule:
        begin = max(begin, micros(schedule["start_at"]))
    if "end_at" in schedule:
        end = min(end, micros(schedule["end_at"]))
    if kind == "fixed_rate":
        every = schedule["every_ms"] * 1000
        anchor = micros(schedule["start_at"]) if "start_at" in schedule else created_at
        first = anchor + max(0, -(-(begin - anchor) // every)) * every
        return list(range(first, end, every))
    if kind == "cron":
        cron = Cron(schedule["cron"], schedule.get("zone", "UTC"))
        return [second * SECOND for second in range(-(-begin // SECOND), -(-end // SECOND)) if cron.fires(second)]
    if kind == "window":
        zone = zoneinfo.ZoneInfo(schedule.get("zone", "UTC"))
        return [second * SECOND for second in range(-(-begin // SECOND), -(-end // SECOND))
                if in_window(schedule, datetime.datetime.fromtimestamp(second, zone))]
    if kind == "once":
        at = micros(schedule["at"])
        return [at] if begin <= at < end else []
    raise ValueError(f"the firings of a schedule of kind {kind} cannot be computed")


def foretold(definition):
    return definition["schedule"]["kind"] not in UNFORETOLD


def firings(versions, created_at, until):
    """{scheduled_at: version} of one task. `versions`: dicts with version, action, valid_from and definition."""
    due = {}
    ordered = sorted(versions, key=lambda version: version["version"])
    for version, following in zip(ordered, ordered[1:] + [None]):
        end = min(until, following["valid_from"]) if following else until
        definition = version["definition"]
        if version["action"] == "deleted" or not definition["enabled"] or not foretold(definition):
            continue
        for at in instants(definition["schedule"], created_at, version["valid_from"], end):
            due[at] = version["version"]
    return due
