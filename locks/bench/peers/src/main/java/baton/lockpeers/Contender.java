package baton.lockpeers;

/** One that takes the lock and gives it back, on one thread, with a client of its own. */
interface Contender extends AutoCloseable {

    void lock() throws Exception;

    void unlock() throws Exception;

    @Override
    void close() throws Exception;
}
