/** How long the server may send nothing before it is asked, and how long its answer may take. Together ten seconds. */
const quietFor = 5000;
const patience = 5000;

interface Ways {
  /** Asks the server; it ends when the server answers anything at all, and fails otherwise. */
  ask: () => Promise<void>;
  /** Since when the server does not answer; null once it does. */
  tell: (since: number | null) => void;
}

/**
 * Detects a server that does not answer although its connection is open, such as one on a machine that hangs: an idle stream looks
 * the same. The time counts from the question, so a page that slept does not take its own sleep for silence.
 */
export class SilenceWatch {
  private heardAt = 0;
  private askedAt: number | null = null;
  private asking = false;

  constructor(private readonly ways: Ways) {}

  /** The server has sent something. */
  heard(now: number): void {
    this.heardAt = now;
    this.askedAt = null;
    this.ways.tell(null);
  }

  /** To be called every second or two. */
  tick(now: number): void {
    if (now - this.heardAt < quietFor) return;
    if (!this.asking) void this.ask(now);
    if (this.askedAt !== null && now - this.askedAt >= patience) this.ways.tell(this.askedAt);
  }

  private async ask(now: number): Promise<void> {
    this.asking = true;
    this.askedAt ??= now;
    try {
      await this.ways.ask();
    } catch {
      // The next tick asks again.
    } finally {
      this.asking = false;
    }
  }
}
