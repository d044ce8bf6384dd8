import { dayOf } from '../../../api/index.ts'
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
} from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  changeRefs,
  openRow,
  RefRefused,
  type RefWriter,
  type RepositoryRow,
  repositoryOfProject,
} from '../../../platform/repositories/index.ts'
import {
  may,
  type ProjectRow,
  projectById,
  refusalOfName,
  refusesWrites,
  settingsOf,
  withRole,
} from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { openAddress } from '../address.ts'
import { mirroredBranches } from '../branch-filter.ts'
import { MirrorFailed } from '../failures.ts'
import { resolveRemote } from '../remote.ts'
import type { Runs } from '../schedule.ts'
import type { PullMirrorRow } from '../tables.ts'

const pauseMs = 30 * 60_000
const longestPauseMs = 8 * 3_600_000
const listedRefs = 20

type Refusal = { ref: RefName; sentences: readonly string[] }

/** The sentences when refs themselves cannot be moved. @throws other errors */
function refusalIn(error: unknown): readonly string[] {
  if (error instanceof RefRefused) return error.sentences
  if (error instanceof GitError && error.code === 'object_missing') return ['It does not point at a commit.']
  if (!(error instanceof RefConflict)) throw error
  if (error.reason === 'directory') return ['Another branch or tag stands in its way.']
  throw new MirrorFailed('A branch or tag was changed here meanwhile.', { isPassing: true })
}

/** The user who set up the mirror; pulled changes are made in their name. @throws MirrorFailed when they may not push */
async function moverFor(platform: Platform, mirror: PullMirrorRow, project: ProjectRow): Promise<RefWriter> {
  const { database, clock } = platform
  const user = mirror.user_id === null ? null : await userById(database.read, mirror.user_id)
  if (user?.state === 'active') {
    const actor = actingUser(platform, user)
    if (may(actor, await withRole(database.read, project, actor, dayOf(clock.now())), 'push_code')) {
      const pushOptions = settingsOf(project).mirror_trigger_builds ? [] : ['ci.skip']
      return { userId: user.id, via: 'git', pushOptions }
    }
  }
  throw new MirrorFailed('The user of the mirror may no longer push to this project.')
}

type Run = { platform: Platform; project: ProjectRow; mirror: PullMirrorRow; row: RepositoryRow }

/** The changes that make mirrored refs those of the remote; the remote's default branch comes first. */
async function changesOf(
  { platform, project, mirror, row }: Run,
  snapshot: RefSnapshot,
  theirs: ReadonlyMap<RefName, Oid>,
  head: RefName | null,
): Promise<RefChange[]> {
  const zero = zeroOid(row.object_format)
  const onlyProtected = settingsOf(project).only_mirror_protected_branches
  const names = [...theirs.keys()].flatMap((ref) => branchName(ref) ?? [])
  const choice = { project, onlyProtected, pattern: mirror.mirror_branch_regex }
  const mirrored = await mirroredBranches(platform, choice, names)
  const changes = [...theirs].flatMap(([ref, oid]): RefChange[] => {
    const [branch, tag] = [branchName(ref), tagName(ref)]
    if (branch !== null && !mirrored.has(branch)) return []
    const old = (branch === null ? snapshot.tag(tag ?? '') : snapshot.branch(branch))?.oid ?? zero
    const change = { ref, old, new: oid }
    // Refs whose names a push may not use are not pulled either.
    return old === oid || refusalOfName(change) !== null ? [] : [change]
  })
  return [...changes.filter(({ ref }) => ref === head), ...changes.filter(({ ref }) => ref !== head)]
}

/** The changes that create refs or move branches forward, so that no commits are lost. */
async function withoutLoss(repository: Repository, changes: readonly RefChange[], zero: Oid): Promise<RefChange[]> {
  const safe: RefChange[] = []
  for (const change of changes) {
    const isNew = change.old === zero
    const isForward =
      branchName(change.ref) !== null && (await repository.isAncestor(change.old, change.new).catch(() => false))
    if (isNew || isForward) safe.push(change)
  }
  return safe
}

/** Moves refs through the gate, all at once; after a refusal in halves, so that a refused ref does not block others. */
async function move(
  platform: Platform,
  project: ProjectRow,
  changes: readonly RefChange[],
  writer: RefWriter,
): Promise<Refusal[]> {
  if (changes.length === 0) return []
  const row = await repositoryOfProject(platform.database.read, project.id)
  if (!row) return []
  if (row.read_only) throw new MirrorFailed('The repository is temporarily read-only.', { isPassing: true })
  try {
    await changeRefs(platform, row, changes, writer)
    return []
  } catch (error) {
    const sentences = refusalIn(error)
    const [first] = changes
    if (first && changes.length === 1) return [{ ref: first.ref, sentences }]
    const middle = Math.ceil(changes.length / 2)
    const before = await move(platform, project, changes.slice(0, middle), writer)
    return [...before, ...(await move(platform, project, changes.slice(middle), writer))]
  }
}

/** @throws MirrorFailed when the default branch has diverged or refs were refused */
function report(project: ProjectRow, refusals: readonly Refusal[], diverged: ReadonlySet<RefName>): void {
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

async function pull(run: Run, signal: AbortSignal): Promise<void> {
  const { platform, project, mirror, row } = run
  const writer = await moverFor(platform, mirror, project)
  const address = await openAddress(platform, mirror.sealed_url, mirror.project_id)
  const { url, asking, moving } = await resolveRemote(platform, address, signal)
  const repository = await openRow(platform, row)
  const theirs = await repository.remoteRefs(url, asking)
  const snapshot = await repository.refs(row.generation)
  const head = snapshot.branches.length > 0 ? null : await repository.remoteHead(url, asking)
  const changes = await changesOf(run, snapshot, theirs, head)
  const oids = changes.map(({ new: oid }) => oid)
  await repository.fetchObjectsFromRemote(url, oids, moving).catch((error) => {
    if (!(error instanceof GitError && error.code === 'too_large')) throw error
    throw new MirrorFailed('The remote repository is larger than an import may be.')
  })
  const overwrites = settingsOf(project).mirror_overwrites_diverged_branches
  const applied = overwrites ? changes : await withoutLoss(repository, changes, zeroOid(row.object_format))
  const moved = new Set(applied)
  signal.throwIfAborted()
  const refusals = await move(platform, project, applied, writer)
  const diverged = changes.filter((change) => !moved.has(change)).map(({ ref }) => ref)
  report(project, refusals, new Set(diverged))
}

/** Updates the project from a remote repository (contract 22, x.pmirror_*). */
export const pullRuns: Runs<PullMirrorRow> = {
  table: 'pull_mirrors',
  async prepare(platform, mirror) {
    const db = platform.database.read
    const project = await projectById(db, mirror.project_id)
    const row = project && !project.pending_delete ? await repositoryOfProject(db, project.id) : null
    if (!project || !row) return null
    // The settings of the project may change, so the mirror stays due.
    if (!settingsOf(project).mirror || refusesWrites(project) || row.read_only) return 'wait'
    if (project.import_status === 'scheduled' || project.import_status === 'started') return 'wait'
    return (signal) => pull({ platform, project, mirror, row }, signal)
  },
  nextAfterMs: (_, { failures }) => Math.min(pauseMs * 2 ** Math.max(0, failures - 1), longestPauseMs),
}
