import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { notFound } from '../../api/index.ts'
import { handled, through } from '../../infra/streams/index.ts'
import { limited } from '../../infra/threads/index.ts'
import { type Platform, perPlatform } from '../../platform/index.ts'
import { type CiJobArtifactRow, type CiJobRow, findArtifact, openArtifact, storeArtifact } from '../pipelines/index.ts'
import { type CaseStatus, JunitProblem, readJunit, type TestCase } from './junit.ts'

/** The artifact with the results of a job. Runners cannot upload one of this name. */
const resultsType = 'junit.results'

/** Numbers of the results of a job, or of several. */
export type Totals = { seconds: number; count: number } & Record<CaseStatus, number>

/** What the results of a job begin with. */
export type Head = { totals: Totals; problem: string | null }

export const noTotals: Totals = { seconds: 0, count: 0, success: 0, failed: 0, error: 0, skipped: 0 }

/** The totals of two results together. */
export function sumOf(one: Totals, other: Totals): Totals {
  const names = Object.keys(noTotals) as (keyof Totals)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Totals
}

/** What makes a case the same one, in one suite or in several. */
export const digestOf = (suite: string, { name, classname, file }: TestCase): string =>
  createHash('sha256')
    .update(JSON.stringify([suite, name, classname, file]))
    .digest('base64url')

const hasFailed = ({ status }: Pick<TestCase, 'status'>) => status === 'failed' || status === 'error'

/** The content of a report as XML. @throws JunitProblem */
async function openReport(platform: Platform, artifact: CiJobArtifactRow): Promise<Readable> {
  const opened = await openArtifact(platform, artifact)
  if (!opened) throw new JunitProblem('data', 'the report is missing')
  return artifact.file_format === 'gzip' ? through(opened.stream, handled(createGunzip())) : opened.stream
}

/** The cases of a report; what is wrong with its compression is wrong with the report. @throws JunitProblem; ObjectError */
async function* casesOf(platform: Platform, artifact: CiJobArtifactRow): AsyncGenerator<TestCase> {
  const content = await openReport(platform, artifact)
  try {
    for await (const cases of readJunit(content)) yield* cases
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isDamaged ? new JunitProblem('data', 'the compression is damaged') : error
  } finally {
    content.destroy()
  }
}

type Winner = { at: number } & Pick<TestCase, 'status' | 'seconds'>

/** The places of the cases that count: of several with one name the last, and one that failed before one that passed. */
async function countedCases(platform: Platform, artifact: CiJobArtifactRow) {
  const winners = new Map<string, Winner>()
  let at = 0
  for await (const one of casesOf(platform, artifact)) {
    const key = digestOf('', one)
    const known = winners.get(key)
    const { status, seconds } = one
    if (!known || hasFailed(one) || !hasFailed(known)) winners.set(key, { at, status, seconds })
    at += 1
  }
  const totals = { ...noTotals }
  const places = new Set<number>()
  for (const { at: place, status, seconds } of winners.values()) {
    places.add(place)
    totals.count += 1
    totals.seconds += seconds
    totals[status] += 1
  }
  return { places, totals }
}

const line = (value: Head | TestCase) => `${JSON.stringify(value)}\n`

/** The results of a report as lines: the head, then each case. The report is read twice, so that the cases are not held. */
async function* linesOf(platform: Platform, artifact: CiJobArtifactRow): AsyncGenerator<string> {
  const counted = await countedCases(platform, artifact).catch((error) => {
    if (error instanceof JunitProblem) return error
    throw error
  })
  if (counted instanceof JunitProblem) {
    yield line({ totals: noTotals, problem: counted.message })
    return
  }
  yield line({ totals: counted.totals, problem: null })
  let at = 0
  for await (const one of casesOf(platform, artifact)) {
    if (counted.places.has(at)) yield line(one)
    at += 1
  }
}

/** Reports that are read at once. */
const mostReadings = 2

const readings = perPlatform(() => limited(mostReadings))

/**
 * The results of a job, which are made when they are first needed and kept as an artifact beside the report.
 * @param report the artifact `junit` of the job
 */
export async function resultsOf(
  platform: Platform,
  job: Pick<CiJobRow, 'id' | 'project_id'>,
  report: CiJobArtifactRow,
): Promise<CiJobArtifactRow> {
  const known = () => findArtifact(platform, job.id, resultsType)
  return (await known()) ?? readings(platform)(async () => (await known()) ?? makeResults(platform, job, report))
}

async function makeResults(platform: Platform, job: Pick<CiJobRow, 'id' | 'project_id'>, report: CiJobArtifactRow) {
  const lines = handled(Readable.from(linesOf(platform, report)))
  const { artifact } = await storeArtifact(platform, job, {
    ...{ fileType: resultsType, fileFormat: 'gzip', fileName: 'junit.results.gz' },
    ...{ content: through(lines, handled(createGzip())), maxBytes: Number.POSITIVE_INFINITY },
    ...{ accessLevel: report.access_level as 'all', expireAt: report.expire_at },
  })
  return artifact
}

/** Opens results. @throws ApiError 404 when they were deleted meanwhile */
async function openLines(platform: Platform, results: CiJobArtifactRow) {
  const opened = await openArtifact(platform, results)
  if (!opened) throw notFound()
  const stream = through(opened.stream, handled(createGunzip()))
  return { stream, lines: createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }) }
}

/** What results begin with. @throws ApiError 404 */
export async function headOf(platform: Platform, results: CiJobArtifactRow): Promise<Head> {
  const { stream, lines } = await openLines(platform, results)
  try {
    for await (const text of lines) return JSON.parse(text) as Head
    return { totals: noTotals, problem: null }
  } finally {
    lines.close()
    stream.destroy()
  }
}

/** The cases of results. @throws ApiError 404 */
export async function* casesIn(platform: Platform, results: CiJobArtifactRow): AsyncGenerator<TestCase> {
  const { stream, lines } = await openLines(platform, results)
  try {
    let isHead = true
    for await (const text of lines) {
      if (!isHead) yield JSON.parse(text) as TestCase
      isHead = false
    }
  } finally {
    lines.close()
    stream.destroy()
  }
}
