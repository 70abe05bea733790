package cdptest

import "time"

// Patience is how long a test waits for what must come in the end. It says
// nothing of speed (only a failing test takes that long), so it leaves room for
// a machine on which other tests hold every core: a page of six frames in five
// processes took more than ten seconds there.
const Patience = 30 * time.Second
