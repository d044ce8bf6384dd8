import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../../infra/database/index.ts'
import {
  branchRef,
  GitError,
  type RefChange,
  type RemoteOptions,
  type Repository,
  refName,
  zeroOid,
} from '../../../infra/git/index.ts'
import type { Jobs } from '../../../infra/jobs/index.ts'
import { BlockedAddress, type Lookup, resolveOutbound } from '../../../infra/net/index.ts'
import type { Sealer } from '../../../infra/secrets/index.ts'
import { type Repositories, raiseGeneration, repositoryOfProject } from '../../repositories/index.ts'
import type { InstanceSettings, Settings } from '../../settings/index.ts'
import type { Problems } from '../core/problems.ts'
import { projectById, updateProject } from '../core/store.ts'
import { findReadme } from '../refs/readme.ts'
import { refusalOfName } from '../refs/rules.ts'
import type { ProjectRow } from '../tables.ts'
import { outboundPolicy, pinnedAddress, readRemoteAddress } from './remote-address.ts'

export type ImportsNeeds = {
  database: Database
  repositories: Repositories
  jobs: Jobs
  settings: Pick<Settings, 'current'>
  clock: Clock
  sealer(): Promise<Sealer>
  defaultBranchName(): Promise<string>
  /** Finds the addresses of a name; the system's own way unless told. */
  lookup?: Lookup
  /** Has a project pulled from an address from now on, whenever its setting `mirror` is on. */
  pullFrom?(tx: Tx, project: ProjectRow, from: PulledFrom): Promise<void>
  /** Finds out how the default branch is to be protected; what it returns writes that down. */
  protectDefaultBranch?(projectId: number): Promise<(tx: Tx) => Promise<void>>
}

/** Where a project is pulled from, what seals that, and in whose name. */
export type PulledFrom = { address: string; sealing: Sealer; userId: number | null }

/** Fetches repositories from elsewhere into projects (contract 21, `import_url`). */
export type Imports = ReturnType<typeof createImports>

type Payload = { projectId: number; sealedUrl: string }

const jobKind = 'projects.import'
const schemes = ['http', 'https', 'git']
const hourMs = 3_600_000

const sealingContext = (projectId: number) => `projects:${projectId}:import_url`

/** How much one fetch from elsewhere may bring, in bytes; undefined where the setting `max_import_size` sets no bound. */
export function largestImport({ max_import_size: mebibytes }: InstanceSettings): number | undefined {
  return mebibytes > 0 ? mebibytes * 1024 * 1024 : undefined
}

/** Why an import failed, in words that may be shown: of git's own nothing but the last line. */
function reasonOf(error: unknown): string {
  if (error instanceof BlockedAddress) return error.message
  if (error instanceof GitError && error.code === 'timeout') return 'The import took too long'
  if (error instanceof GitError && error.code === 'too_large') return 'The repository is larger than an import may be'
  return 'The repository could not be fetched'
}

export function createImports(needs: ImportsNeeds) {
  const { database, repositories, jobs, settings, clock, sealer, lookup } = needs

  async function fetchInto(repository: Repository, address: string, signal: AbortSignal): Promise<void> {
    const current = await settings.current()
    const url = new URL(address)
    const { url: to, config } = pinnedAddress(url, await resolveOutbound(url, outboundPolicy(current), lookup))
    const options = { config, timeoutMs: hourMs, signal }
    const maxBytes = largestImport(current)
    if (maxBytes !== undefined) return fetchAtMost(repository, to, { ...options, maxBytes })
    const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
    await repository.fetchFrom(to, { refspecs, ...options })
  }

  /** Refs are written only when all that they reach has come, and is not too much. */
  async function fetchAtMost(repository: Repository, to: string, options: RemoteOptions & { maxBytes: number }) {
    const refs = [...(await repository.remoteRefs(to, options))]
    await repository.fetchObjectsFromRemote(
      to,
      refs.map(([, oid]) => oid),
      options,
    )
    if (refs.length > 0) await repository.updateRefs(refs.map(([ref, oid]) => ({ ref, old: null, new: oid })))
  }

  /** The planned default branch where it came along, else one of the usual names, else the first. */
  async function defaultAmong(project: ProjectRow, names: readonly string[]): Promise<string | null> {
    const preferred = [project.default_branch, await needs.defaultBranchName(), 'main', 'master']
    return preferred.find((name) => name !== null && names.includes(name)) ?? names[0] ?? null
  }

  /** Branches and tags that nobody could have pushed do not come in by this door either. */
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

  /** Makes known what was fetched. */
  async function finish(project: ProjectRow, repositoryId: number, repository: Repository): Promise<void> {
    const label = `import-${project.id}-${clock.now().getTime()}`
    await dropIllegalRefs(repository, label)
    const snapshot = await repository.refs(label)
    const name = await defaultAmong(
      project,
      snapshot.branches.map((branch) => branch.name),
    )
    const ref = name === null ? null : branchRef(name)
    const head = name === null ? null : snapshot.branch(name)
    if (ref) await repository.setHead(ref)
    const readme = head ? await findReadme(repository, head.oid) : null
    const protect = ref && (await needs.protectDefaultBranch?.(project.id))
    await database.write(async (tx) => {
      await raiseGeneration(tx, repositoryId)
      const moment = now(clock)
      const found = ref ? { default_branch: name, readme_path: readme } : {}
      await updateProject(tx, project.id, {
        ...found,
        import_status: 'finished',
        import_error: null,
        last_activity_at: moment,
        updated_at: moment,
      })
      await protect?.(tx)
    })
  }

  const setStatus = (id: number, import_status: ProjectRow['import_status'], import_error: string | null) =>
    database.write((tx) => updateProject(tx, id, { import_status, import_error, updated_at: now(clock) }))

  jobs.define<Payload>({
    kind: jobKind,
    queue: 'imports',
    async run({ projectId, sealedUrl }, { signal }) {
      const project = await projectById(database.read, projectId)
      const row = project ? await repositoryOfProject(database.read, projectId) : null
      const isOver = project?.import_status === 'finished' || project?.import_status === 'failed'
      if (!project || !row || isOver) return
      await setStatus(projectId, 'started', null)
      const repository = await repositories.open(row)
      // What a foreign server refuses is not asked again and again: the person who wanted it is told.
      try {
        await fetchInto(repository, (await sealer()).open(sealedUrl, sealingContext(projectId)), signal)
      } catch (error) {
        // The process is being stopped: whoever takes the job next begins anew.
        if (signal.aborted) throw error
        await setStatus(projectId, 'failed', reasonOf(error))
        return
      }
      await finish(project, row.id, repository)
    },
  })

  return {
    sealer,

    /** Adds what is wrong with the address that a project is to be imported from. */
    async check(address: string, problems: Problems): Promise<void> {
      const read = readRemoteAddress(address, schemes, await settings.current())
      if (typeof read === 'string') problems.import_url = [read]
    },

    /**
     * Stores the job that imports; the address is kept sealed with it, and goes with it when it is over.
     * @param sealing from `sealer`, since a transaction does not wait for files
     */
    async schedule(tx: Tx, projectId: number, address: string, sealing: Sealer): Promise<void> {
      const sealedUrl = sealing.seal(address, sealingContext(projectId))
      await jobs.enqueue(tx, jobKind, { projectId, sealedUrl }, { uniqueKey: String(projectId) })
    },

    /** Has a project follow an address that was checked (contract 21, `import_url` with `mirror`). */
    async follow(tx: Tx, project: ProjectRow, from: PulledFrom): Promise<void> {
      await needs.pullFrom?.(tx, project, from)
    },
  }
}
