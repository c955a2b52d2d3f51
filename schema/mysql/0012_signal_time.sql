-- The master reads the signals of the last seconds. A scan from the beginning would meet all that were deleted since the
-- oldest read view began, such as that of a dump.
ALTER TABLE `signal` ADD KEY signal_time (created_at, id);
