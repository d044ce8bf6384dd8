/** `node bench/growth/report.ts <folder>`: what `npm run bench:growth <folder> small medium large` measured on both engines, as Markdown. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { About } from './main.ts'
import type { Measured } from './measure.ts'
import { type SizeName, sizes } from './size.ts'

type File = { left: string[]; measured: Measured[]; about?: About }
const sizeNames = ['small', 'medium', 'large'] as const satisfies SizeName[]
type Times = { small: Measured; medium?: Measured | undefined; large: Measured }
/** A request in the three sizes. */
type Row = Times & { path: string; who: string; list: string; isDefault: boolean; ratio: number }

const [folder = 'data/growth'] = process.argv.slice(2)
const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
/** Smaller differences are within what repeated runs differ by. */
const leastMs = 3
const goal = 3
const mostFilters = 30

const read = (engine: string, size: string): File | null => {
  const path = resolve(folder, `${engine}-${size}.json`)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

/** Ids of groups follow those of users, so they differ between the sizes. */
const idless = (path: string) => path.replace(/\/\d{4,}/g, '/:id')
const keyOf = ({ who, path }: Measured) => `${who} ${idless(path)}`
const isAbove = (one: Measured, other: Measured) => one.ms > goal * other.ms && one.ms - other.ms > leastMs

function rowsOf(engine: string): Row[] {
  const [small, ...others] = sizeNames.map((size) => read(engine, size)?.measured ?? [])
  const byKey = others.map((measured) => new Map(measured.map((one) => [keyOf(one), one])))
  return (small ?? []).flatMap((one) => {
    const [medium, large] = byKey.map((map) => map.get(keyOf(one)))
    if (!large || one.status || large.status) return []
    const path = idless(one.path)
    const [list = '', query] = path.split('?')
    const times = { small: one, medium, large }
    return [{ ...times, path, who: one.who, list, isDefault: query === undefined, ratio: large.ms / one.ms }]
  })
}

const isMissed = ({ small, large }: Times) => isAbove(large, small)
const byRatio = (a: Row, b: Row) => b.ratio - a.ratio
const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))
const times = (row: Row) => sizeNames.map((size) => (row[size] ? ms(row[size].ms) : '–'))
const cells = (...values: unknown[]) => `| ${values.join(' | ')} |\n`
const lineOf = (values: readonly unknown[]) => cells(...values.map(() => '---'))
const queriesOf = ({ small, large }: Row) =>
  small.queries === large.queries ? small.queries : `${small.queries} / ${large.queries}`

function table(rows: readonly Row[], last: (row: Row) => unknown = queriesOf, name = 'queries'): string {
  const header = ['request', 'as', ...sizeNames, 'ratio', name]
  const lines = rows.map((row) => cells(`\`${row.path}\``, row.who, ...times(row), row.ratio.toFixed(1), last(row)))
  return `${cells(...header)}${lineOf(header)}${lines.join('')}\n`
}

/** The caller of each list for whom it grows most. */
function worstOfEach(rows: readonly Row[]): Row[] {
  const groups = [...Map.groupBy(rows, ({ list }) => list).values()]
  const weighty = (all: readonly Row[]) => all.filter(({ small, large }) => large.ms - small.ms > leastMs)
  return groups.flatMap((all) => (weighty(all).length > 0 ? weighty(all) : all).toSorted(byRatio).slice(0, 1))
}

function share(rows: readonly Row[]): string {
  const within = (from: 'small' | 'medium') => {
    const known = rows.flatMap((row) => (row[from] ? [{ large: row.large, other: row[from] }] : []))
    return known.length === 0
      ? 'none asked'
      : `${known.filter(({ large, other }) => !isAbove(large, other)).length} of ${known.length}`
  }
  return `${within('small')} within ${goal}× of small, ${within('medium')} within ${goal}× of medium`
}

