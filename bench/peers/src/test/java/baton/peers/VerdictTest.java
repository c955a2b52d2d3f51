package baton.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private final Instant begin = Instant.now().minusSeconds(3600).truncatedTo(java.time.temporal.ChronoUnit.MILLIS);
    private final Schedule schedule = new Schedule(2, begin, Duration.ofSeconds(1), true);
    private final Journal journal = new Journal(10);

    private Verdict verdict(int fromSecond, int toSecond) {
        return Verdict.of(schedule, journal, begin.plusSeconds(fromSecond), begin.plusSeconds(toSecond));
    }

    @Test
    void whatWasDueInTheWindowAndNeverStartedIsMissed() {
        journal.started(0, begin);
        journal.started(1, begin.plusMillis(500));
        journal.started(1, begin.plusMillis(1500));
        assertEquals(4, verdict(0, 2).due());
        assertEquals(1, verdict(0, 2).missed());
        assertEquals(0, verdict(0, 1).missed());
    }

    @Test
    void aSecondStartForTheSameInstantIsDoubledAndNotAnotherInstant() {
        journal.started(0, begin);
        journal.started(0, begin);
        journal.started(0, begin.plusSeconds(1));
        assertEquals(1, verdict(0, 2).doubled());
        assertEquals(2, verdict(0, 2).missed());
    }

    @Test
    void aStartBeforeItsInstantIsEarlyAndHasANegativeLag() {
        Schedule later = schedule.beginningAt(begin.plusSeconds(7200));
        journal.started(0, later.begin());
        Verdict verdict = Verdict.of(later, journal, later.begin(), later.begin().plusSeconds(1));
        assertEquals(1, verdict.early());
        assertEquals(-3600_000, verdict.lag(0.5), 10_000);
    }

    @Test
    void lagIsTheNearestRank() {
        for (int i = 0; i < 4; ++i) {
            journal.started(0, begin.plusSeconds(i));
        }
        assertEquals(verdict(0, 4).lags()[1], verdict(0, 4).lag(0.5));
        assertEquals(verdict(0, 4).lags()[3], verdict(0, 4).lag(0.999));
    }

    @Test
    void aStartForAnInstantThatIsNotOnTheScheduleIsAFault() {
        journal.started(0, begin.plusMillis(1));
        assertThrows(IllegalStateException.class, () -> verdict(0, 1));
    }

    @Test
    void aJournalThatOverflowedIsNotRead() {
        for (int i = 0; i <= 10; ++i) {
            journal.started(0, begin.plusSeconds(i));
        }
        assertThrows(IllegalStateException.class, () -> verdict(0, 1));
    }
}
