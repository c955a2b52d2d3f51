package baton.peers;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one trial per process, so that no trial uses another's tables, connections or compiled code. Prints one JSON object. */
@Command(name = "peers", mixinStandardHelpOptions = true)
public final class Main implements Callable<Integer> {
    private static final Gson JSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private static final Map<String, List<String>> SETTINGS = Map.of(
            "quartz", List.copyOf(QuartzPeer.Settings.BY_NAME.keySet()),
            "db-scheduler", List.copyOf(DbSchedulerPeer.Settings.BY_NAME.keySet()));

    @Option(names = "--mysql", description = "mysql://user:password@host:port; the user may create databases")
    private URI mysql;

    @Option(names = "--database", defaultValue = "peers", description = "is made anew, and dropped at the end")
    private String databaseName;

    @Option(names = "--peer", description = "quartz or db-scheduler")
    private String peer;

    @Option(names = "--settings", description = "see --list")
    private String settings;

    @Option(names = "--load", description = "${COMPLETION-CANDIDATES}")
    private Trial.Load load;

    @Option(names = "--tasks", defaultValue = "1000", description = "each due once a second, or all at once")
    private int tasks;

    @Option(names = "--seconds", defaultValue = "15", description = "what is measured, after the warm-up")
    private int seconds;

    @Option(names = "--warm-up", defaultValue = "5", description = "seconds")
    private int warmUp;

    @Option(names = "--payload", defaultValue = "256", description = "bytes")
    private int payload;

    @Option(names = "--herd-limit", defaultValue = "150", description = "seconds after which a herd is given up")
    private int herdLimit;

    @Option(names = "--list", description = "prints the settings that each peer has, and nothing else")
    private boolean list;

    @Override
    public Integer call() throws Exception {
        if (list) {
            System.out.println(JSON.toJson(SETTINGS));
            return 0;
        }
        try (Database database = new Database(mysql, databaseName)) {
            Counters.enable(database);
            JsonObject result = new JsonObject();
            result.addProperty("peer", peer);
            result.addProperty("settings", settings);
            try (Peer measured = make(database)) {
                Trial trial = new Trial(load, tasks, seconds, warmUp, payload, herdLimit);
                trial.run(database, measured).entrySet().forEach(entry -> result.add(entry.getKey(), entry.getValue()));
                result.addProperty("described", measured.describe());
            }
            System.out.println(JSON.toJson(result));
        }
        return 0;
    }

    private Peer make(Database database) {
        return switch (peer) {
            case "quartz" -> new QuartzPeer(database, known(QuartzPeer.Settings.BY_NAME));
            case "db-scheduler" -> new DbSchedulerPeer(database, known(DbSchedulerPeer.Settings.BY_NAME));
            default -> throw new IllegalArgumentException("no peer " + peer);
        };
    }

    private <T> T known(Map<String, T> byName) {
        if (!byName.containsKey(settings)) {
            throw new IllegalArgumentException(peer + " has no settings " + settings + ", but " + byName.keySet());
        }
        return byName.get(settings);
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).setExecutionExceptionHandler(Main::tell).execute(arguments));
    }

    private static int tell(Exception failure, CommandLine command, CommandLine.ParseResult result) {
        if (failure instanceof IllegalArgumentException || failure instanceof IllegalStateException) {
            System.err.println("peers: " + failure.getMessage());
        } else {
            failure.printStackTrace();
        }
        return 1;
    }
}