/** The lists that reach the goal, three in a line. */
function reached(rows: readonly Row[]): string {
  const header = ['list', 'ms', 'list', 'ms', 'list', 'ms']
  const texts = rows.toSorted(byRatio).map((row) => [`\`${row.list}\``, times(row).join(' · ')])
  const third = Math.ceil(texts.length / 3)
  const lines = texts
    .slice(0, third)
    .map((one, at) => cells(...one, ...(texts[third + at] ?? ['', '']), ...(texts[2 * third + at] ?? ['', ''])))
  return `${cells(...header)}${lineOf(header)}${lines.join('')}\n`
}

function sectionOf(engine: keyof typeof engines): string {
  const rows = rowsOf(engine)
  if (rows.length === 0) return ''
  const [defaults, filtered] = [rows.filter(({ isDefault }) => isDefault), rows.filter(({ isDefault }) => !isDefault)]
  const missed = Map.groupBy(filtered.filter(isMissed), ({ list }) => list)
  const worst = worstOfEach([...missed.values()].flat()).toSorted(byRatio)
  const ofList = (list: string) =>
    `${missed.get(list)?.length} of ${filtered.filter((row) => row.list === list).length}`
  const lists = worstOfEach(defaults)
  const growing = rows.filter(({ small, large }) => small.queries < large.queries)
  const failed = sizeNames.flatMap((size) =>
    (read(engine, size)?.measured ?? []).filter(({ status = 0 }) => status >= 500),
  )
  return `## ${engines[engine]}

Defaults: ${share(defaults)}. Filters and orders: ${share(filtered)}. Answers of 500: ${failed.length}.

Lists whose defaults are above the goal, each as the caller for whom it grows most:

${table(lists.filter(isMissed).toSorted(byRatio))}
Filters and orders above the goal are those of ${worst.length} lists; the worst of each, with how many of its filters and orders are above, of the ${mostFilters} that grow most:

${table(worst.slice(0, mostFilters), ({ list }) => ofList(list), 'above')}
More queries in the large instance than in the small one: ${
    growing.length === 0
      ? 'none'
      : worstOfEach(growing)
          .map(({ path, small, large }) => `\`${path}\` (${small.queries}, ${large.queries})`)
          .slice(0, 12)
          .join(', ')
  }.

Lists whose defaults reach the goal, with their times in the three sizes:

${reached(lists.filter((row) => !isMissed(row)))}`
}

const about = read('sqlite', 'large')?.about ?? read('postgres', 'large')?.about
const size = (name: SizeName) => JSON.stringify(sizes[name]).replace(/["{}]/g, '').replaceAll(',', ', ')
const left = Map.groupBy(read('sqlite', 'large')?.left ?? [], (text) => text.split(': ')[1] ?? '')
process.stdout.write(`# Lists of a growing instance

Processor time of one request in milliseconds, with that of the processes of PostgreSQL: the faster of two after a first one, in a
server in the process that asks. Made by \`npm run bench:growth <folder> small medium large\` on both engines and
\`bench/growth/report.ts\`. A list is above the goal when it takes more than ${goal} times as long as in the small instance, and at least
${leastMs} ms longer. ${about ? `Commit ${about.commit}; ${about.machine}; load ${about.load}, so times are up to twice those of a quiet machine.` : ''}

${sizeNames.map((name) => `- ${name}: ${size(name)}`).join('\n')}

The person has these memberships and owns the project and the group that have half of everything; the guest has few. A discussion, the
links of an issue and the issues that a merge closes are answered whole, or named by texts: they are at most 100 in each size. Of
what was asked in one size only there is no ratio; a dash stands for a size in which a request was not asked.

${(Object.keys(engines) as (keyof typeof engines)[]).map(sectionOf).join('\n')}
Not measured: lists that read a repository (${left.get('reads a repository')?.length ?? 0}), and those that are not in tables that grow
(${left.get('not in tables that grow')?.length ?? 0}).
`)
