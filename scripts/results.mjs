/** Reads the outcome of a test run from the exit status and the reports of the engines (`tests/setup/engine-results.ts`). */
import { relative } from 'node:path'
import { root } from './install.mjs'

/** Names of skipped tests that are printed at most; with `-t` there may be thousands. */
const maximumNames = 50

/**
 * What a run on one engine counts for, and the lines to print about it.
 * A failure outside the tests, and a run without any test, count as one failure. With a filter, a run that selected no file
 * is not a failure: the filter may select only files that the engine excludes. `sumOf` fails when that holds for all engines.
 */
export function outcomeOf({ status, report }, { engine, hasFilter }) {
  if (!report) return { passed: 0, failed: 1, skipped: 0, lines: [`No report of the tests on ${engine}.`] }
  const names = skippedIn(report)
  const [passed, failed, skipped] = [report.numPassedTests, report.numFailedTests, names.length]
  if (status === 0 && hasFilter && report.testResults.length === 0) {
    return { passed, failed, skipped, lines: [`No test file for this filter on ${engine}.`] }
  }
  const lines = skippedLines(names)
  if (passed + failed === 0) {
    return { passed, failed: 1, skipped, lines: [...lines, `No test ran on ${engine}.`] }
  }
  return { passed, failed: status === 0 ? failed : Math.max(failed, 1), skipped, lines }
}

/**
 * What a run on all engines at once counts for, by engine: `reports` has what is known of each. A failure that is none of the tests of
 * an engine counts as one of the first.
 */
export function outcomesOf({ status, reports }, { engines, hasFilter }) {
  const outcomes = engines.map((engine) => {
    const report = reports[engine]
    return outcomeOf({ status: report?.isFailed ? 1 : 0, report }, { engine, hasFilter })
  })
  const isCounted = status === 0 || outcomes.some(({ failed }) => failed > 0)
  return isCounted ? outcomes : outcomes.map((outcome, index) => (index === 0 ? { ...outcome, failed: 1 } : outcome))
}

/** The totals of all engines; one failure when no test ran on any of them. */
export function sumOf(outcomes) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const outcome of outcomes) for (const key of Object.keys(total)) total[key] += outcome[key]
  return total.passed + total.failed === 0 ? { ...total, failed: 1 } : total
}

/** `N passed, N failed`, and `, N skipped` where tests were skipped. */
export function totalsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

function skippedIn(report) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
  )
}

function skippedLines(names) {
  const lines = names.slice(0, maximumNames).map((name) => `Skipped: ${name}`)
  const rest = names.length - lines.length
  return rest > 0 ? [...lines, `and ${rest} more skipped tests`] : lines
}
