import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { now, type Tx } from '../../../infra/database/index.ts'
import { GitError } from '../../../infra/git/index.ts'
import { handled, limited, through } from '../../../infra/streams/index.ts'
import type { ImportFile, Importing, ImportLine, RecordImported } from '../../../platform/index.ts'
import { BundleRefused } from '../../../platform/repositories/index.ts'
import {
  ImportProblem,
  type ImportRun,
  importFiles,
  importLines,
  importStep,
  linesOfText,
  mostUnpackedBytes,
  type ReadLine,
  type RelationImport,
  unpack,
} from '../../transfer-archives/index.ts'
import { atSource, type Call, SourceFailed, SourceRefused } from '../source/index.ts'
import type { RelationRow } from '../tables.ts'
import { recordFailure, repeatFailures } from './ending.ts'
import { askAgain, type Exported, sourceIdOf } from './exports.ts'
import { advance, type Running, Superseded } from './running.ts'
import * as store from './store.ts'

/** A run of the relations of an entity. */
export type ImportingEntity = {
  running: Running
  importId: number
  into: Importing
  /** That of a project at the source; null where it has none. */
  defaultBranch: string | null
  /** @throws EntityFailed when the user may not import into it any more */
  requireRight(): Promise<unknown>
}

/** What is known of a relation that is not recorded yet. */
export const newRelation = (entity_id: number, relation: string, source_count = 0): RelationRow => ({
  ...{ entity_id, relation, source_count, fetched_count: 0, imported_count: 0, batches: 0, is_complete: false },
})

/** Opens a file of a relation at the source. @throws SourceFailed, SourceRefused, NotReady */
async function openBatch(running: Running, relation: string, batch: number | null): Promise<Readable> {
  const { source, entity } = running
  const batched: Call = batch === null ? {} : { batched: true, batch_number: batch }
  try {
    return await source.open(atSource[entity.entity_type].download, { id: sourceIdOf(running), relation, ...batched })
  } catch (error) {
    if (error instanceof SourceRefused && error.status === 404) return askAgain(running)
    throw error
  }
}

/** What of a file cannot be read is a failure of the relation; a transfer that breaks off is repeated later. */
function readingProblem(error: unknown): unknown {
  if (error instanceof ImportProblem) return error
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  if (code.startsWith('Z_')) return new ImportProblem('The file is not a gzip file, or is damaged')
  const broken = ['ECONNRESET', 'ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE', 'ETIMEDOUT', 'EPIPE']
  return broken.includes(code) ? new SourceFailed('The transfer was broken off', { cause: error }) : error
}

/** The lines of a file of the source. */
export async function* linesOfFile(content: Readable): AsyncGenerator<ReadLine> {
  const bytes = through(content, handled(createGunzip()))
  const tooLarge = () => new ImportProblem('The file is too large when it is unpacked')
  try {
    yield* linesOfText(limited(bytes as AsyncIterable<Buffer>, mostUnpackedBytes, tooLarge))
  } catch (error) {
    throw readingProblem(error)
  } finally {
    bytes.destroy()
    content.destroy()
  }
}

/** Counts what passes. */
async function* counting<Value>(values: AsyncIterable<Value>, count: { read: number }): AsyncGenerator<Value> {
  for await (const value of values) {
    count.read += 1
    yield value
  }
}

/**
 * Records each object as progress in the transaction that writes it. An entity that has ended meanwhile ends the run: `ending` is
 * aborted, since the error alone would count as that of the line.
 */
function recorded({ platform, entity }: Running, relation: string, ending: AbortController) {
  return async (tx: Tx): Promise<void> => {
    if (await store.countImported(tx, entity.id, relation, now(platform.clock))) return
    const ended = new Superseded()
    ending.abort(ended)
    throw ended
  }
}

/** Imports some of the objects of a relation. @returns how many were read */
async function importObjects(
  { running, importId, into }: ImportingEntity,
  name: string,
  part: number,
  carryOut: (run: ImportRun, record: (tx: Tx) => Promise<void>, count: { read: number }) => Promise<void>,
): Promise<number> {
  const ending = new AbortController()
  const signal = AbortSignal.any([running.signal, ending.signal])
  const count = { read: 0 }
  const run = { importId, part: String(part), into: { ...into, signal } }
  await carryOut(run, recorded(running, name, ending), count)
  return count.read
}

/** Writes what a line or a file says after its progress. */
const after =
  (record: (tx: Tx) => Promise<void>, write: RecordImported): RecordImported =>
  async (tx) => {
    await record(tx)
    await write(tx)
  }

/** Imports lines of a relation. @returns how many were read */
export function importLinesOf(
  importing: ImportingEntity,
  relation: string,
  part: number,
  lines: AsyncIterable<ReadLine>,
  importLine: ImportLine,
): Promise<number> {
  const { platform } = importing.running
  return importObjects(importing, relation, part, (run, record, count) =>
    importLines(platform, run, relation, counting(lines, count), async (...read) =>
      after(record, await importLine(...read)),
    ),
  )
}

