#!/usr/bin/env node
// Runs the program of this platform's package. install.js puts the program itself in the place of this file where it may.
'use strict'
const { spawnSync } = require('node:child_process')
const { constants } = require('node:os')

const name = `@usher-browser/${process.platform}-${process.arch}`
const program = `${name}/bin/usher${process.platform === 'win32' ? '.exe' : ''}`
let path
try {
  path = require.resolve(program)
} catch {
  console.error(`usher: the package ${name} is not installed. Install usher-browser again without --omit=optional; if there is no such package for this platform, build usher from source.`)
  process.exit(1)
}
// Ctrl-C goes to the whole process group; the program decides what it means.
process.on('SIGINT', () => {})
const run = spawnSync(path, process.argv.slice(2), { stdio: 'inherit', argv0: 'usher' })
if (run.error) {
  console.error(`usher: ${path} cannot be started: ${run.error.message}`)
  process.exit(1)
}
process.exit(run.signal ? 128 + constants.signals[run.signal] : run.status)
