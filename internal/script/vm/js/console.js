let group = ''
const counts = new Map()
const clocks = new Map()

let silent = false // the run has shown all that it may

function log(level, text) {
  if (group !== '') text = group + text.replaceAll('\n', '\n' + group)
  silent = !native.output('console', level, text, '')
}

const console = {
  log: (...args) => log('log', silent ? '' : format(...args)),
  info: (...args) => log('info', silent ? '' : format(...args)),
  warn: (...args) => log('warn', silent ? '' : format(...args)),
  error: (...args) => log('error', silent ? '' : format(...args)),
  debug: (...args) => log('debug', silent ? '' : format(...args)),
  dir: (v, options) => log('log', inspect(v, { depth: options && options.depth === null ? 20 : options && options.depth || most.depth })),
  trace: (...args) => log('error', ('Trace: ' + format(...args)).trimEnd() + '\n' + native.codeFrames(here())),
  assert(ok, ...args) {
    if (!ok) log('error', args.length === 0 ? 'Assertion failed' : typeof args[0] === 'string' ? format('Assertion failed: ' + args[0], ...args.slice(1)) : format('Assertion failed', ...args))
  },
  count(label = 'default') {
    counts.set(String(label), (counts.get(String(label)) || 0) + 1)
    log('log', label + ': ' + counts.get(String(label)))
  },
  countReset(label = 'default') {
    counts.set(String(label), 0)
  },
  time(label = 'default') {
    clocks.set(String(label), native.now())
  },
  timeLog(label = 'default', ...args) {
    if (!clocks.has(String(label))) return log('warn', "No such label '" + label + "' for console.timeLog()")
    log('log', format(label + ': ' + (native.now() - clocks.get(String(label))).toFixed(3) + 'ms', ...args))
  },
  timeEnd(label = 'default') {
    if (!clocks.has(String(label))) return log('warn', "No such label '" + label + "' for console.timeEnd()")
    log('log', label + ': ' + (native.now() - clocks.get(String(label))).toFixed(3) + 'ms')
    clocks.delete(String(label))
  },
  group(...args) {
    if (args.length > 0) console.log(...args)
    if (group.length < 80) group += '  '
  },
  groupEnd() {
    group = group.slice(2)
  },
  table(data, columns) {
    log('log', typeof data === 'object' && data !== null ? table(data, columns) : format(data))
  },
  clear() {},
}
console.groupCollapsed = console.group
console.dirxml = console.log

function table(data, only) {
  const cell = (v) => inspect(v, { depth: typeof v === 'object' && v !== null ? 0 : 1 })
  const entries = kindOf(data) === 'Map' ? [...data] : kindOf(data) === 'Set' ? [...data].map((v, i) => [i, v]) : Object.keys(data).map((k) => [k, data[k]])
  const columns = []
  let values = false
  const rows = entries.slice(0, 1000).map(([index, v]) => {
    const row = { index: String(index), cells: new Map() }
    if (typeof v === 'object' && v !== null) {
      for (const key of Object.keys(v)) {
        if (Array.isArray(only) && !only.includes(key)) continue
        if (!columns.includes(key) && columns.length < 50) columns.push(key)
        row.cells.set(key, cell(v[key]))
      }
    } else {
      values = true
      row.value = cell(v)
    }
    return row
  })
  if (Array.isArray(only)) columns.splice(0, columns.length, ...only.map(String))
  const head = ['(index)', ...columns, ...(values ? ['Values'] : [])]
  const lines = rows.map((r) => [r.index, ...columns.map((c) => r.cells.get(c) || ''), ...(values ? [r.value || ''] : [])])
  const widths = head.map((h, i) => Math.max(h.length, ...lines.map((l) => l[i].length)) + 2)
  const rule = (l, m, r) => l + widths.map((w) => '─'.repeat(w)).join(m) + r
  const line = (cells) => '│' + cells.map((c, i) => (' ' + c).padEnd(widths[i])).join('│') + '│'
  return [rule('┌', '┬', '┐'), line(head), rule('├', '┼', '┤'), ...lines.map(line), rule('└', '┴', '┘')].join('\n')
}
