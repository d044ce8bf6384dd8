/**
 * `npm test`: the checks of `npm run check`, then the test suite on SQLite and on PostgreSQL, in one run.
 * `npm run check`: format and lint, types, architecture.
 *
 * Arguments of `npm test` select test files on both engines (`npm test -- src/infra/jobs`), or are options of Vitest. The
 * last line has the totals of both engines: `N passed, N failed`, and `, N skipped` where tests were skipped. A failed check
 * counts as one failure, and so does an engine on which no test ran, unless the filter selects only files that this engine
 * excludes by design (vitest.config.ts).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundledProgram } from './bundle.mjs'
import { ensureInstalled } from './install.mjs'
import { outputOf, runProgram } from './programs.mjs'
import { outcomesOf, sumOf, totalsLine } from './results.mjs'

const colours = process.stdout.isTTY ? 'force' : 'off'
const checks = [
  {
    name: 'Format and lint',
    package: '@biomejs/biome',
    bin: 'biome',
    args: ['ci', '--error-on-warnings', `--colors=${colours}`],
  },
  { name: 'Types', package: 'typescript', bin: 'tsc' },
  {
    name: 'Types of the script of pages',
    package: 'typescript',
    bin: 'tsc',
    args: ['--project', 'src/console/client', '--noEmit'],
  },
  {
    name: 'Architecture',
    package: 'dependency-cruiser',
    bin: 'depcruise',
    nodeArgs: ['--import', './scripts/typescript-6.mjs'],
    args: ['src', '--output-type', 'err'],
  },
]
const engines = ['sqlite', 'postgres']

const args = process.argv.slice(2)
const isCheck = args[0] === 'check'
const nothing = { passed: 0, failed: 0, skipped: 0 }

try {
  await ensureInstalled()
  const failedChecks = await runChecks()
  if (isCheck) {
    process.exitCode = failedChecks === 0 ? 0 : 1
  } else {
    // The suite takes minutes; it does not run on a tree that fails a check.
    finish(failedChecks > 0 ? { ...nothing, failed: failedChecks } : await runSuites())
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  finish({ ...nothing, failed: 1 })
}

function finish(totals) {
  process.stdout.write(`\n${totalsLine(totals)}\n`)
  process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1
}

/** Runs all checks at once, also when one has failed, and counts the failed ones. */
async function runChecks() {
  const statuses = await Promise.all(checks.map(runCheck))
  return statuses.filter((status) => status !== 0).length
}

async function runCheck(check) {
  const startedAt = performance.now()
  const { status, output } = await outputOf(check)
  process.stdout.write(`${output}${check.name}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds(startedAt)})\n`)
  return status
}

/** Runs the suite on both engines at once: processes that have nothing more to do on one go on with the other. */
async function runSuites() {
  // The servers that tests start in processes of their own.
  const program = await bundledProgram()
  const folder = mkdtempSync(join(tmpdir(), 'fennec-results-'))
  const file = join(folder, 'results.json')
  try {
    const reporters = ['--reporter=default', '--reporter=./tests/setup/engine-results.ts']
    const env = { FENNEC_TEST_DATABASE: engines.join(), FENNEC_TEST_PROGRAM: program, FENNEC_TEST_RESULTS: file }
    const command = { package: 'vitest', bin: 'vitest', args: ['run', '--passWithNoTests', ...reporters, ...args], env }
    const status = await runProgram(command)
    const outcomes = outcomesOf({ status, reports: reportsIn(file) }, { engines, hasFilter: args.length > 0 })
    for (const { lines } of outcomes) for (const line of lines) process.stdout.write(`${line}\n`)
    return sumOf(outcomes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What Vitest has reported by engine; empty when it was ended before. */
function reportsIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

function seconds(startedAt) {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}
