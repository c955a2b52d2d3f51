package baton.lockpeers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** What contenders do with one lock, each on a thread of its own. bench/lock_turns/loads.cpp does the same. */
final class Loads implements AutoCloseable {
    private static final long HOLD_MS = 50;

    private final List<Contender> contenders;
    private final ExecutorService threads;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();

    Loads(List<Contender> contenders) {
        this.contenders = contenders;
        this.threads = Executors.newFixedThreadPool(contenders.size());
    }

    /** How often two held it at once. */
    int overlaps() {
        return overlaps.get();
    }

    /** As many as there is time for: the nanoseconds of each lock and unlock of the only contender. */
    long[] pairs(double seconds) throws Exception {
        Contender one = contenders.get(0);
        List<Long> took = new ArrayList<>();
        long until = System.nanoTime() + nanos(seconds);
        for (long before = System.nanoTime(); before < until;) {
            one.lock();
            one.unlock();
            long after = System.nanoTime();
            took.add(after - before);
            before = after;
        }
        return sorted(took);
    }

    /** All as fast as they can: how many grants each had. */
    int[] turns(double seconds) throws Exception {
        long until = System.nanoTime() + nanos(seconds);
        return each(contender -> {
            int grants = 0;
            while (System.nanoTime() < until) {
                contender.lock();
                enter();
                leave();
                contender.unlock();
                ++grants;
            }
            return grants;
        }).stream().mapToInt(Integer::intValue).toArray();
    }

    /** Each holds it for a while, when all others wait: nanoseconds from the call of unlock to the next one's return. */
    long[] handOvers(int wanted) throws Exception {
        Relay relay = new Relay(wanted);
        each(contender -> {
            while (true) {
                contender.lock();
                int turn = relay.granted(System.nanoTime());
                enter();
                boolean over = turn > wanted;
                if (!over) {
                    Thread.sleep(HOLD_MS);
                }
                leave();
                relay.leaving();
                contender.unlock();
                if (over) {
                    return 0;
                }
                relay.awaitGrantAfter(turn);
            }
        });
        return sorted(relay.took);
    }

    /** Whoever has given it back comes again only after another has it: each hand-over is to one that waits. */
    private static final class Relay {
        private final int wanted;
        private final List<Long> took = new ArrayList<>();
        private int turns;
        private long left;

        Relay(int wanted) {
            this.wanted = wanted;
        }

        synchronized int granted(long at) {
            if (turns > 0 && took.size() < wanted) {
                took.add(at - left);
            }
            notifyAll();
            return ++turns;
        }

        synchronized void leaving() {
            left = System.nanoTime();
        }

        synchronized void awaitGrantAfter(int turn) throws InterruptedException {
            while (turns == turn) {
                wait();
            }
        }
    }

    private interface Work {
        int of(Contender contender) throws Exception;
    }

    private List<Integer> each(Work work) throws Exception {
        List<Callable<Integer>> all = new ArrayList<>();
        for (Contender contender : contenders) {
            all.add(() -> work.of(contender));
        }
        List<Integer> results = new ArrayList<>();
        for (Future<Integer> result : threads.invokeAll(all)) {
            results.add(result.get());
        }
        return results;
    }

    private void enter() {
        if (inside.incrementAndGet() != 1) {
            overlaps.incrementAndGet();
        }
    }

    private void leave() {
        inside.decrementAndGet();
    }

    private static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    private static long[] sorted(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
