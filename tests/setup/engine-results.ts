import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** How the tests of a file ended. */
const assertionResultOf = (one: TestCase) => ({ status: one.result().state, fullName: one.fullName })

/** What `scripts/results.mjs` reads about an engine. */
function reportOf(modules: readonly TestModule[]) {
  const testResults = modules.map((module) => ({
    name: module.moduleId,
    assertionResults: [...module.children.allTests()].map(assertionResultOf),
  }))
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length
  return {
    isFailed: modules.some((module) => !module.ok()),
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    testResults,
  }
}

/** Writes how the tests ended on each engine into the file that `FENNEC_TEST_RESULTS` names. */
export default class EngineResults implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env.FENNEC_TEST_RESULTS
    if (file === undefined) throw new Error('FENNEC_TEST_RESULTS is not set')
    const reports = ['sqlite', 'postgres'].map((engine) => {
      const own = modules.filter(({ project }) => project.name === engine)
      return [engine, reportOf(own)]
    })
    writeFileSync(file, JSON.stringify(Object.fromEntries(reports)))
  }
}
