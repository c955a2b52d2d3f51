package baton.peers;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The wall clock, and by how much it has moved against the monotonic one since this object was made. */
final class WallClock {
    private final long offset = offset();

    long movedMicros() {
        return TimeUnit.NANOSECONDS.toMicros(Math.abs(offset() - offset));
    }

    static void sleepUntil(Instant instant) throws InterruptedException {
        Duration left = Duration.between(Instant.now(), instant);
        if (!left.isNegative()) {
            Thread.sleep(left.toMillis(), left.toNanosPart() % 1_000_000);
        }
    }

    /** Returns, of many readings, the one whose two clocks were read closest together. */
    private static long offset() {
        long best = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < 2000; ++i) {
            long before = System.nanoTime();
            Instant wall = Instant.now();
            long took = System.nanoTime() - before;
            if (took < best) {
                best = took;
                offset = Duration.between(Instant.EPOCH, wall).toNanos() - before - took / 2;
            }
        }
        return offset;
    }
}
