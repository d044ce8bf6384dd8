/**
 * `npm test`: the checks of `npm run check`, then the test suite on SQLite and on PostgreSQL.
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
import { ensureInstalled, root } from './install.mjs'
import { runProgram } from './programs.mjs'
import { outcomeOf, sumOf, totalsLine } from './results.mjs'

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

/** Runs all checks, also after one has failed, and counts the failed ones. */
async function runChecks() {
  let failed = 0
  for (const check of checks) {
    const startedAt = performance.now()
    const status = await runProgram(check)
    if (status !== 0) failed += 1
    process.stdout.write(`${check.name}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds(startedAt)})\n`)
  }
  return failed
}

async function runSuites() {
  // The servers that tests start in processes of their own.
  const program = await bundledProgram()
  const outcomes = []
  for (const engine of engines) {
    process.stdout.write(`\nThe suite on ${engine}\n`)
    const outcome = outcomeOf(await runSuite(engine, program), { engine, hasFilter: args.length > 0 })
    for (const line of outcome.lines) process.stdout.write(`${line}\n`)
    outcomes.push(outcome)
  }
  return sumOf(outcomes)
}

/** Runs the suite on one engine. Returns its exit status, and Vitest's JSON report, undefined when there is none. */
async function runSuite(engine, program) {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-results-'))
  const file = join(folder, 'results.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    // The test processes share one cache of compiled code.
    const env = {
      FENNEC_TEST_DATABASE: engine,
      FENNEC_TEST_PROGRAM: program,
      NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
    }
    const command = { package: 'vitest', bin: 'vitest', args: ['run', '--passWithNoTests', ...reporters, ...args], env }
    return { status: await runProgram(command), report: reportIn(file) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function reportIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function seconds(startedAt) {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}
