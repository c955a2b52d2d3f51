"""Hooks of schemathesis for docs/openapi.yaml: values of its formats, and the refusals that no schema can state."""

import atexit
import collections

import schemathesis
from hypothesis import strategies as st

# Expressions that fire within each year.
NUMBER = st.sampled_from(["*", "*/5", "0", "7", "1-5", "1,3", "2-6/2", "H", "H(3-9)", "H/4"])
MONTH_DAY = st.sampled_from(["*", "1", "1-5", "*/2", "15,28"])
WEEKDAY = st.sampled_from(["*", "0", "7", "mon-fri", "SUN", "1,3"])
MONTH = st.sampled_from(["*", "1", "jan-mar", "*/3"])
FIVE = st.tuples(NUMBER, NUMBER, MONTH_DAY, MONTH, WEEKDAY).map(" ".join)
SIX = st.tuples(NUMBER, FIVE).map(" ".join)
schemathesis.openapi.format("cron", FIVE | SIX | st.sampled_from(["@daily", "@Hourly", "\t@weekly\r\n"]))
# Quartz: one of the two day fields is "?".
QUARTZ_NUMBER = st.sampled_from(["*", "0/5", "0", "7", "1-5", "22-2", "1,3", "H", "H(3-9)"])
QUARTZ_DAYS = st.sampled_from(["* {} ?", "L {} ?", "15W {} ?", "L-3 {} ?", "1-5 {} ?", "? {} MON-FRI", "? {} 6L", "? {} 6#3", "? {} 1"])
QUARTZ_DATE = st.tuples(QUARTZ_DAYS, st.sampled_from(["*", "1", "JAN-MAR"])).map(lambda parts: parts[0].format(parts[1]))
QUARTZ = st.tuples(QUARTZ_NUMBER, QUARTZ_NUMBER, QUARTZ_NUMBER, QUARTZ_DATE, st.sampled_from(["", " *", " 2090-2099"])).map(
    lambda parts: " ".join(parts[:4]) + parts[4])
schemathesis.openapi.format("quartz-cron", QUARTZ)
schemathesis.openapi.format("time-zone", st.sampled_from(["UTC", "Europe/Berlin", "America/Port-au-Prince", "Etc/GMT+1"]))

# Times that exist and lie ahead.
DIGITS = st.integers(10, 28).map(str)
schemathesis.openapi.format("date-time", st.builds(
    "21{}-{}-{}T{}:00:00{}{}".format, DIGITS, st.sampled_from(["01", "06", "12"]), DIGITS, st.sampled_from(["00", "23"]),
    st.sampled_from(["", ".5", ".123456"]), st.sampled_from(["Z", "+02:00", "-23:59"])))

# A request that fits its schema is refused all the same for one of these reasons: (part of the field, part of the detail).
BEYOND_SCHEMA = [
    ("service", "no live client belongs to the service"),  # depends on the clients of the moment
    ("handler", "no live client of the service"),
    ("project", "give the project too"),  # compares two parameters
    ("project", "give both or neither"),  # compares two parameters
    ("service", "give both or neither"),
    ("service", "service needs project"),  # compares two parameters
    ("label", "twice"),
    ("context", "twice"),
    ("defaults.route", "needs defaults.routing"),  # compares two members
    ("limits.start_within_ms", "must be below limits.total_ms"),  # compares two members
    ("timeout_ms", "must not be above limits.total_ms"),  # compares two members
    ("payload", "which is the concurrency.key of the task"),  # compares two members
    ("payload", "which is the route.key of the task"),
    ("payload", "and would be rounded; write it as a string"),  # JSON Schema has no bound for digits
    ("payload", "is nested deeper than 64 levels"),
    ("route.", "is only for routing"),
    ("route.", "is required for routing"),
    ("schedule.at", "lies in the past or too close ahead"),  # depend on the time of day
    ("schedule.in_ms", "since a save takes effect that much later"),
    ("schedule.end_at", "this schedule has no firing from now until"),
    ("schedule.end_at", "never fires between schedule.start_at and its end"),
    ("schedule.end_at", "must be after schedule.start_at"),  # compares two members
    ("schedule.calendars", "has no calendar"),  # depend on the calendars and tasks of the moment
    ("schedule.calendars", "twice"),
    ("schedule.calendars", "with its calendars this schedule has no firing"),
    ("schedule.task", "has no task"),
    ("schedule.task", "that would be a cycle"),
    ("name", "a calendar keeps its project and name"),
    ("icalendar", ""),  # the format of a file
    ("dates", ""),  # days that the calendar does not have
    ("yearly", "must list days of a year"),
    ("", "must be another name than . and .."),
    ("schedule", "this schedule has no firing from now on"),  # the calendar of time zones ends
    ("", "must be a time such as"),  # a day that the calendar does not have
    ("cron", "column "),
    ("hash_seed", "H stands for a value that follows from"),  # the expression decides whether it is needed
    ("task", "there is no task of this id"),  # depends on the tasks of the moment
    ("zone", "is not a time zone"),  # the list of time zones changes
    ("Idempotency-Key", "was used within the last day"),  # depend on earlier requests
    ("If-Match", "the task was changed since"),
    ("If-Match", "the calendar was changed since"),
    ("If-Match", "the settings were changed since"),
]
# Likewise, when a patch has a part of a schedule and the task has a schedule of another kind.
OTHER_KIND = [
    ("schedule.", "unknown field"),
    ("schedule.every_ms", "must be a whole number from 100"),
    ("schedule.every_ms", "of a window must be a number of whole seconds"),
    ("schedule.in_ms", "exclude each other"),
    ("schedule.", "is only for schedule.unit"),
]
seen = collections.Counter()
refused = []  # for the end of the output: the report of a failure stands far above it


def beyond_schema(case, response):
    """The reason, or None."""
    if response.status_code not in (400, 412, 422):
        return None
    problem = response.json()
    field, detail = problem.get("field", ""), problem["detail"]
    schedule = case.body.get("schedule") if case.method == "PATCH" and isinstance(case.body, dict) else None
    partly = isinstance(schedule, dict) and "kind" not in schedule
    rules = BEYOND_SCHEMA + (OTHER_KIND if partly else [])
    return next((reason for part, reason in rules if part in field and reason in detail), None)


def kept_after_deletion(failure, case):
    """Deleted tasks keep their history, so that people can see what was deleted and when."""
    return type(failure).__name__ == "UseAfterFree" and case.method == "GET" and case.path.endswith(
        ("/versions", "/skipped"))


def refused_by_version(failure, response):
    """If-Match is looked at before the body, and schemathesis does not count its 412 as a refusal of the body."""
    return type(failure).__name__ == "AcceptedNegativeData" and response.status_code == 412


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if kept_after_deletion(failure, case) or refused_by_version(failure, response):
        return False
    reason = beyond_schema(case, response) if type(failure).__name__ == "RejectedPositiveData" else None
    if reason:
        seen[reason] += 1
    elif reason is None and type(failure).__name__ == "RejectedPositiveData":
        refused.append(f"{case.method} {response.request.url} {str(case.body)[:1000]}: {response.status_code} {response.text[:500]}")
    return reason is None


@atexit.register
def show_seen():
    for reason, count in seen.most_common():
        print(f"beyond a schema, {count} times: {reason}")
    for request in refused[:10]:
        print(f"refused: {request}")
