import { now, type Tx } from '../../../infra/database/index.ts'
import type {
  ImportedFile,
  ImportFile,
  Importing,
  ImportLine,
  Platform,
  RecordImported,
} from '../../../platform/index.ts'
import type { ReadLine } from '../reading/lines.ts'
import { type Failure, failureOf, isOutage } from './failures.ts'
import * as store from './store.ts'

/** An import into one project or group that is being carried out. */
export type ImportRun = {
  importId: number
  /** Which of several projects or groups of the import; empty for the only one. */
  part: string
  into: Importing
}

/** Lines of one transaction, and the size of their texts: a long transaction would hold up other writers. */
const linesAtOnce = 50
const bytesAtOnce = 256 * 1024

/** A line that is ready to be written, or has failed. */
type Ready = { number: number } & ({ record: RecordImported } | { failure: Failure })

/** One relation of a run. */
type Relation = { run: ImportRun; name: string }

const stepOf = ({ run: { importId, part }, name }: Relation): store.Step => ({ importId, part, relation: name })

/** Calls a function whose failures are of the line, but for those of the server. */
async function attempted(
  platform: Platform,
  { run, name }: Relation,
  number: number,
  work: () => Promise<RecordImported>,
): Promise<Ready> {
  try {
    return { number, record: await work() }
  } catch (error) {
    run.into.signal.throwIfAborted()
    if (isOutage(error)) throw error
    return { number, failure: failureOf(platform, error, { relation: name, line: number, import: run.importId }) }
  }
}

async function write(platform: Platform, tx: Tx, relation: Relation, ready: Ready): Promise<void> {
  if ('record' in ready) return ready.record(tx)
  const head = { import_id: relation.run.importId, created_at: now(platform.clock) }
  await store.insertFailure(tx, { ...head, ...ready.failure, relation_name: relation.name, line_number: ready.number })
}

/** Writes lines with the progress that they are, in one transaction. */
function writeTogether(platform: Platform, relation: Relation, lines: readonly Ready[]): Promise<void> {
  return platform.database.write(async (tx) => {
    for (const line of lines) await write(platform, tx, relation, line)
    const done = lines.at(-1)?.number ?? 0
    await store.recordProgress(tx, stepOf(relation), { done, isFinished: false })
  })
}

/** Writes lines in one transaction; when it fails, each in one of its own, so that only those fail that cannot be written. */
async function writeAll(platform: Platform, relation: Relation, lines: readonly Ready[]): Promise<void> {
  if (lines.length === 0) return
  try {
    if (lines.length > 1) return await writeTogether(platform, relation, lines)
  } catch (error) {
    if (isOutage(error)) throw error
  }
  for (const line of lines) {
    const written = await attempted(platform, relation, line.number, async () => {
      await writeTogether(platform, relation, [line])
      return async () => {}
    })
    if ('failure' in written) await writeTogether(platform, relation, [written])
  }
}

/** Carries a step out unless that was done: an import that was interrupted goes on where it was. */
async function resumed(
  platform: Platform,
  relation: Relation,
  work: (doneBefore: number) => Promise<number>,
): Promise<void> {
  const { done, isFinished } = await store.progressOf(platform.database.read, stepOf(relation))
  if (isFinished) return
  relation.run.into.signal.throwIfAborted()
  const after = await work(done)
  await platform.database.write((tx) =>
    store.recordProgress(tx, stepOf(relation), { done: Math.max(done, after), isFinished: true }),
  )
}

/**
 * Imports the lines of a relation. Each is written in one transaction with the progress, so that none is imported twice; one that
 * cannot be imported is recorded as a failure.
 */
export function importLines(
  platform: Platform,
  run: ImportRun,
  name: string,
  lines: AsyncIterable<ReadLine>,
  importLine: ImportLine,
): Promise<void> {
  const relation = { run, name }
  return resumed(platform, relation, async (doneBefore) => {
    let ready: Ready[] = []
    let bytes = 0
    let last = 0
    for await (const read of lines) {
      last = read.number
      if (read.number <= doneBefore) continue
      run.into.signal.throwIfAborted()
      ready.push(
        'problem' in read
          ? { number: read.number, failure: { exception_class: 'InvalidRow', exception_message: read.problem } }
          : await attempted(platform, relation, read.number, () => importLine(platform, run.into, read.line)),
      )
      bytes += read.bytes
      if (ready.length < linesAtOnce && bytes < bytesAtOnce) continue
      await writeAll(platform, relation, ready)
      ready = []
      bytes = 0
    }
    await writeAll(platform, relation, ready)
    return last
  })
}

/** Imports the files of a relation, as `importLines` its lines. */
export function importFiles(
  platform: Platform,
  run: ImportRun,
  name: string,
  files: AsyncIterable<ImportedFile>,
  importFile: ImportFile,
): Promise<void> {
  const relation = { run, name }
  return resumed(platform, relation, async (doneBefore) => {
    let number = 0
    for await (const file of files) {
      number += 1
      if (number <= doneBefore) continue
      run.into.signal.throwIfAborted()
      const ready = await attempted(platform, relation, number, () => importFile(platform, run.into, file))
      await writeAll(platform, relation, [ready])
    }
    return number
  })
}

/** Carries out a step that is no list of lines, once; a process that ends meanwhile does it again. */
export function importStep(platform: Platform, run: ImportRun, name: string, work: () => Promise<void>): Promise<void> {
  return resumed(platform, { run, name }, async () => {
    await work()
    return 1
  })
}