/** Imports the files of an archive of a relation. @returns how many were read */
function importFilesOf(
  importing: ImportingEntity,
  relation: string,
  part: number,
  content: Readable,
  importFile: ImportFile,
): Promise<number> {
  const { platform } = importing.running
  return importObjects(importing, relation, part, async (run, record, count) => {
    await using archive = await unpack(platform, content, run.into.signal).catch((error) => {
      throw readingProblem(error)
    })
    await importFiles(platform, run, relation, counting(archive.filesBelow(''), count), async (...read) =>
      after(record, await importFile(...read)),
    )
  })
}

/** Imports the bundle of an archive of a relation, which is one object. @throws ImportProblem for one that git refuses */
function importBundleOf(
  importing: ImportingEntity,
  { name, importBundle }: Extract<RelationImport, { form: 'bundle' }>,
  part: number,
  content: Readable,
): Promise<number> {
  const { running, defaultBranch } = importing
  const { platform } = running
  return importObjects(importing, name, part, async (run, record, count) => {
    await using archive = await unpack(platform, content, run.into.signal).catch((error) => {
      throw readingProblem(error)
    })
    const place = await archive.placeOf('project.bundle')
    if (place === null) return
    count.read = 1
    await importStep(platform, run, name, async () => {
      await importBundle(platform, run.into, place, defaultBranch).catch((error) => {
        run.into.signal.throwIfAborted()
        if (!(error instanceof GitError) || error.code !== 'command_failed') {
          if (!(error instanceof BundleRefused)) throw error
        }
        throw new ImportProblem(`The bundle of the ${name} could not be read`)
      })
      await platform.database.write(record)
    })
  })
}

/** Imports a batch of a relation. @returns how many objects were read @throws ImportProblem for a file that cannot be read */
async function importBatch(
  importing: ImportingEntity,
  relation: RelationImport,
  { batch, isDivided }: { batch: number; isDivided: boolean },
): Promise<number> {
  const { name, of = name, form } = relation
  const content = await openBatch(importing.running, of, isDivided ? batch : null)
  if (form === 'lines') return importLinesOf(importing, name, batch, linesOfFile(content), relation.importLine)
  if (form === 'files') return importFilesOf(importing, name, batch, content, relation.importFile)
  return importBundleOf(importing, relation, batch, content)
}

/** Imports what is left of a relation. */
async function importRelation(importing: ImportingEntity, found: Exported, relation: RelationImport): Promise<void> {
  const { running, importId, requireRight } = importing
  const { platform, entity, signal } = running
  const { name } = relation
  const stored = (await store.relationsOf(platform.database.read, entity.id)).get(name)
  const row = stored ?? newRelation(entity.id, name, found.objects)
  if (row.is_complete) return
  if (!stored) await advance(running, (tx) => store.putRelation(tx, row))
  for (let batch = row.batches + 1; batch <= (found.batches ?? 1); batch += 1) {
    signal.throwIfAborted()
    await requireRight()
    let read = 0
    let problem: unknown = null
    try {
      read = await importBatch(importing, relation, { batch, isDivided: found.batches !== null })
    } catch (error) {
      if (!(error instanceof ImportProblem)) throw error
      problem = error
    }
    await advance(running, async (tx) => {
      await store.finishBatch(tx, entity.id, name, { batches: batch, read })
      await repeatFailures(platform, tx, entity, importId)
      if (problem) await recordFailure(platform, tx, entity, { relation: name, error: problem })
    })
  }
  await advance(running, (tx) => store.completeRelation(tx, entity.id, name))
}

/** The lines of all files of a relation, as they can be read; none of one that is missing or has failed. */
export async function* linesOfRelation(running: Running, found: Exported | undefined): AsyncGenerator<ReadLine> {
  if (!found || found.isFailed) return
  for (let batch = 1; batch <= (found.batches ?? 1); batch += 1) {
    try {
      yield* linesOfFile(await openBatch(running, found.relation, found.batches === null ? null : batch))
    } catch (error) {
      if (!(error instanceof ImportProblem)) throw error
    }
  }
}

/** Records a relation that the source could not export, once. */
async function recordFailed(running: Running, { relation, error }: Exported): Promise<void> {
  const { platform, entity } = running
  const stored = (await store.relationsOf(platform.database.read, entity.id)).get(relation)
  if (stored?.is_complete) return
  await advance(running, async (tx) => {
    await store.putRelation(tx, { ...newRelation(entity.id, relation), is_complete: true })
    await recordFailure(platform, tx, entity, {
      relation,
      error: new ImportProblem(`The source could not export it: ${error ?? 'unknown error'}`),
    })
  })
}

/** Imports the relations that the source has exported, in the order in which they are imported. */
export async function importRelations(
  importing: ImportingEntity,
  exported: ReadonlyMap<string, Exported>,
  relations: readonly RelationImport[],
): Promise<void> {
  for (const relation of relations) {
    const found = exported.get(relation.of ?? relation.name)
    if (found?.isFailed) await recordFailed(importing.running, found)
    else if (found) await importRelation(importing, found, relation)
  }
}
