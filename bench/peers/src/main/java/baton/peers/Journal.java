package baton.peers;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The starts as recorded by the jobs: task, scheduled instant, and wall clock time. */
final class Journal {
    private final int[] tasks;
    private final long[] due;
    private final long[] began;
    private final AtomicInteger next = new AtomicInteger();

    Journal(int capacity) {
        tasks = new int[capacity];
        due = new long[capacity];
        began = new long[capacity];
    }

    /** Called first by each job, from any thread. */
    void started(int task, Instant instant) {
        long now = micros(Instant.now());
        int place = next.getAndIncrement();
        if (place < tasks.length) {
            tasks[place] = task;
            due[place] = micros(instant);
            began[place] = now;
        }
    }

    int size() {
        if (next.get() > tasks.length) {
            throw new IllegalStateException("more than " + tasks.length + " starts: the journal is full");
        }
        return next.get();
    }

    int task(int place) {
        return tasks[place];
    }

    Instant due(int place) {
        return instant(due[place]);
    }

    Instant began(int place) {
        return instant(began[place]);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
