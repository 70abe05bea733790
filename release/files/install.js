// Puts the program in the place of its launcher, so that a command does not start Node first. Without this the launcher works, too.
'use strict'
const { copyFileSync, chmodSync, linkSync, renameSync, rmSync } = require('node:fs')
const { join } = require('node:path')

// On Windows npm writes a script for the launcher that starts Node.
if (process.platform !== 'win32') {
  const bin = join(__dirname, 'bin', 'usher')
  const fresh = `${bin}.new`
  try {
    const program = require.resolve(`@usher-browser/${process.platform}-${process.arch}/bin/usher`)
    rmSync(fresh, { force: true })
    try {
      linkSync(program, fresh)
    } catch {
      copyFileSync(program, fresh) // another file system
    }
    chmodSync(fresh, 0o755)
    renameSync(fresh, bin)
  } catch (err) {
    console.warn(`usher: the launcher is kept: ${err.message}`)
  }
}
