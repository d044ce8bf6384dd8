import type { Problems } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import {
  type BranchRef,
  branchRef,
  GitError,
  type RefChange,
  type RemoteOptions,
  type Repository,
  refName,
  zeroOid,
} from '../../../infra/git/index.ts'
import { BlockedAddress, type Lookup, resolveOutbound } from '../../../infra/net/index.ts'
import { enqueue, type Job, type Platform, react } from '../../../platform/index.ts'
import {
  deferWhileAway,
  openRow,
  type RepositoryRow,
  raiseGeneration,
  repositoryOfProject,
} from '../../../platform/repositories/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import { projectById, updateProject } from '../core/store.ts'
import { plannedDefaultBranch } from '../refs/default-branch.ts'
import { findReadme } from '../refs/readme.ts'
import { refusalOfName } from '../refs/rules.ts'
import type { ProjectRow } from '../tables.ts'
import { outboundPolicy, pinnedAddress, readRemoteAddress } from './remote-address.ts'

/** @property lookup resolves host names; by default the system does */
type ImportOptions = { signal: AbortSignal; lookup?: Lookup }
type Import = { projectId: number; sealedUrl: string }

const schemes = ['http', 'https', 'git']
const hourMs = 3_600_000

const sealingContext = (projectId: number) => `projects:${projectId}:import_url`

/** The most bytes that one fetch may transfer; undefined when the setting `max_import_size` sets no limit. */
export function largestImport({ max_import_size: mebibytes }: InstanceSettings): number | undefined {
  return mebibytes > 0 ? mebibytes * 1024 * 1024 : undefined
}

/** Why an import failed, without the output of git. */
function reasonOf(error: unknown): string {
  if (error instanceof BlockedAddress) return error.message
  if (error instanceof GitError && error.code === 'timeout') return 'The import took too long'
  if (error instanceof GitError && error.code === 'too_large') return 'The repository is larger than an import may be'
  return 'The repository could not be fetched'
}

/** Writes refs only when all objects have arrived and are within the limit. */
async function fetchAtMost(repository: Repository, to: string, options: RemoteOptions & { maxBytes: number }) {
  const refs = [...(await repository.remoteRefs(to, options))]
  const oids = refs.map(([, oid]) => oid)
  await repository.fetchObjectsFromRemote(to, oids, options)
  if (refs.length > 0) await repository.updateRefs(refs.map(([ref, oid]) => ({ ref, old: null, new: oid })))
}

async function fetchInto(
  { settings }: Platform,
  repository: Repository,
  address: string,
  { signal, lookup }: ImportOptions,
): Promise<void> {
  const current = await settings.current()
  const url = new URL(address)
  const { url: to, config } = pinnedAddress(url, await resolveOutbound(url, outboundPolicy(current), lookup))
  const options = { config, timeoutMs: hourMs, signal }
  const maxBytes = largestImport(current)
  if (maxBytes !== undefined) return fetchAtMost(repository, to, { ...options, maxBytes })
  const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
  await repository.fetchFrom(to, { refspecs, ...options })
}

/** The first of the wanted names that exists, else the planned default branch, else one of the usual names, else the first branch. */
async function chooseDefault(
  platform: Platform,
  wanted: readonly (string | null)[],
  names: readonly string[],
): Promise<string | null> {
  const preferred = [...wanted, await plannedDefaultBranch(platform), 'main', 'master']
  return preferred.find((name) => name !== null && names.includes(name)) ?? names[0] ?? null
}

/** Deletes branches and tags whose names a push could not have created. */
async function dropIllegalRefs(repository: Repository, label: string): Promise<void> {
  const { branches, tags } = await repository.refs(`${label}-fetched`)
  const named = [
    ...branches.map(({ name, oid }) => ({ text: `refs/heads/${name}`, oid })),
    ...tags.map(({ name, oid }) => ({ text: `refs/tags/${name}`, oid })),
  ]
  const dropped = named.flatMap(({ text, oid }): RefChange[] => {
    const ref = refName(text)
    const zero = zeroOid(oid.length === 64 ? 'sha256' : 'sha1')
    return ref && refusalOfName({ ref, old: zero, new: oid }) ? [{ ref, old: oid, new: zero }] : []
  })
  if (dropped.length > 0) await repository.updateRefs(dropped)
}

