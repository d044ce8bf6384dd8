import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { CiJobTraceChunksTable } from '../tables.ts'

/** The log of a job; null when nothing was written yet. */
export async function traceOf(db: Reader, jobId: number) {
  return (await db.selectFrom('ci_job_traces').selectAll().where('job_id', '=', jobId).executeTakeFirst()) ?? null
}

/** A part of a log; `firstByte` is its position in the log. */
export type TracePart = { storageKey: string; firstByte: number; sizeBytes: number }

/** The parts of a log in the order of their bytes, as they are at one moment: what is joined, then the others. */
export async function partsOf(db: Reader, jobId: number): Promise<TracePart[]> {
  const rows = await db
    .selectFrom('ci_job_traces as trace')
    .leftJoin('ci_job_trace_chunks as chunk', 'chunk.job_id', 'trace.job_id')
    .select(['trace.size_bytes as all_bytes', 'trace.storage_key as joined_key'])
    .select(['chunk.first_byte', 'chunk.size_bytes', 'chunk.storage_key'])
    .where('trace.job_id', '=', jobId)
    .orderBy('chunk.first_byte')
    .execute()
  const [first] = rows
  const joined = first?.joined_key
    ? [{ storageKey: first.joined_key, firstByte: 0, sizeBytes: first.first_byte ?? first.all_bytes }]
    : []
  const chunks = rows.flatMap(({ first_byte: firstByte, size_bytes: sizeBytes, storage_key: storageKey }) =>
    firstByte === null || sizeBytes === null || storageKey === null ? [] : [{ storageKey, firstByte, sizeBytes }],
  )
  return [...joined, ...chunks]
}

export async function insertChunk(tx: Tx, chunk: CiJobTraceChunksTable): Promise<void> {
  await tx.insertInto('ci_job_trace_chunks').values(chunk).execute()
  const size = chunk.first_byte + chunk.size_bytes
  await tx
    .insertInto('ci_job_traces')
    .values({ job_id: chunk.job_id, size_bytes: size, storage_key: null })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ size_bytes: size }))
    .execute()
}

/** Replaces chunks by one object that has all bytes up to their end. */
export async function joinChunks(
  tx: Tx,
  jobId: number,
  { firstBytes, storageKey }: { firstBytes: readonly number[]; storageKey: string },
): Promise<void> {
  await tx
    .deleteFrom('ci_job_trace_chunks')
    .where('job_id', '=', jobId)
    .where(within(tx, 'first_byte', firstBytes))
    .execute()
  await tx.updateTable('ci_job_traces').set({ storage_key: storageKey }).where('job_id', '=', jobId).execute()
}

export async function noteRead(tx: Tx, jobId: number, moment: string): Promise<void> {
  await tx.updateTable('ci_job_traces').set({ read_at: moment }).where('job_id', '=', jobId).execute()
}

export async function setCoverage(tx: Tx, jobId: number, coverage: number): Promise<void> {
  await tx.updateTable('ci_jobs').set({ coverage }).where('id', '=', jobId).execute()
}

/** Deletes the log of a job. @returns its storage keys */
export async function deleteTrace(tx: Tx, jobId: number): Promise<string[]> {
  const chunks = await tx
    .deleteFrom('ci_job_trace_chunks')
    .where('job_id', '=', jobId)
    .returning('storage_key')
    .execute()
  const traces = await tx.deleteFrom('ci_job_traces').where('job_id', '=', jobId).returning('storage_key').execute()
  return [...chunks, ...traces].flatMap(({ storage_key: key }) => key ?? [])
}
