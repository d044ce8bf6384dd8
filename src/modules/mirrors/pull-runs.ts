import { type Actor, dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import {
  branchName,
  branchRef,
  GitError,
  type Oid,
  type RefChange,
  RefConflict,
  type RefName,
  type RefSnapshot,
  type Repository,
  tagName,
  zeroOid,
} from '../../infra/git/index.ts'
import type { Sealer } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import {
  may,
  type ProjectRow,
  projectById,
  refusalOfName,
  refusesWrites,
  settingsOf,
  withRole,
} from '../projects/index.ts'
import {
  type RefMover,
  RefRefused,
  type Repositories,
  type RepositoryRow,
  repositoryOfProject,
} from '../repositories/index.ts'
import { userById } from '../users/index.ts'
import { mirroredBranches } from './branch-filter.ts'
import { MirrorFailed } from './failures.ts'
import type { Remote, Remotes } from './remote.ts'
import type { Runs } from './schedule.ts'
import { openAddress } from './sealing.ts'
import { pullMirrorById } from './store.ts'
import type { PullMirrorRow } from './tables.ts'

export type PullRunsNeeds = {
  database: Database
  clock: Clock
  repositories: Repositories
  platform: Platform
  remotes: Remotes
  sealer(): Promise<Sealer>
}

const pauseMs = 30 * 60_000
const longestPauseMs = 8 * 3_600_000
const listedRefs = 20

type Refusal = { ref: RefName; sentences: readonly string[] }

/** Why refs could not be moved, as far as it lies in what they are. @throws what it was otherwise */
function refusalIn(error: unknown): readonly string[] {
  if (error instanceof RefRefused) return error.sentences
  if (error instanceof GitError && error.code === 'object_missing') return ['It does not point at a commit.']
  if (!(error instanceof RefConflict)) throw error
  if (error.reason === 'directory') return ['Another branch or tag stands in its way.']
  throw new MirrorFailed('A branch or tag was changed here meanwhile.', { isPassing: true })
}

/** Brings what a repository elsewhere has into the project's own (contract 22, x.pmirror_*). */
export function createPullRuns(needs: PullRunsNeeds): Runs<PullMirrorRow> {
  const { database, clock, repositories, platform, remotes, sealer } = needs
  const db = database.read

  /** Whoever set the mirror up must still be able to push: what comes in comes in their name. */
  async function moverFor(mirror: PullMirrorRow, project: ProjectRow): Promise<RefMover> {
    const user = mirror.user_id === null ? null : await userById(db, mirror.user_id)
    if (user?.state === 'active') {
      const actor: Actor = {
        kind: 'user',
        userId: user.id,
        username: user.username,
        administrator: user.is_admin,
        external: user.external,
        bot: user.bot_kind !== null,
        credential: { kind: 'password', id: null, scopes: new Set() },
      }
      if (may(actor, await withRole(db, project, actor, dayOf(clock.now())), 'push_code')) {
        const pushOptions = settingsOf(project).mirror_trigger_builds ? [] : ['ci.skip']
        return { userId: user.id, via: 'git', pushOptions }
      }
    }
    throw new MirrorFailed('Whoever set up the mirror may no longer push to this project.')
  }

  /** Everything that differs here and is mirrored; the remote's own default branch comes first. */
  async function differing(
    { project, mirror, row }: { project: ProjectRow; mirror: PullMirrorRow; row: RepositoryRow },
    snapshot: RefSnapshot,
    theirs: ReadonlyMap<RefName, Oid>,
    head: RefName | null,
  ): Promise<RefChange[]> {
    const zero = zeroOid(row.object_format)
    const onlyProtected = settingsOf(project).only_mirror_protected_branches
    const names = [...theirs.keys()].flatMap((ref) => branchName(ref) ?? [])
    const mirrored = await mirroredBranches(
      platform,
      { project, onlyProtected, pattern: mirror.mirror_branch_regex },
      names,
    )
    const changes = [...theirs].flatMap(([ref, oid]): RefChange[] => {
      const [branch, tag] = [branchName(ref), tagName(ref)]
      if (branch !== null && !mirrored.has(branch)) return []
      const old = (branch === null ? snapshot.tag(tag ?? '') : snapshot.branch(branch))?.oid ?? zero
      const change = { ref, old, new: oid }
      // What nobody could push does not come in by this door either.
      return old === oid || refusalOfName(change) !== null ? [] : [change]
    })
    return [...changes.filter(({ ref }) => ref === head), ...changes.filter(({ ref }) => ref !== head)]
  }

  /** Those of the changes that lose nothing of what is here. */
  async function withoutLoss(repository: Repository, changes: readonly RefChange[], zero: Oid): Promise<RefChange[]> {
    const kept: RefChange[] = []
    for (const change of changes) {
      const isNew = change.old === zero
      const isForward = branchName(change.ref) !== null && (await isAncestor(repository, change))
      if (isNew || isForward) kept.push(change)
    }
    return kept
  }

  const isAncestor = async (repository: Repository, { old, new: next }: RefChange) =>
    repository.isAncestor(old, next).catch(() => false)

  /**
   * Moves refs through the gate: all at once, and where that is refused in halves, so that one that is refused keeps no
   * other back.
   */
  async function move(project: ProjectRow, changes: readonly RefChange[], mover: RefMover): Promise<Refusal[]> {
    if (changes.length === 0) return []
    const row = await repositoryOfProject(db, project.id)
    if (!row) return []
    if (row.read_only) throw new MirrorFailed('The repository is temporarily read-only.', { isPassing: true })
    try {
      await repositories.changeRefs(row, changes, mover)
      return []
    } catch (error) {
      const sentences = refusalIn(error)
      const [first] = changes
      if (first && changes.length === 1) return [{ ref: first.ref, sentences }]
      const middle = Math.ceil(changes.length / 2)
      const before = await move(project, changes.slice(0, middle), mover)
      return [...before, ...(await move(project, changes.slice(middle), mover))]
    }
  }

  /** @throws MirrorFailed with what did not come in, as far as somebody has to know */
  function tell(project: ProjectRow, refusals: readonly Refusal[], diverged: ReadonlySet<RefName>): void {
    const parts: string[] = []
    const name = project.default_branch
    const head = name === null ? null : branchRef(name)
    if (head && diverged.has(head)) {
      parts.push(
        `The default branch (${name}) has diverged from its upstream counterpart and could not be updated automatically.`,
      )
    }
    if (refusals.length > 0) {
      const lines = refusals.slice(0, listedRefs).map(({ ref, sentences }) => `${ref}: ${sentences.join(' ')}`)
      parts.push(`Some refs were refused:\n\n${lines.join('\n')}`)
    }
    if (parts.length > 0) throw new MirrorFailed(parts.join('\n\n'))
  }

  async function headThere(repository: Repository, snapshot: RefSnapshot, { url, asking }: Remote) {
    return snapshot.branches.length > 0 ? null : repository.remoteHead(url, asking)
  }

  async function pull(mirror: PullMirrorRow, project: ProjectRow, row: RepositoryRow, signal: AbortSignal) {
    const mover = await moverFor(mirror, project)
    const remote = await remotes(openAddress(await sealer(), mirror.sealed_url, mirror.project_id), signal)
    const repository = await repositories.open(row)
    const theirs = await repository.remoteRefs(remote.url, remote.asking)
    const snapshot = await repository.refs(row.generation)
    const head = await headThere(repository, snapshot, remote)
    const changes = await differing({ project, mirror, row }, snapshot, theirs, head)
    const oids = changes.map(({ new: oid }) => oid)
    await repository.fetchObjectsFromRemote(remote.url, oids, remote.moving).catch((error) => {
      if (!(error instanceof GitError && error.code === 'too_large')) throw error
      throw new MirrorFailed('The remote repository is larger than an import may be.')
    })
    const overwrites = settingsOf(project).mirror_overwrites_diverged_branches
    const zero = zeroOid(row.object_format)
    const moving = overwrites ? changes : await withoutLoss(repository, changes, zero)
    const moved = new Set(moving)
    signal.throwIfAborted()
    const refusals = await move(project, moving, mover)
    tell(project, refusals, new Set(changes.filter((change) => !moved.has(change)).map(({ ref }) => ref)))
  }

  return {
    table: 'pull_mirrors',
    load: (id) => pullMirrorById(db, id),
    async prepare(mirror) {
      const project = await projectById(db, mirror.project_id)
      const row = project && !project.pending_delete ? await repositoryOfProject(db, project.id) : null
      if (!project || !row) return null
      // The project's settings may be changed elsewhere: it is looked at again when its time has come once more.
      if (!settingsOf(project).mirror || refusesWrites(project) || row.read_only) return 'wait'
      if (project.import_status === 'scheduled' || project.import_status === 'started') return 'wait'
      return (signal) => pull(mirror, project, row, signal)
    },
    nextAfterMs: (_, { failures }) => Math.min(pauseMs * 2 ** Math.max(0, failures - 1), longestPauseMs),
  }
}
