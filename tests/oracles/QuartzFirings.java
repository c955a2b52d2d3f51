// Answers the lines of tests/oracles/firings.cpp by Quartz's CronExpression.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Date;
import java.util.TimeZone;
import org.quartz.CronExpression;

public class QuartzFirings {
    public static void main(String[] args) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in));
        var out = new PrintStream(System.out, false);
        for (String line; (line = in.readLine()) != null;)
            out.println(answer(line.split("\t")));
        out.flush();
    }

    static String answer(String[] asked) {
        CronExpression expression;
        try {
            expression = new CronExpression(asked[1]);
        } catch (Exception wrong) {
            return "refused: " + String.valueOf(wrong.getMessage()).replace('\n', ' ');
        }
        expression.setTimeZone(TimeZone.getTimeZone(asked[2]));
        long until = Long.parseLong(asked[4]) * 1000;
        long limit = Long.parseLong(asked[5]);
        var text = new StringBuilder();
        try {
            var at = expression.getTimeAfter(new Date(Long.parseLong(asked[3]) * 1000 - 1000));
            for (; at != null && at.getTime() < until && limit > 0; limit--) {
                text.append(text.length() == 0 ? "" : " ").append(at.getTime() / 1000);
                at = expression.getTimeAfter(at);
            }
        } catch (RuntimeException failure) {
            return "failed: " + failure;
        }
        return text.toString();
    }
}
