/** What `npm test` makes of the reports of both engines, and what `npm start` finds on a fresh clone. */
import { copyFile, mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../src/testing/index.ts'

type Outcome = { passed: number; failed: number; skipped: number; lines: string[] }
type Run = { status: number; report?: object }

const script = new URL('../scripts/results.mjs', import.meta.url)
const { outcomeOf, outcomesOf, sumOf, totalsLine } = (await import(script.href)) as {
  outcomeOf(run: Run, options: { engine: string; hasFilter: boolean }): Outcome
  outcomesOf(
    run: { status: number; reports: Record<string, object> },
    options: { engines: string[]; hasFilter: boolean },
  ): Outcome[]
  sumOf(outcomes: Outcome[]): Omit<Outcome, 'lines'>
  totalsLine(totals: Omit<Outcome, 'lines'>): string
}

function report(statuses: string[]) {
  const count = (status: string) => statuses.filter((one) => one === status).length
  const assertionResults = statuses.map((status, index) => ({ status, fullName: `test ${index}` }))
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    testResults:
      statuses.length > 0 ? [{ name: new URL('a.test.ts', import.meta.url).pathname, assertionResults }] : [],
  }
}

const outcome = (statuses: string[], { status = 0, hasFilter = false } = {}) =>
  outcomeOf({ status, report: report(statuses) }, { engine: 'sqlite', hasFilter })

describe('a run on one engine', () => {
  test('counts its tests and names the skipped ones', () => {
    expect(outcome(['passed', 'passed', 'skipped', 'todo'])).toEqual({
      passed: 2,
      failed: 0,
      skipped: 2,
      lines: ['Skipped: tests/a.test.ts: test 2', 'Skipped: tests/a.test.ts: test 3'],
    })
    expect(outcome(['passed', 'failed'], { status: 1 })).toMatchObject({ passed: 1, failed: 1 })
  })

  test('fails when something outside the tests failed', () => {
    expect(outcome(['passed'], { status: 1 })).toMatchObject({ passed: 1, failed: 1 })
    expect(outcomeOf({ status: 1 }, { engine: 'sqlite', hasFilter: false })).toMatchObject({ passed: 0, failed: 1 })
  })

  test('fails when no test ran, also when all were skipped', () => {
    expect(outcome([])).toMatchObject({ failed: 1, lines: ['No test ran on sqlite.'] })
    expect(outcome(['skipped'])).toMatchObject({ failed: 1, skipped: 1 })
    expect(outcome(['skipped'], { hasFilter: true })).toMatchObject({ failed: 1, skipped: 1 })
  })

  test('does not fail when a filter selects no file of this engine, and says so', () => {
    expect(outcome([], { hasFilter: true })).toEqual({
      passed: 0,
      failed: 0,
      skipped: 0,
      lines: ['No test file for this filter on sqlite.'],
    })
  })

  test('prints no endless list of names', () => {
    const { lines } = outcome(['passed', ...Array.from({ length: 60 }, () => 'skipped')])
    expect([lines.length, lines.at(-1)]).toEqual([51, 'and 10 more skipped tests'])
  })
})

describe('a run on both engines', () => {
  const engines = ['sqlite', 'postgres']
  const run = (status: number, reports: Record<string, object>) =>
    outcomesOf({ status, reports }, { engines, hasFilter: false }).map(({ passed, failed }) => [passed, failed])

  test('counts the failures of each engine', () => {
    const reports = {
      sqlite: report(['passed', 'passed']),
      postgres: { ...report(['passed', 'failed']), isFailed: true },
    }
    expect(run(1, reports)).toEqual([
      [2, 0],
      [1, 1],
    ])
    expect(run(0, { sqlite: report(['passed']), postgres: report(['passed']) })).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  test('fails when a file has failed without its tests, when something failed outside of all files, and without a report', () => {
    const passed = report(['passed'])
    expect(run(1, { sqlite: passed, postgres: { ...passed, isFailed: true } })).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(run(1, { sqlite: passed, postgres: passed })).toEqual([
      [1, 1],
      [1, 0],
    ])
    expect(run(1, {})).toEqual([
      [0, 1],
      [0, 1],
    ])
    expect(run(0, { sqlite: passed })).toEqual([
      [1, 0],
      [0, 1],
    ])
  })
})

test('the totals are those of all engines; a filter that selects nothing anywhere is a failure', () => {
  expect(sumOf([outcome(['passed', 'skipped']), outcome([], { hasFilter: true })])).toMatchObject({
    passed: 1,
    failed: 0,
    skipped: 1,
  })
  expect(sumOf([outcome([], { hasFilter: true }), outcome([], { hasFilter: true })]).failed).toBe(1)
  expect(totalsLine({ passed: 1, failed: 0, skipped: 0 })).toBe('1 passed, 0 failed')
  expect(totalsLine({ passed: 1, failed: 2, skipped: 3 })).toBe('1 passed, 2 failed, 3 skipped')
})

describe('the first start on a fresh clone', () => {
  test('makes the bundle and the folder that it is in', async () => {
    await using folder = await temporaryDirectory()
    const at = (name: string) => join(folder.path, name)
    const from = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
    for (const name of ['scripts', 'src/console/client']) await mkdir(at(name), { recursive: true })
    for (const name of ['scripts/bundle.mjs', 'scripts/install.mjs', 'scripts/progress.mjs', 'package-lock.json'])
      await copyFile(from(name), at(name))
    await symlink(await realpath(from('node_modules')), at('node_modules'))
    for (const name of ['main.ts', 'style.css', 'icon.svg']) await writeFile(at(`src/console/client/${name}`), '')
    await writeFile(at('src/main.ts'), 'export const begun: boolean = true\n')
    const { bundledProgram } = await import(pathToFileURL(at('scripts/bundle.mjs')).href)
    const program: string = await bundledProgram()
    expect(program.startsWith(at('.cache/bundle-'))).toBe(true)
    expect(await import(pathToFileURL(program).href)).toMatchObject({ begun: true })
    expect(await bundledProgram()).toBe(program)
  })
})
