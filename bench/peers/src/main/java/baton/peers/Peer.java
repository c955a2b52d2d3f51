package baton.peers;

import java.time.Duration;

/** A scheduler under test: one node of a cluster with one set of settings. */
interface Peer extends AutoCloseable {

    /** The settings, in the product's terms. */
    String describe();

    /** Creates the tables and registers the tasks without running them. The payload size is in bytes. */
    void register(Schedule schedule, int payload) throws Exception;

    /** Moves all registered firings by this span, because the duration of registering is not known in advance. */
    void delay(Duration by) throws Exception;

    /** Starts running jobs, which write into the journal. */
    void start(Journal journal) throws Exception;

    /** Stops the scheduler: no job starts after this returns. May be called twice. */
    @Override
    void close() throws Exception;
}
