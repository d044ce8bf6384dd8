/**
 * `npm test`: what `npm run check` does, then the suite on SQLite and on PostgreSQL.
 * `npm run check`: format and lint, types, the floors between the folders.
 *
 * Arguments are handed to the suite (`npm test -- src/infra/jobs`). The last line says how the suite ended on both
 * engines together: `N passed, N failed`, and `, N skipped` where some were; a check that fails counts as one failure.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled, root } from './install.mjs'
import { runProgram } from './programs.mjs'

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
    name: 'Architecture',
    package: 'dependency-cruiser',
    bin: 'depcruise',
    nodeArgs: ['--import', './scripts/typescript-6.mjs'],
    args: ['src', '--output-type', 'err'],
  },
]
const engines = ['sqlite', 'postgres']

const [mode, ...filters] = process.argv.slice(2)

try {
  await ensureInstalled()
  const failedChecks = await runChecks()
  if (mode === 'check') {
    process.exitCode = failedChecks === 0 ? 0 : 1
  } else {
    // A tree that does not hold together is not worth minutes of testing.
    finish(failedChecks > 0 ? { passed: 0, failed: failedChecks, skipped: 0 } : await runSuites())
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  finish({ passed: 0, failed: 1, skipped: 0 })
}

function finish({ passed, failed, skipped }) {
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

/** Runs each check, whatever the others say, and counts those that fail. */
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
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const engine of engines) {
    process.stdout.write(`\nThe suite on ${engine}\n`)
    const result = await runSuite(engine)
    for (const key of Object.keys(total)) total[key] += result[key]
  }
  return total
}

/** Runs the suite on one engine. A failure outside the tests themselves counts as one. */
async function runSuite(engine) {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-results-'))
  const report = join(folder, 'results.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const args = ['run', ...reporters, ...filters]
    // Hundreds of processes read the same files: what one has compiled the others need not.
    const env = { FENNEC_TEST_DATABASE: engine, NODE_COMPILE_CACHE: join(root, '.cache', 'compiled') }
    const status = await runProgram({ package: 'vitest', bin: 'vitest', args, env })
    const { passed, failed, skipped } = countsOf(report)
    return { passed, skipped, failed: status === 0 ? failed : Math.max(failed, 1) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function countsOf(report) {
  try {
    const results = JSON.parse(readFileSync(report, 'utf8'))
    return {
      passed: results.numPassedTests,
      failed: results.numFailedTests,
      skipped: results.numPendingTests + results.numTodoTests,
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

function seconds(startedAt) {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}
