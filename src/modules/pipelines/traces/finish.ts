import { stripVTControlCharacters } from 'node:util'
import { RE2JS } from 're2js'
import { acquireLock } from '../../../infra/database/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { newFileKey } from '../files/keys.ts'
import { kinds, type OfJob } from '../processing/later.ts'
import { definitionOf, jobById } from '../processing/store/states.ts'
import type { CiJobRow } from '../tables.ts'
import * as store from './store.ts'
import { lockTrace, streamOfLog } from './traces.ts'

/** The end of a log in which the coverage is looked for. */
const searchedBytes = 2 * 1024 * 1024

/** Joins the parts of a log into one object. @throws Error when a part is missing: the others stay as they are */
async function joinTrace(platform: Platform, job: CiJobRow): Promise<void> {
  const { database, objects } = platform
  const trace = await store.traceOf(database.read, job.id)
  const parts = await store.partsOf(database.read, job.id)
  const chunks = parts.filter(({ storageKey }) => storageKey !== trace?.storage_key)
  if (!trace || chunks.length === 0) return
  const key = newFileKey(job, 'trace')
  await objects.put(key, streamOfLog(platform, job.id, parts))
  const isJoined = await database.write(async (tx) => {
    await acquireLock(tx, lockTrace(job.id))
    // The log may have been erased meanwhile, or another process may have joined it.
    const current = await store.traceOf(tx, job.id)
    if (!current || current.storage_key !== trace.storage_key) return false
    await store.joinChunks(tx, job.id, { firstBytes: chunks.map(({ firstByte }) => firstByte), storageKey: key })
    return true
  })
  const old = parts.map(({ storageKey }) => storageKey)
  for (const unused of isJoined ? old : [key]) await objects.delete(parseStorageKey(unused))
}

/** The end of a log as text, without colours. */
async function endOfTrace(platform: Platform, jobId: number): Promise<string> {
  const trace = await store.traceOf(platform.database.read, jobId)
  if (!trace?.storage_key) return ''
  const firstByte = Math.max(0, trace.size_bytes - searchedBytes)
  const opened = await platform.objects.get(parseStorageKey(trace.storage_key), { range: { firstByte } })
  const parts: Buffer[] = []
  for await (const part of opened?.stream ?? []) parts.push(part as Buffer)
  return stripVTControlCharacters(Buffer.concat(parts).toString('utf8'))
}

/** The last coverage that the log shows; null when there is none. @param expression of the configuration, without slashes */
function coverageIn(text: string, expression: string): number | null {
  let pattern: RE2JS
  try {
    pattern = RE2JS.compile(expression)
  } catch {
    return null
  }
  let last: string | null = null
  const matcher = pattern.matcher(text)
  while (matcher.find()) last = matcher.groupCount() > 0 ? (matcher.group(1) ?? matcher.group()) : matcher.group()
  const number = /\d+(?:\.\d+)?/.exec(last ?? '')?.[0]
  return number === undefined ? null : Number(number)
}

/** Joins the log of a job that has ended, and finds the coverage in it (contract 04, "Background work"). */
export const finishTraceJob: Job<OfJob> = {
  kind: kinds.finishTrace,
  queue: 'pipelines',
  async run(platform, { jobId }) {
    const { database } = platform
    const job = await jobById(database.read, jobId)
    if (!job) return
    await joinTrace(platform, job)
    const expression = (await definitionOf(database.read, jobId))?.coverage
    if (!expression) return
    const coverage = coverageIn(await endOfTrace(platform, jobId), expression)
    if (coverage !== null) await database.write((tx) => store.setCoverage(tx, jobId, coverage))
  },
}
