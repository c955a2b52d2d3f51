package baton.lockpeers;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One trial a process, with the options and the answer of bench/lock_turns. Prints one JSON object. */
@Command(name = "lock-peers", mixinStandardHelpOptions = true)
public final class Main implements Callable<Integer> {
    enum Load { free, turns, handover }

    @Option(names = "--server", required = true, description = "redis://host:port or zookeeper://host:port")
    private String server;

    @Option(names = "--product", required = true,
            description = "redisson, redisson-fair, redisson-bare, curator, curator-bare")
    private String product;

    @Option(names = "--load", required = true, description = "${COMPLETION-CANDIDATES}")
    private Load load;

    @Option(names = "--contenders", defaultValue = "1", description = "each with a thread and a client of its own")
    private int contenders;

    @Option(names = "--seconds", defaultValue = "3", description = "of the loads free and turns")
    private double seconds;

    @Option(names = "--warm-up", defaultValue = "3", description = "seconds before, of the same")
    private double warmUp;

    @Option(names = "--hand-overs", defaultValue = "200", description = "of the load handover")
    private int handOvers;

    @Override
    public Integer call() throws Exception {
        List<Contender> all = new ArrayList<>();
        try {
            for (int i = 0; i < contenders; ++i) {
                all.add(make());
            }
            System.out.println(new Gson().toJson(measure(all)));
        } finally {
            for (Contender each : all) {
                each.close();
            }
        }
        return 0;
    }

    private Contender make() {
        return switch (product) {
            case "redisson" -> new RedissonContender(server, client -> client.getLock("turns"));
            case "redisson-fair" -> new RedissonContender(server, client -> client.getFairLock("fair-turns"));
            case "redisson-bare" -> new RedissonContender.Bare(server);
            case "curator" -> new CuratorContender(server);
            case "curator-bare" -> new CuratorContender.Bare(server);
            default -> throw new IllegalArgumentException("no product " + product);
        };
    }

    private JsonObject measure(List<Contender> all) throws Exception {
        JsonObject figures = new JsonObject();
        try (Loads loads = new Loads(all)) {
            switch (load) {
                case free -> {
                    loads.pairs(warmUp);
                    addTimes(figures, "pair_us", loads.pairs(seconds), 1e3);
                }
                case turns -> {
                    loads.turns(warmUp);
                    int[] grants = loads.turns(seconds);
                    figures.addProperty("grants_per_s", Arrays.stream(grants).sum() / seconds);
                    figures.addProperty("fewest", Arrays.stream(grants).min().orElseThrow());
                    figures.addProperty("most", Arrays.stream(grants).max().orElseThrow());
                }
                case handover -> {
                    loads.turns(warmUp);
                    addTimes(figures, "hand_over_ms", loads.handOvers(handOvers), 1e6);
                }
                default -> throw new IllegalStateException();
            }
            figures.addProperty("overlaps", loads.overlaps());
        }
        return figures;
    }

    private static void addTimes(JsonObject to, String name, long[] nanos, double unit) {
        JsonObject times = new JsonObject();
        times.addProperty("p50", quantile(nanos, 0.5) / unit);
        times.addProperty("p99", quantile(nanos, 0.99) / unit);
        times.addProperty("count", nanos.length);
        to.add(name, times);
    }

    /** The value that this share of all does not exceed. */
    private static long quantile(long[] ascending, double share) {
        return ascending[Math.max(0, (int) Math.ceil(share * ascending.length) - 1)];
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }
}
