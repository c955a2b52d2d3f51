package baton.lockpeers;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.CreateMode;

/** Curator's mutex with the defaults of its client, and the two writes that such a lock cannot do without. */
final class CuratorContender implements Contender {
    private final CuratorFramework client;
    private final InterProcessMutex mutex;

    CuratorContender(String server) {
        client = connect(server);
        mutex = new InterProcessMutex(client, "/curator/turns");
    }

    private static CuratorFramework connect(String server) {
        String hosts = server.substring(server.indexOf("//") + 2);
        CuratorFramework made = CuratorFrameworkFactory.newClient(hosts, new ExponentialBackoffRetry(1000, 3));
        made.start();
        return made;
    }

    @Override
    public void lock() throws Exception {
        mutex.acquire();
    }

    @Override
    public void unlock() throws Exception {
        mutex.release();
    }

    @Override
    public void close() {
        client.close();
    }

    static final class Bare implements Contender {
        private final CuratorFramework client;
        private String node;

        Bare(String server) {
            client = connect(server);
        }

        @Override
        public void lock() throws Exception {
            node = client.create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath("/bare/turn-");
        }

        @Override
        public void unlock() throws Exception {
            client.delete().forPath(node);
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
