package cdptest

import "time"

// Timeout is how long a test waits for an event that must happen. It is no
// measure of speed (only a failing test takes that long), so it allows for a
// machine on which other tests use every core: a page of six frames in five
// processes took more than ten seconds there.
const Timeout = 30 * time.Second
