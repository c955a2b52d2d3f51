package baton.lockpeers;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's locks with all its defaults, and the two commands that such a lock cannot do without. */
final class RedissonContender implements Contender {
    private final RedissonClient client;
    private final RLock lock;

    RedissonContender(String server, Function<RedissonClient, RLock> kind) {
        client = connect(server);
        lock = kind.apply(client);
    }

    private static RedissonClient connect(String server) {
        Config config = new Config();
        config.useSingleServer().setAddress(server);
        return Redisson.create(config);
    }

    @Override
    public void lock() {
        lock.lock();
    }

    @Override
    public void unlock() {
        lock.unlock();
    }

    @Override
    public void close() {
        client.shutdown();
    }

    static final class Bare implements Contender {
        private static final String COMPARE_AND_DELETE =
                "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

        private final RedissonClient client;
        private final RBucket<String> bucket;
        private final RScript script;

        Bare(String server) {
            client = connect(server);
            bucket = client.getBucket("bare", StringCodec.INSTANCE);
            script = client.getScript(StringCodec.INSTANCE);
        }

        @Override
        public void lock() {
            if (!bucket.setIfAbsent("me", Duration.ofSeconds(30))) {
                throw new IllegalStateException("somebody has it");
            }
        }

        @Override
        public void unlock() {
            script.eval(RScript.Mode.READ_WRITE, COMPARE_AND_DELETE, RScript.ReturnType.LONG, List.of("bare"), "me");
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }
}
