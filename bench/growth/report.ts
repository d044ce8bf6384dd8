/** `node bench/growth/report.ts <folder>`: what `npm run bench:growth <folder> small medium large grown` measured on both engines, as Markdown. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { About } from './main.ts'
import type { Measured } from './measure.ts'
import { type SizeName, sizes } from './size.ts'

type File = { left: string[]; measured: Measured[]; about?: About }
const sizeNames = ['small', 'medium', 'large', 'grown'] as const satisfies SizeName[]
type Reported = (typeof sizeNames)[number]
/** A request with its measurements by size. */
type Row = { path: string; who: string; list: string; isDefault: boolean; of: ReadonlyMap<Reported, Measured> }

/** The sizes that are compared, and how the second one differs. */
type Comparison = { from: Reported; to: Reported; text: string }
const comparisons: readonly Comparison[] = [
  { from: 'medium', to: 'grown', text: 'the same project, group and person, in a larger instance' },
  { from: 'medium', to: 'large', text: 'the project, the group and the person have grown with the instance' },
  { from: 'small', to: 'large', text: 'the same, from a small instance' },
]

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

/** The requests that were answered with 200 in all sizes in which they were asked, and in two of them. */
function rowsOf(engine: string): Row[] {
  const all = sizeNames.flatMap((size) => (read(engine, size)?.measured ?? []).map((one) => ({ size, one })))
  const groups = [...Map.groupBy(all, ({ one }) => keyOf(one)).values()]
  return groups.flatMap((group) => {
    const [{ one }] = group as [(typeof group)[0]]
    if (group.length < 2 || group.some((member) => member.one.status)) return []
    const path = idless(one.path)
    const [list = '', query] = path.split('?')
    const of = new Map(group.map((member) => [member.size, member.one]))
    return [{ path, who: one.who, list, isDefault: query === undefined, of }]
  })
}

const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))
const times = ({ of }: Row) => sizeNames.map((size) => ms(of.get(size)?.ms ?? Number.NaN).replace('NaN', '–'))
const cells = (...values: unknown[]) => `| ${values.join(' | ')} |\n`
const lineOf = (values: readonly unknown[]) => cells(...values.map(() => '---'))

/** A comparison of some rows that have both sizes. */
function compare(rows: readonly Row[], { from, to }: Comparison) {
  const known = rows.filter(({ of }) => of.has(from) && of.has(to))
  const measuredIn = (size: Reported) => (row: Row) => row.of.get(size) as Measured
  const [before, after] = [measuredIn(from), measuredIn(to)]
  const ratio = (row: Row) => after(row).ms / before(row).ms
  const isAbove = (row: Row) => ratio(row) > goal && after(row).ms - before(row).ms > leastMs
  const byRatio = (one: Row, other: Row) => ratio(other) - ratio(one)
  /** The request of each list that grows most. */
  const worst = (some: readonly Row[]) =>
    [...Map.groupBy(some, ({ list }) => list).values()].flatMap((group) => group.toSorted(byRatio).slice(0, 1))
  return { known, above: known.filter(isAbove), ratio, byRatio, worst, before, after }
}

function table(rows: readonly Row[], ratio: (row: Row) => number, last?: { name: string; of: (row: Row) => unknown }) {
  const header = ['request', 'as', ...sizeNames, 'ratio', ...(last ? [last.name] : [])]
  const lines = rows.map((row) =>
    cells(`\`${row.path}\``, row.who, ...times(row), ratio(row).toFixed(1), ...(last ? [last.of(row)] : [])),
  )
  return `${cells(...header)}${lineOf(header)}${lines.join('')}\n`
}

const shareOf = ({ known, above }: ReturnType<typeof compare>) => `${known.length - above.length} of ${known.length}`

