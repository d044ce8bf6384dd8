import { ApiError } from '../../../api/index.ts'
import type { Importing, Job, Platform } from '../../../platform/index.ts'
import {
  changeProject,
  finishImport,
  type ProjectRow,
  projectById,
  type Replacement,
  setImportState,
  today,
  withRole,
} from '../../projects/index.ts'
import {
  beginImport,
  discardArchive,
  endImport,
  ImportProblem,
  type ImportRun,
  importLines,
  isOutage,
  mostRuns,
  readUsers,
  setArchive,
  storeForImport,
  type TransferImportRow,
  type Unpacked,
  unpackImport,
} from '../../transfer-archives/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { importContents, userLines } from './contents.ts'
import type { Overrides } from './params.ts'
import { bytesAt, type Source } from './sources.ts'

type Payload = {
  importId: number
  /** The project whose place it takes; null for none. */
  former: Replacement | null
  /** Attributes that win over those of the archive. */
  overrides: Overrides
  /** Where the archive is fetched from, sealed; null when it is stored already. */
  source: string | null
}

const attempts = 4
const failureText = 'The import failed'

/** The context in which the source of an import is sealed: it may have credentials. */
export const sealingContext = (importId: number) => `transfer_imports:${importId}:source`

/** Fetches the archive of an import, unless it is stored. @throws ImportProblem */
async function fetchArchive(platform: Platform, row: TransferImportRow, sealed: string | null, signal: AbortSignal) {
  if (row.secret !== null || sealed === null) return row.secret
  const source: Source = JSON.parse((await platform.secrets.sealer()).open(sealed, sealingContext(row.id)))
  const secret = await storeForImport(platform, bytesAt(platform, source, signal))
  const isSet = await platform.database.write((tx) => setArchive(platform, tx, row.id, secret))
  if (!isSet) await discardArchive(platform, secret)
  return secret
}

/** What an archive is imported into, and for whom. @throws ImportProblem */
async function importingInto(
  platform: Platform,
  { user_id, source }: TransferImportRow,
  project: ProjectRow,
  archive: Unpacked,
  signal: AbortSignal,
): Promise<Importing> {
  const user = user_id === null ? null : await userById(platform.database.read, user_id)
  if (user?.state !== 'active') throw new ImportProblem('The user who imports does not exist any more')
  const importer = actingUser(platform, user)
  return {
    ...{ kind: 'project', id: project.id, namespaceId: project.namespace_id, importer, source, signal },
    users: await readUsers(platform, importer, userLines(archive)),
    placeOf: (path) => archive.placeOf(path),
  }
}

async function* oneLine(line: Record<string, unknown>) {
  yield { number: 1, bytes: 0, line }
}

/** Sets the attributes that the request names in place of those of the archive; what is refused is a failure of the import. */
async function override(platform: Platform, run: ImportRun, overrides: Overrides): Promise<void> {
  if (Object.keys(overrides).length === 0) return
  await importLines(platform, run, 'override_params', oneLine({}), async () => {
    const { importer, id } = run.into
    const { read } = platform.database
    const row = await projectById(read, id)
    if (!row) return async () => {}
    // Its importer may change what refuses the writes of all others still.
    const open = { ...row, is_unfinished: false, archived: false }
    await changeProject(platform, await withRole(read, open, importer, today(platform)), overrides, importer)
    return async () => {}
  })
}

/** Imports an archive into a project, and makes that one like any other. @throws ImportProblem */
async function carryOut(
  platform: Platform,
  row: TransferImportRow,
  project: ProjectRow,
  { former, overrides, source }: Payload,
  signal: AbortSignal,
): Promise<void> {
  const secret = await fetchArchive(platform, row, source, signal)
  await using archive = await unpackImport(platform, { secret }, signal)
  const into = await importingInto(platform, row, project, archive, signal)
  const run: ImportRun = { importId: row.id, part: '', into }
  await importContents(platform, run, archive)
  await override(platform, run, overrides)
  await platform.database.write(async (tx) => {
    const ended = { projectId: project.id, userId: into.importer.userId, former }
    if (await finishImport(platform, tx, ended)) await endImport(platform, tx, row.id, null)
  })
}

/** Why an import has failed for good, as users see it; null when it goes on later. */
function problemOf(error: unknown, attempt: number): string | null {
  if (error instanceof ImportProblem) return error.message
  if (error instanceof ApiError && error.status === 404) return failureText
  return attempt >= attempts && !isOutage(error) ? failureText : null
}

/** Ends an import for good. */
function fail(platform: Platform, { id }: TransferImportRow, project: ProjectRow, problem: string): Promise<void> {
  return platform.database.write(async (tx) => {
    await setImportState(platform, tx, project.id, 'failed', problem)
    await endImport(platform, tx, id, problem)
  })
}

/** Imports a project from an archive. When its process ends, another one goes on where it was. */
export const importProjectJob: Job<Payload> = {
  kind: 'project_archives.import',
  queue: 'imports',
  maxAttempts: mostRuns + 1,
  async run(platform, payload, { attempt, signal }) {
    const { database, log } = platform
    const row = await beginImport(platform, payload.importId)
    const project = row?.project_id ? await projectById(database.read, row.project_id) : null
    if (!row || !project || project.pending_delete) return
    if (attempt > mostRuns) return fail(platform, row, project, failureText)
    await database.write((tx) => setImportState(platform, tx, project.id, 'started'))
    try {
      await carryOut(platform, row, project, payload, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const problem = problemOf(error, attempt)
      if (problem === null) throw error
      if (!(error instanceof ImportProblem))
        log.error({ err: error, project: project.id }, 'an archive could not be imported')
      await fail(platform, row, project, problem)
    }
  },
}
