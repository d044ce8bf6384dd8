/**
 * `npm run mutate <file or folder>… [-- options]`: changes the conditions, limits, statuses, set operations and orders of source
 * files one at a time, runs the tests of their module on SQLite, and prints the changes that none of them noticed.
 * `npm run mutate rules [<module>…]`: the files of `goal.ts`, or those of some modules; fails below its goal.
 *
 * `--tests <file or folder>`: these as well. `--lines 10-20`: only these lines. `--sample 100`: so many changes, evenly spread.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { isAccepted } from './accepted.ts'
import { goal, goalPercent, type Target } from './goal.ts'
import { instrument, type Mutant } from './instrument.ts'
import { judge, type Verdict } from './judge.ts'

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'string', multiple: true, default: [] },
    lines: { type: 'string' },
    sample: { type: 'string' },
  },
})
if (positionals.length === 0) throw new Error('Usage: npm run mutate <file or folder>…, or npm run mutate rules')

const isFolder = (path: string) => statSync(path).isDirectory()
const within = (path: string, pattern: string) => (isFolder(path) ? globSync(`${path}/${pattern}`).sort() : [path])

/** The folder of the module, or of the part of a floor, whose tests are run. */
function homeOf(file: string): string {
  const [, home] = /^(src\/(?:modules|platform|infra|api)\/[^/]+)\//.exec(file) ?? []
  return home ?? file.slice(0, file.lastIndexOf('/'))
}

function targetsOf(paths: readonly string[]): Target[] {
  const [first, ...modules] = paths
  if (first !== 'rules') return paths.map((path) => ({ sources: within(path, '**/*.ts'), tests: values.tests }))
  const isWanted = ({ sources }: Target) =>
    modules.length === 0 || modules.some((name) => sources[0]?.startsWith(`src/modules/${name}/`))
  return goal.filter(isWanted)
}

const isSource = (file: string) => !/\.test\.ts$|-testing\.ts$|\/testing\//.test(file)
const describe = ({ file, line, original, changed }: Mutant) => `${file}:${line}  ${original}  →  ${changed}`

/** So many of the items, evenly spread. */
function sampled<Item>(items: readonly Item[], wanted: number): Item[] {
  if (items.length <= wanted) return [...items]
  return Array.from({ length: wanted }, (_, index) => items[Math.floor((index * items.length) / wanted)] as Item)
}

function isWanted({ line }: Mutant): boolean {
  const [first, last = first] = values.lines?.split('-').map(Number) ?? []
  return first === undefined || last === undefined || (line >= first && line <= last)
}

/** Judges the changes of one target. */
async function judgeTarget({ sources, tests }: Target): Promise<Verdict[]> {
  const files = sources.flatMap((path) => globSync(path).sort()).filter(isSource)
  const texts: Record<string, string> = {}
  const all: Mutant[] = []
  for (const file of files) {
    const { text, mutants } = instrument(file, readFileSync(file, 'utf8'), all.length + 1)
    texts[pathToFileURL(resolve(file)).href] = text
    all.push(...mutants)
  }
  const wanted = all.filter((mutant) => isWanted(mutant) && !isAccepted(mutant))
  const mutants = values.sample ? sampled(wanted, Number(values.sample)) : wanted
  const homes = new Set(files.map(homeOf))
  const testFiles = new Set([...homes, ...tests].flatMap((path) => within(path, '**/*.test.ts')))
  const folder = mkdtempSync(join(tmpdir(), 'fennec-mutate-'))
  const mutated = join(folder, 'texts.json')
  writeFileSync(mutated, JSON.stringify(texts))
  try {
    return await judge({ mutants, tests: [...testFiles].map((file) => resolve(file)), mutated, log: progress })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function progress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`)
}

function report(name: string, verdicts: readonly Verdict[]): number {
  const noticed = verdicts.filter(({ outcome }) => outcome === 'noticed').length
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K')
  for (const { mutant, outcome } of verdicts) {
    if (outcome !== 'noticed') process.stdout.write(`${outcome}: ${describe(mutant)}\n`)
  }
  const percent = verdicts.length === 0 ? 100 : (100 * noticed) / verdicts.length
  process.stdout.write(`${name}: ${noticed} of ${verdicts.length} changes noticed, ${percent.toFixed(1)} %\n\n`)
  return percent
}

// So that the processes of a round end with this one (`rounds.ts`).
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const everything: Verdict[] = []
for (const target of targetsOf(positionals)) {
  const verdicts = await judgeTarget(target)
  everything.push(...verdicts)
  report(target.sources.length > 3 ? `${target.sources[0]} and others` : target.sources.join(', '), verdicts)
}
const percent = report('All', everything)
if (positionals[0] === 'rules' && percent < goalPercent) process.exitCode = 1
