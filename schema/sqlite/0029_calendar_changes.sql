-- So that a look for changed calendars reads the newest and a count, and no calendar.
CREATE INDEX named_calendar_change ON named_calendar (namespace, updated_at);
