/** `node bench/growth/report.ts <folder> [small] [large]`: the table of what `npm run bench:growth` measured, as Markdown. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Measured } from './measure.ts'
import { sizes } from './size.ts'

type File = { left: string[]; measured: Measured[] }
type Pair = { who: string; path: string; small: Measured; large: Measured; ratio: number }

const [folder = 'data/growth', smallName = 'small', largeName = 'large'] = process.argv.slice(2)
const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
/** Smaller differences are within what repeated runs differ by. */
const leastMs = 3
const goal = 3

const read = (engine: string, size: string): File | null => {
  const path = resolve(folder, `${engine}-${size}.json`)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

/** Ids of groups follow those of users, so they differ between the sizes. */
const keyOf = ({ who, path }: Measured) => `${who} ${path.replace(/\/\d{4,}/g, '/:id')}`

function pairsOf(small: File, large: File): Pair[] {
  const others = new Map(large.measured.map((one) => [keyOf(one), one]))
  return small.measured.flatMap((one) => {
    const other = others.get(keyOf(one))
    if (!other || one.status || other.status) return []
    return [{ who: one.who, path: one.path, small: one, large: other, ratio: other.ms / one.ms }]
  })
}

const isAbove = ({ small, large, ratio }: Pair) => ratio > goal && large.ms - small.ms > leastMs
const listOf = (path: string) => path.split('?')[0]?.replace(/\/\d+(?=\/|$)/g, '/:id') ?? ''
const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))
const queryOf = (path: string) => path.split('?')[1] ?? ''
const cells = (...values: unknown[]) => `| ${values.join(' | ')} |\n`

function lineOf({ who, path, small, large, ratio }: Pair): string {
  const queries = small.queries === large.queries ? small.queries : `${small.queries} / ${large.queries}`
  return cells(`\`${path}\``, who, ms(small.ms), ms(large.ms), `${ratio.toFixed(1)}`, queries)
}

const out: string[] = []
for (const [engine, name] of Object.entries(engines)) {
  const [small, large] = [read(engine, smallName), read(engine, largeName)]
  if (!small || !large) continue
  const pairs = pairsOf(small, large)
  const above = pairs.filter(isAbove).toSorted((a, b) => b.ratio - a.ratio)
  out.push(`## ${name}\n\n`)
  out.push(
    `${pairs.length} requests of ${Map.groupBy(pairs, ({ path }) => listOf(path)).size} lists, ${above.length} above ${goal}×.\n\n`,
  )
  const header =
    cells('request', 'as', smallName, largeName, 'ratio', 'queries') + cells('---', '---', '---', '---', '---', '---')
  out.push('### Above the goal, worst first\n\n', header, ...above.slice(0, 60).map(lineOf), '\n')
  out.push('### Every list: its defaults, and the filter, order or caller with the largest ratio\n\n')
  out.push(
    cells('list', smallName, largeName, 'ratio', 'worst', smallName, largeName, 'ratio') +
      cells('---', '---', '---', '---', '---', '---', '---', '---'),
  )
  for (const [list, all] of Map.groupBy(pairs, ({ path }) => listOf(path))) {
    const plain = all.find(({ path }) => !path.includes('?'))
    const weighty = all.filter(({ small: s, large: l }) => l.ms - s.ms > leastMs)
    const worst = (weighty.length > 0 ? weighty : all).toSorted((a, b) => b.ratio - a.ratio)[0]
    if (!worst) continue
    const first = plain ? [ms(plain.small.ms), ms(plain.large.ms), plain.ratio.toFixed(1)] : ['', '', '']
    const text = `\`${queryOf(worst.path)}\` ${worst.who}`
    out.push(cells(`\`${list}\``, ...first, text, ms(worst.small.ms), ms(worst.large.ms), worst.ratio.toFixed(1)))
  }
  out.push('\n')
}
const { sqlite } = { sqlite: read('sqlite', smallName) }
if (sqlite) out.push('## Not measured\n\n', ...sqlite.left.map((text) => `- \`${text.replace(': ', '`: ')}\n`))
const size = (name: string) =>
  JSON.stringify(sizes[name as keyof typeof sizes])
    .replace(/["{}]/g, '')
    .replaceAll(',', ', ')
process.stdout.write(`# Lists of a growing instance

Processor time of one request in milliseconds, with that of the processes of PostgreSQL: the faster of two after a first one. Made by \`npm run bench:growth\` and \`bench/growth/report.ts\`. Above the goal is what takes more than ${goal} times as
long, and at least ${leastMs} ms longer.

- ${smallName}: ${size(smallName)}
- ${largeName}: ${size(largeName)}

The person has these memberships and owns the project and the group that have half of everything; the guest has few.

${out.join('')}`)
