import { createReadStream } from 'node:fs'
import {
  type Actor,
  ApiError,
  failure,
  forbidden,
  isAdministrator,
  notFound,
  type RequestInfo,
  requireSignedIn,
  type UploadedFile,
  type UserActor,
} from '../../../api/index.ts'
import { DatabaseUnavailable, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import { role, roleInGroup } from '../../access/index.ts'
import { type NamespaceRow, namespaceOfUser } from '../../namespaces/index.ts'
import {
  callerLevel,
  createImported,
  fromProject,
  mayCreateIn,
  type ProjectRow,
  type Replacement,
  today,
  visibleNamespace,
  visibleProject,
} from '../../projects/index.ts'
import { discardArchive, limitTransfers, recordImport, storeForImport } from '../../transfer-archives/index.ts'
import { importProjectJob, sealingContext } from './job.ts'
import type { Destination } from './params.ts'
import { checkSource, type Source } from './sources.ts'

/** Who imports, and the request. */
export type Importer = { actor: Actor; request: Pick<RequestInfo, 'id'> }

/** @throws ApiError 403 while projects are not imported from archives */
async function requireSwitchedOn({ settings }: Platform): Promise<void> {
  if (!(await settings.current()).import_sources.includes('gitlab_project')) throw forbidden()
}

/** The namespace to which a project is imported. @throws ApiError 404, 400 (contract 25, Archives: namespace) */
async function namespaceOf(platform: Platform, actor: UserActor, text: string | undefined): Promise<NamespaceRow> {
  const { read } = platform.database
  const day = today(platform)
  const found = text ? await visibleNamespace(read, { text }, actor, day) : await namespaceOfUser(read, actor.userId)
  if (!found) throw notFound('Namespace')
  const isMaintainer =
    found.kind === 'user' ||
    isAdministrator(actor) ||
    (await roleInGroup(read, actor.userId, found.id, day)) >= role.maintainer
  if (!isMaintainer || !(await mayCreateIn(read, actor, found, day))) throw failure(400, 'Namespace is not valid')
  return found
}

const taken = (what: 'Name' | 'Path') => failure(400, `${what} has already been taken`)

/** The project whose place an import takes; null when there is none. @throws ApiError 400 unless the caller owns it */
async function replacementOf(
  platform: Platform,
  actor: UserActor,
  namespace: NamespaceRow,
  { path, name = path, overwrite = false }: Destination,
): Promise<Replacement | null> {
  if (!overwrite) return null
  const project = await visibleProject(platform.database.read, `${namespace.full_path}/${path}`, actor, today(platform))
  if (!project || project.namespace_id !== namespace.id || project.path !== path) return null
  if (callerLevel(actor, fromProject(project)) < role.owner) throw taken('Path')
  return { projectId: project.id, name, path }
}

/** The refusal of a name or path in the words of imports: a sentence. */
function refusalOf(error: unknown): unknown {
  const message = error instanceof ApiError && error.code === 'invalid' ? error.body.message : null
  if (typeof message !== 'object' || message === null) return error
  const problems = message as Record<string, string[] | undefined>
  const [name, path] = [problems.name?.[0], problems.path?.[0]]
  if (name !== undefined && path === undefined) return failure(400, `Name ${name}`)
  if (path !== undefined) return failure(400, `Path ${path}`)
  return error
}

/** Creates the project of an import, and has it carried out. */
async function create(
  platform: Platform,
  { actor, request }: { actor: UserActor; request: Pick<RequestInfo, 'id'> },
  destination: Destination,
  archive: { secret: string | null; source: Source | null },
): Promise<ProjectRow> {
  const namespace = await namespaceOf(platform, actor, destination.namespace)
  const former = await replacementOf(platform, actor, namespace, destination)
  const { path, name, override_params: overrides = {} } = destination
  const suffix = former ? `-import-${randomHex(4)}` : ''
  const names = { name: `${name || path}${suffix}`, path: `${path}${suffix}` }
  const sealer = await platform.secrets.sealer()
  const record = async (tx: Tx, { id }: ProjectRow) => {
    const described = { source: 'gitlab_project' as const, correlation_id: request.id, secret: archive.secret }
    const row = await recordImport(platform, tx, { kind: 'project', id }, { ...described, userId: actor.userId })
    const source = archive.source && sealer.seal(JSON.stringify(archive.source), sealingContext(row.id))
    await enqueue(platform, tx, importProjectJob, { importId: row.id, former, overrides, source })
  }
  return createImported(platform, actor, { namespaceId: namespace.id, ...names }, record).catch((error) => {
    throw refusalOf(error)
  })
}

/** Requires what is checked before an archive is looked at. @throws ApiError 403, 429, and those of the destination */
async function prepare(platform: Platform, { actor }: Importer, destination: Destination): Promise<UserActor> {
  const user = requireSignedIn(actor)
  await requireSwitchedOn(platform)
  const namespace = await namespaceOf(platform, user, destination.namespace)
  await replacementOf(platform, user, namespace, destination)
  await limitTransfers(platform, user, 'project_import_limit')
  return user
}

/** Imports a project from an uploaded archive (contract 25, x.project_import). @throws ApiError 400, 403, 404, 422, 429 */
export async function importUploaded(
  platform: Platform,
  importer: Importer,
  file: UploadedFile,
  destination: Destination,
): Promise<ProjectRow> {
  if (!file.filename.endsWith('.gz')) {
    const error = 'You need to upload a GitLab project export archive (ending in .gz).'
    throw failure(422, { error })
  }
  const actor = await prepare(platform, importer, destination)
  const secret = await storeForImport(platform, handled(createReadStream(file.path)))
  try {
    return await create(platform, { ...importer, actor }, destination, { secret, source: null })
  } catch (error) {
    // Without an answer of the database the row may name it; archives without a row are swept.
    if (!(error instanceof DatabaseUnavailable)) await discardArchive(platform, secret)
    throw error
  }
}

/** Imports a project from an archive elsewhere (contract 25, x.project_import_remote, x.project_import_s3). @throws ApiError 400, 403, 404, 429 */
export async function importRemote(
  platform: Platform,
  importer: Importer,
  source: Source,
  destination: Destination,
): Promise<ProjectRow> {
  const actor = await prepare(platform, importer, destination)
  await checkSource(platform, source)
  return create(platform, { ...importer, actor }, destination, { secret: null, source })
}
