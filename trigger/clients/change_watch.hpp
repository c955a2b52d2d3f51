#pragma once

#include "libs/base/time.hpp"

namespace baton::trigger {

// Decides when the changes of the table of clients must be read. Other statements see the time of the table's last
// change, and a note of that saves a reading while nothing changes. Pure.
class change_watch {
public:
    // Another statement, sent at `asked`, has seen the time of the table's last change and the database's time. True if
    // the table must be read at once, because it has changed after a quiet time.
    bool note(utc_time last_change, utc_time now, instant asked);
    // The last note said that nothing has changed, and is not older than a note may be.
    bool unchanged(instant now) const;

    // The table has changed since the last note: it must be read.
    void doubt() { quiet_ = false; }

    // The table was read up to `until`, the database's time, by a statement sent at `asked`.
    void was_read(utc_time until, instant asked);
    bool begun() const { return begun_; }
    utc_time from() const; // changes since then must be read
    // All changes before this time are known.
    instant read_at() const { return read_at_; }

private:
    bool begun_ = false;
    bool quiet_ = false; // by the last note
    utc_time read_until_{};
    instant read_at_{};
};

} // namespace baton::trigger