/**
 * Publishes an imported or copied repository: its default branch, its readme and the protection of the branch.
 * @param head the default branch; null for a repository without branches
 * @param record writes what else changes; false when the project was deleted meanwhile
 * @param isOver whether nothing else is imported, so that the import is finished
 * @returns what `record` returned
 */
export async function publish(
  platform: Platform,
  project: ProjectRow,
  repository: Repository,
  head: BranchRef | null,
  record: (tx: Tx) => Promise<boolean>,
  isOver = true,
): Promise<boolean> {
  const { database, clock, ports } = platform
  const ref = head && branchRef(head.name)
  if (ref) await repository.setHead(ref)
  const branch = head ? { default_branch: head.name, readme_path: await findReadme(repository, head.oid) } : {}
  const protect = head && isOver && (await ports['projects.protect_default_branch'](platform, project.id))
  return database.write(async (tx) => {
    if (!(await record(tx))) return false
    const moment = now(clock)
    const finished = isOver ? ({ import_status: 'finished', import_error: null } as const) : {}
    await updateProject(tx, project.id, { ...branch, ...finished, last_activity_at: moment, updated_at: moment })
    if (protect) await protect(tx)
    return true
  })
}

/**
 * Publishes what was fetched into the repository of a project, without refs that a push could not have created.
 * @param wanted names of default branches, the preferred first @param isOver as in `publish`
 */
export async function publishFetched(
  platform: Platform,
  project: ProjectRow,
  { id: repositoryId }: Pick<RepositoryRow, 'id'>,
  repository: Repository,
  { wanted, isOver }: { wanted: readonly (string | null)[]; isOver: boolean },
): Promise<void> {
  const label = `import-${project.id}-${platform.clock.now().getTime()}`
  await dropIllegalRefs(repository, label)
  const snapshot = await repository.refs(label)
  const names = snapshot.branches.map((branch) => branch.name)
  const name = await chooseDefault(platform, wanted, names)
  const head = name === null ? null : snapshot.branch(name)
  const record = async (tx: Tx) => {
    await react(platform, tx, 'repository.changed', { repositoryId })
    return (await raiseGeneration(tx, repositoryId)) !== null
  }
  await publish(platform, project, repository, head, record, isOver)
}

/** Imports a repository into a project (contract 21, `import_url`). Does nothing when the import is over. */
export async function runImport(
  platform: Platform,
  { projectId, sealedUrl }: Import,
  options: ImportOptions,
): Promise<void> {
  const { database, clock, secrets } = platform
  const setStatus = (import_status: ProjectRow['import_status'], import_error: string | null) =>
    database.write((tx) => updateProject(tx, projectId, { import_status, import_error, updated_at: now(clock) }))
  const project = await projectById(database.read, projectId)
  const row = project ? await repositoryOfProject(database.read, projectId) : null
  const isOver = project?.import_status === 'finished' || project?.import_status === 'failed'
  if (!project || !row || isOver) return
  await deferWhileAway(platform, row.storage)
  await setStatus('started', null)
  const repository = await openRow(platform, row)
  // A refusal of the remote server is not retried: it is shown in the project.
  try {
    const address = (await secrets.sealer()).open(sealedUrl, sealingContext(projectId))
    await fetchInto(platform, repository, address, options)
  } catch (error) {
    // The process is being stopped. The next run starts from the beginning.
    if (options.signal.aborted) throw error
    await setStatus('failed', reasonOf(error))
    return
  }
  await publishFetched(platform, project, row, repository, { wanted: [project.default_branch], isOver: true })
}

export const importJob: Job<Import> = {
  kind: 'projects.import',
  queue: 'imports',
  run: (platform, payload, { signal }) => runImport(platform, payload, { signal }),
}

/** Adds the problem of an address that cannot be imported from. */
export async function checkImportUrl({ settings }: Platform, address: string, problems: Problems): Promise<void> {
  const read = readRemoteAddress(address, schemes, await settings.current())
  if (typeof read === 'string') problems.import_url = [read]
}

/** Enqueues an import. The address is stored sealed in the job only, and deleted with it. */
export async function importLater(platform: Platform, tx: Tx, projectId: number, address: string): Promise<void> {
  const sealing = await platform.secrets.sealer()
  const payload = { projectId, sealedUrl: sealing.seal(address, sealingContext(projectId)) }
  await enqueue(platform, tx, importJob, payload, { uniqueKey: String(projectId) })
}
