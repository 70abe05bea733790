package files

// withoutWaiting is nothing here: regular files are opened without waiting for another process.
const withoutWaiting = 0

func noReader(error) bool { return false }
