import { Readable } from 'node:stream'
import { type Actor, type Static, type StreamedJson, streamedJson } from '../../api/index.ts'
import { handled } from '../../infra/streams/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type CiJobArtifactRow, type CiJobRow, findArtifact, latestJobsOf, readPipeline } from '../pipelines/index.ts'
import { defaultBranchName, type Project } from '../projects/index.ts'
import { bounds, type TestCase } from './junit.ts'
import type { TestReportSummary } from './present.ts'
import { casesIn, digestOf, headOf, noTotals, resultsOf, sumOf, type Totals } from './results.ts'
import { failuresSince } from './store.ts'

/** A job with a report. */
type Build = { job: CiJobRow; results: CiJobArtifactRow; totals: Totals; problem: string | null }

/** A suite: the reports of the jobs that have its name. */
type Suite = { name: string; builds: Build[]; totals: Totals; problem: string | null }

/** Jobs of a pipeline that are looked at. */
const mostJobs = 5_000

/** The name of the suite of a job: that of the job without its number among parallel ones, such as ` 1/3` or `: [a, b]`. */
export const suiteNameOf = (job: string): string => job.replace(/(?:\s\d+\/\d+|:? \[[^\]]*\])+$/, '')

async function buildsOf(platform: Platform, pipelineId: number): Promise<Build[]> {
  const builds: Build[] = []
  let count = 0
  for (const job of await latestJobsOf(platform.database.read, pipelineId, mostJobs)) {
    const report = await findArtifact(platform, job.id, 'junit')
    if (!report) continue
    const results = await resultsOf(platform, job, report)
    const { totals, problem } = await headOf(platform, results)
    count += totals.count
    const isTooMuch = count > bounds.cases
    builds.push({
      ...{ job, results, totals: isTooMuch ? noTotals : totals },
      problem: isTooMuch ? `JUnit data parsing failed: more than ${bounds.cases} test cases` : problem,
    })
  }
  return builds
}

/** The suites of a pipeline that the caller may read. @throws ApiError 403, 404 */
async function suitesOf(platform: Platform, project: Project, actor: Actor, pipelineId: number): Promise<Suite[]> {
  const { id } = await readPipeline(platform, project, actor, pipelineId)
  const byName = Map.groupBy(await buildsOf(platform, id), ({ job }) => suiteNameOf(job.name))
  return [...byName].map(([name, builds]) => ({
    name,
    builds,
    totals: builds.map(({ totals }) => totals).reduce(sumOf),
    problem: builds.find(({ problem }) => problem !== null)?.problem ?? null,
  }))
}

const numbersOf = ({ seconds, count, success, failed, skipped, error }: Totals) => ({
  ...{ total_time: seconds, total_count: count, success_count: success },
  ...{ failed_count: failed, skipped_count: skipped, error_count: error },
})

const totalsOf = (suites: readonly Suite[]): Totals => suites.map(({ totals }) => totals).reduce(sumOf, noTotals)

/** The tests of a pipeline by suites (contract 26, x.pipelines_test_report_summary). @throws ApiError 403, 404 */
export async function summariseTests(
  platform: Platform,
  project: Project,
  actor: Actor,
  pipelineId: number,
): Promise<Static<typeof TestReportSummary>> {
  const suites = await suitesOf(platform, project, actor, pipelineId)
  const { seconds: time, ...total } = totalsOf(suites)
  const problem = suites.find((suite) => suite.problem !== null)?.problem ?? null
  return {
    total: { time, ...total, suite_error: problem },
    test_suites: suites.map(({ name, builds, totals, problem: suite_error }) => ({
      ...{ name, ...numbersOf(totals), suite_error },
      build_ids: builds.map(({ job }) => job.id),
    })),
  }
}

/** So many failed cases of a report say how often they have failed lately. */
export const mostRecentFailures = 200
export const recentDays = 14

/** What cases of a report say besides what the report of the job does. */
type Shown = { platform: Platform; project: Project; recent: ReadonlyMap<string, number>; branch: string }

function shownCase(one: TestCase, suite: Suite, { job }: Build, { platform, project, recent, branch }: Shown) {
  const count = recent.get(digestOf(suite.name, one))
  const files = `${platform.externalUrl}/api/v4/projects/${project.id}/jobs/${job.id}/artifacts`
  const { status, name, classname, file, seconds: execution_time, output: system_output, attachment } = one
  return {
    ...{ status, name, classname, file, execution_time, system_output, stack_trace: null },
    recent_failures: count === undefined ? null : { count, base_branch: branch },
    ...(attachment !== null && {
      attachment_url: `${files}/${attachment.split('/').map(encodeURIComponent).join('/')}`,
    }),
  }
}

/** The digests of the first cases that failed. */
async function failedDigests(platform: Platform, suites: readonly Suite[]): Promise<string[]> {
  const digests: string[] = []
  for (const suite of suites) {
    for (const { results, totals } of suite.builds) {
      if (totals.failed === 0) continue
      for await (const one of casesIn(platform, results)) {
        if (one.status === 'failed') digests.push(digestOf(suite.name, one))
        if (digests.length >= mostRecentFailures) return digests
      }
    }
  }
  return digests
}

async function recentFailures(platform: Platform, { id }: Project, suites: readonly Suite[]) {
  const since = new Date(platform.clock.now().getTime() - recentDays * 86_400_000).toISOString()
  return failuresSince(platform.database.read, id, await failedDigests(platform, suites), since)
}

async function* casesJson(suite: Suite, shown: Shown): AsyncGenerator<string> {
  let separator = ''
  for (const build of suite.builds) {
    if (build.totals.count === 0) continue
    for await (const one of casesIn(shown.platform, build.results)) {
      yield separator + JSON.stringify(shownCase(one, suite, build, shown))
      separator = ','
    }
  }
}

/** Leaves an object open: its last member follows. */
const openObject = (members: object, last: string) => `${JSON.stringify(members).slice(0, -1)},"${last}":[`

async function* reportJson(suites: readonly Suite[], shown: Shown): AsyncGenerator<string> {
  yield openObject(numbersOf(totalsOf(suites)), 'test_suites')
  for (const [index, suite] of suites.entries()) {
    const { name, totals, problem: suite_error } = suite
    yield `${index > 0 ? ',' : ''}${openObject({ name, ...numbersOf(totals), suite_error }, 'test_cases')}`
    yield* casesJson(suite, shown)
    yield ']}'
  }
  yield ']}'
}

/** The tests of a pipeline with all cases (contract 26, x.pipelines_test_report). @throws ApiError 403, 404 */
export async function reportTests(
  platform: Platform,
  project: Project,
  actor: Actor,
  pipelineId: number,
): Promise<StreamedJson> {
  const suites = await suitesOf(platform, project, actor, pipelineId)
  const [recent, branch] = await Promise.all([
    recentFailures(platform, project, suites),
    defaultBranchName(platform, project),
  ])
  const shown = { platform, project, recent, branch: branch ?? '' }
  return streamedJson({ headers: {}, body: async () => handled(Readable.from(reportJson(suites, shown))) })
}
