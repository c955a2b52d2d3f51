package baton.peers;

import java.time.Duration;

/** A scheduler that is measured, as one node of a cluster with one set of settings. */
interface Peer extends AutoCloseable {

    /** What the settings are, in the product's own words. */
    String describe();

    /** Makes the tables and registers the tasks; nothing runs yet. Each payload is so many bytes. */
    void register(Schedule schedule, int payload) throws Exception;

    /** Moves all that is registered by so much, because nobody knows beforehand how long registering takes. */
    void delay(Duration by) throws Exception;

    /** From now on jobs run, and write into the journal. */
    void start(Journal journal) throws Exception;

    /** No job starts any more once this has returned. Twice does no harm. */
    @Override
    void close() throws Exception;
}
