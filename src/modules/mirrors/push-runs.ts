import type { Database } from '../../infra/database/index.ts'
import {
  branchName,
  branchRef,
  type Oid,
  type PushedRef,
  type RefName,
  type RefSnapshot,
  tagRef,
  zeroOid,
} from '../../infra/git/index.ts'
import type { Sealer } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type ProjectRow, projectById } from '../projects/index.ts'
import { type Repositories, type RepositoryRow, repositoryOfProject } from '../repositories/index.ts'
import { mirroredBranches } from './branch-filter.ts'
import { failureOfPush } from './failures.ts'
import type { Remotes } from './remote.ts'
import type { Runs } from './schedule.ts'
import { openAddress } from './sealing.ts'
import { remoteMirrorById } from './store.ts'
import type { RemoteMirrorRow } from './tables.ts'

export type PushRunsNeeds = {
  database: Database
  repositories: Repositories
  platform: Platform
  remotes: Remotes
  sealer(): Promise<Sealer>
}

/** Tries of one update, the first included. */
const tries = 3
const minuteMs = 60_000

/** How long after the beginning of an update the next one begins at the earliest, unless somebody asks for it. */
export function pauseMs({ only_protected_branches: onlyProtected }: RemoteMirrorRow): number {
  return onlyProtected ? minuteMs : 5 * minuteMs
}

/** What has to become of the refs there: those that go away, and those that come or move. */
type Plan = { gone: PushedRef[]; moved: PushedRef[] }

type Wanted = { ref: RefName; oid: Oid }

function wantedRefs(snapshot: RefSnapshot, mirrored: ReadonlySet<string>): Wanted[] {
  const branches = snapshot.branches.flatMap(({ name, oid }): Wanted[] => {
    const ref = mirrored.has(name) ? branchRef(name) : null
    return ref ? [{ ref, oid }] : []
  })
  const tags = snapshot.tags.flatMap(({ name, oid }): Wanted[] => {
    const ref = tagRef(name)
    return ref ? [{ ref, oid }] : []
  })
  // An empty repository takes the first branch that comes for its default one.
  const isDefault = ({ ref }: Wanted) => ref === snapshot.head
  return [...branches.filter(isDefault), ...branches.filter((one) => !isDefault(one)), ...tags]
}

type Planning = { theirs: ReadonlyMap<RefName, Oid>; mirrored: ReadonlySet<string>; keepsDivergent: boolean; zero: Oid }

function planOf(snapshot: RefSnapshot, { theirs, mirrored, keepsDivergent, zero }: Planning): Plan {
  const wanted = wantedRefs(snapshot, mirrored)
  const differing = wanted.filter(({ ref, oid }) => theirs.get(ref) !== oid)
  if (keepsDivergent) return { gone: [], moved: differing }
  const isOurs = (ref: RefName) => {
    const branch = branchName(ref)
    return branch === null || mirrored.has(branch)
  }
  const ours = new Set(wanted.map(({ ref }) => ref))
  const gone = [...theirs].filter(([ref]) => isOurs(ref) && !ours.has(ref))
  return {
    gone: gone.map(([ref, expected]) => ({ ref, oid: zero, expected })),
    moved: differing.map(({ ref, oid }) => ({ ref, oid, expected: theirs.get(ref) ?? zero })),
  }
}

/** Makes the repositories elsewhere what the project's own is (contract 22, x.rmirror_*). */
export function createPushRuns(needs: PushRunsNeeds): Runs<RemoteMirrorRow> {
  const { database, repositories, platform, remotes, sealer } = needs

  async function push(mirror: RemoteMirrorRow, project: ProjectRow, row: RepositoryRow, signal: AbortSignal) {
    const address = openAddress(await sealer(), mirror.sealed_url, mirror.project_id)
    const remote = await remotes(address, signal)
    const repository = await repositories.open(row)
    const snapshot = await repository.refs(row.generation)
    // Nothing is there to be mirrored yet, and what is over there may be all that somebody has.
    if (snapshot.branches.length === 0) return
    const theirs = await repository.remoteRefs(remote.url, remote.asking)
    const keepsDivergent = mirror.keep_divergent_refs
    const names = [
      ...snapshot.branches.map(({ name }) => name),
      ...[...theirs.keys()].flatMap((ref) => branchName(ref) ?? []),
    ]
    const choice = { project, onlyProtected: mirror.only_protected_branches, pattern: mirror.mirror_branch_regex }
    const mirrored = await mirroredBranches(platform, choice, new Set(names))
    const zero = zeroOid(row.object_format)
    const { gone, moved } = planOf(snapshot, { theirs, mirrored, keepsDivergent, zero })
    // What goes away goes first and by itself: `a` must make room for `a/b`, and one refusal may be for a whole push.
    const removed = await repository.pushTo(remote.url, gone, remote.moving)
    const updated = await repository.pushTo(remote.url, moved, remote.moving)
    const outcome = {
      rejected: [...removed.rejected, ...updated.rejected],
      messages: [...removed.messages, ...updated.messages],
    }
    const failure = failureOfPush(outcome, { address, keepsDivergent })
    if (failure) throw failure
  }

  return {
    table: 'remote_mirrors',
    load: (id) => remoteMirrorById(database.read, id),
    async prepare(mirror) {
      const project = mirror.enabled ? await projectById(database.read, mirror.project_id) : null
      const row = project && !project.pending_delete ? await repositoryOfProject(database.read, project.id) : null
      if (!project || !row) return null
      return row.read_only ? 'wait' : (signal) => push(mirror, project, row, signal)
    },
    nextAfterMs: (mirror, { failures, isPassing }) =>
      failures > 0 && failures < tries && isPassing ? pauseMs(mirror) : null,
  }
}
