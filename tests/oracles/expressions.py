"""Random cron expressions of both dialects."""

MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
WEEKDAYS = "SUN MON TUE WED THU FRI SAT".split()


def item(random, low, high, star):
    begin = random.randint(low, high - 1)
    end = random.randint(begin + 1, high)  # croniter and cronsim read n-n/m as n/m
    step = random.randint(1, 15)
    kind = random.randrange(9)
    if kind == 0 and star:
        return "*"
    if kind <= 2 and star:
        return f"*/{step}"
    if kind == 3:
        return f"{begin}-{end}"
    if kind == 4:
        return f"{begin}-{end}/{step}"
    return str(begin)


def field(random, low, high, star=True):
    """croniter reads a `*` behind a comma as a wildcard of the whole field, so only the first item may have one."""
    return ",".join(item(random, low, high, star and not i) for i in range(random.choice((1, 1, 1, 2, 3))))


def hours(random):
    """Half of them near the hours in which clocks change."""
    return field(random, 0, 23) if random.random() < 0.5 else field(random, 0, 4, random.random() < 0.3)


def minutes(random):
    return random.choice(("0", "30", "*/15")) if random.random() < 0.4 else field(random, 0, 59)


def months(random):
    kind = random.random()
    return "*" if kind < 0.75 else random.choice(MONTHS) if kind < 0.85 else field(random, 1, 12)


def crontab(random):
    """Five fields, and six with the second first for one in eight."""
    day = "*" if random.random() < 0.6 else field(random, 1, 31)
    kind = random.random()
    weekday = "*" if kind < 0.6 else random.choice(WEEKDAYS) if kind < 0.7 else field(random, 0, 6)
    text = f"{minutes(random)} {hours(random)} {day} {months(random)} {weekday}"
    return f"{random.choice(('0', '30', '*/20', '5-7'))} {text}" if random.random() < 0.125 else text


def wrapped(random, low, high):
    begin = random.randint(low + 1, high)
    return f"{begin}-{random.randint(low, begin - 1)}"


def quartz_days(random):
    kind = random.randrange(12)
    if kind < 4:
        return "*", "?"
    if kind < 9:
        day = random.choice(("L", f"L-{random.randint(1, 27)}", "LW", f"{random.randint(1, 28)}W", field(random, 1, 31),
                             field(random, 1, 31, False), str(random.randint(1, 31)), f"L-{random.randint(1, 5)}W"))
        return day, "?"
    weekday = random.randint(1, 7)
    return "?", random.choice((str(weekday), random.choice(WEEKDAYS), f"{weekday}L", f"{weekday}#{random.randint(1, 5)}",
                               "L", "MON-FRI", wrapped(random, 1, 7), f"{weekday}-7/{random.randint(1, 3)}"))


def quartz(random):
    second = random.choice(("0", "0", "0", "30", "0/20", "5-7"))
    minute = minutes(random) if random.random() < 0.85 else random.choice((f"{random.randint(0, 59)}/{random.randint(1, 30)}",
                                                                           wrapped(random, 0, 59)))
    hour = hours(random) if random.random() < 0.85 else wrapped(random, 0, 23)
    day, weekday = quartz_days(random)
    month = months(random) if random.random() < 0.95 else wrapped(random, 1, 12)
    year = random.choice(("",) * 8 + (" *", " 2026-2030", " 2027/3", " 2028,2031"))
    return f"{second} {minute} {hour} {day} {month} {weekday}{year}"