function partOf(rows: readonly Row[], comparison: Comparison): string {
  const defaults = compare(
    rows.filter(({ isDefault }) => isDefault),
    comparison,
  )
  const filtered = compare(
    rows.filter(({ isDefault }) => !isDefault),
    comparison,
  )
  const of = Map.groupBy(filtered.known, ({ list }) => list)
  const missed = Map.groupBy(filtered.above, ({ list }) => list)
  const worst = filtered.worst(filtered.above).toSorted(filtered.byRatio)
  const share = (list: string) => `${missed.get(list)?.length} of ${of.get(list)?.length}`
  const { from, to, text } = comparison
  const parts = [
    `### ${to} against ${from}: ${text}\n\n`,
    `Within ${goal}×: ${shareOf(defaults)} defaults, ${shareOf(filtered)} filters and orders.\n\n`,
    ...(defaults.above.length === 0
      ? []
      : [
          'Lists whose defaults are above, each as the caller for whom it grows most:\n\n',
          table(defaults.worst(defaults.above).toSorted(defaults.byRatio), defaults.ratio),
        ]),
    ...(worst.length === 0
      ? []
      : [
          `Filters and orders above are those of ${worst.length} lists. The worst of each, of the ${mostFilters} that grow most:\n\n`,
          table(worst.slice(0, mostFilters), filtered.ratio, { name: 'above', of: ({ list }) => share(list) }),
        ]),
  ]
  return parts.join('')
}

/** All lists with their defaults, three in a line, each as the caller for whom it grows most. */
function listsOf(rows: readonly Row[]): string {
  const { known, worst, byRatio } = compare(
    rows.filter(({ isDefault }) => isDefault),
    { from: 'small', to: 'large', text: '' },
  )
  const header = ['list', 'ms', 'list', 'ms', 'list', 'ms']
  const texts = worst(known)
    .toSorted(byRatio)
    .map((row) => [`\`${row.list}\``, times(row).join(' · ')])
  const third = Math.ceil(texts.length / 3)
  const lines = texts
    .slice(0, third)
    .map((one, at) => cells(...one, ...(texts[third + at] ?? ['', '']), ...(texts[2 * third + at] ?? ['', ''])))
  return `${cells(...header)}${lineOf(header)}${lines.join('')}\n`
}

/** Lists that ask the database more often in a larger instance. */
function growingQueries(rows: readonly Row[]): string {
  const { known, worst, before, after } = compare(rows, { from: 'small', to: 'large', text: '' })
  const growing = worst(known.filter((row) => before(row).queries < after(row).queries)).slice(0, 12)
  const texts = growing.map((row) => `\`${row.path}\` (${before(row).queries}, ${after(row).queries})`)
  return texts.length === 0 ? 'none' : texts.join(', ')
}

function sectionOf(engine: keyof typeof engines): string {
  const rows = rowsOf(engine)
  if (rows.length === 0) return ''
  const failed = sizeNames.flatMap((size) =>
    (read(engine, size)?.measured ?? []).filter(({ status = 0 }) => status >= 500),
  )
  return `## ${engines[engine]}

Answers of 500: ${failed.length}. More queries in the large instance than in the small one, at most twelve: ${growingQueries(rows)}.

${comparisons.map((comparison) => partOf(rows, comparison)).join('')}### All lists

Defaults with their times in the four sizes, each as the caller for whom it grows most.

${listsOf(rows)}`
}

const about = read('sqlite', 'large')?.about ?? read('postgres', 'large')?.about
const size = (name: SizeName) => JSON.stringify(sizes[name]).replace(/["{}]/g, '').replaceAll(',', ', ')
const left = Map.groupBy(read('sqlite', 'large')?.left ?? [], (text) => text.split(': ')[1] ?? '')
process.stdout.write(`# Lists of a growing instance

Processor time of one request in milliseconds, with that of the processes of PostgreSQL: the faster of two after a first one, in a
server in the process that asks. Made by \`npm run bench:growth <folder> ${sizeNames.join(' ')}\` on both engines and
\`bench/growth/report.ts\`. A request is above the goal when it takes more than ${goal} times as long as in the smaller instance, and at
least ${leastMs} ms longer. ${about ? `Commit ${about.commit}; ${about.machine}; load ${about.load}.` : ''}

${sizeNames.map((name) => `- ${name}: ${size(name)}`).join('\n')}

The person has these memberships and owns the project and the group that have half of everything, in \`grown\` half of what is in
\`medium\`; the guest has few. A discussion, the links of an issue and the issues that a merge closes are answered whole, or named by
texts: they are at most 100 in each size. A dash stands for a size in which a request was not asked.

${(Object.keys(engines) as (keyof typeof engines)[]).map(sectionOf).join('\n')}
Not measured: lists that read a repository (${left.get('reads a repository')?.length ?? 0}), and those that are not in tables that grow
(${left.get('not in tables that grow')?.length ?? 0}).
`)
