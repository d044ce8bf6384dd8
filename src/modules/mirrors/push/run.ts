import {
  branchName,
  branchRef,
  type Oid,
  type PushedRef,
  type RefName,
  type RefSnapshot,
  tagRef,
  zeroOid,
} from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, type RepositoryRow, refsAt, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { openAddress } from '../address.ts'
import { mirroredBranches } from '../branch-filter.ts'
import { failureOfPush } from '../failures.ts'
import { type Remote, resolveRemote } from '../remote.ts'
import type { Runs } from '../schedule.ts'
import type { RemoteMirrorRow } from '../tables.ts'
import { pushOverSsh } from './over-ssh.ts'

/** The number of attempts of one update. */
const tries = 3
const minuteMs = 60_000

/** The minimal time between the starts of two updates, unless a user requests one. */
export function pauseMs({ only_protected_branches: onlyProtected }: RemoteMirrorRow): number {
  return onlyProtected ? minuteMs : 5 * minuteMs
}

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
  // An empty repository makes the first branch that it receives its default branch.
  const isDefault = ({ ref }: Wanted) => ref === snapshot.head
  return [...branches.filter(isDefault), ...branches.filter((one) => !isDefault(one)), ...tags]
}

type Planning = { theirs: ReadonlyMap<RefName, Oid>; mirrored: ReadonlySet<string>; keepsDivergent: boolean; zero: Oid }

/** The refs of the remote to delete, and those to create or move. */
function planOf(
  snapshot: RefSnapshot,
  { theirs, mirrored, keepsDivergent, zero }: Planning,
): { deleted: PushedRef[]; moved: PushedRef[] } {
  const wanted = wantedRefs(snapshot, mirrored)
  const differing = wanted.filter(({ ref, oid }) => theirs.get(ref) !== oid)
  if (keepsDivergent) return { deleted: [], moved: differing }
  const isMirrored = (ref: RefName) => {
    const branch = branchName(ref)
    return branch === null || mirrored.has(branch)
  }
  const ours = new Set(wanted.map(({ ref }) => ref))
  const deleted = [...theirs].filter(([ref]) => isMirrored(ref) && !ours.has(ref))
  return {
    deleted: deleted.map(([ref, expected]) => ({ ref, oid: zero, expected })),
    moved: differing.map(({ ref, oid }) => ({ ref, oid, expected: theirs.get(ref) ?? zero })),
  }
}

type Source = { mirror: RemoteMirrorRow; project: ProjectRow; row: RepositoryRow; address: URL }

async function pushTo(platform: Platform, source: Source, remote: Remote): Promise<void> {
  const { mirror, project, row, address } = source
  const repository = await openRow(platform, row)
  const snapshot = await refsAt(platform, row, repository)
  // An empty project must not delete the refs of the remote.
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
  const { deleted, moved } = planOf(snapshot, { theirs, mirrored, keepsDivergent, zero })
  // Deletions are a push of their own: `a` must make room for `a/b`, and one refusal may refuse a whole push.
  const deletion = await repository.pushTo(remote.url, deleted, remote.moving)
  const update = await repository.pushTo(remote.url, moved, remote.moving)
  const outcome = {
    rejected: [...deletion.rejected, ...update.rejected],
    messages: [...deletion.messages, ...update.messages],
  }
  const failure = failureOfPush(outcome, { address, keepsDivergent })
  if (failure) throw failure
}

async function push(platform: Platform, of: Omit<Source, 'address'>, signal: AbortSignal): Promise<void> {
  const { mirror } = of
  const address = await openAddress(platform, mirror.sealed_url, mirror.project_id)
  const source = { ...of, address }
  if (address.protocol !== 'ssh:') return pushTo(platform, source, await resolveRemote(platform, address, signal))
  await pushOverSsh(platform, mirror, address, signal, (remote) => pushTo(platform, source, remote))
}

/** Updates remote repositories from the project (contract 22, x.rmirror_*). */
export const pushRuns: Runs<RemoteMirrorRow> = {
  table: 'remote_mirrors',
  async prepare(platform, mirror) {
    const db = platform.database.read
    const project = mirror.enabled ? await projectById(db, mirror.project_id) : null
    const row = project && !project.pending_delete ? await repositoryOfProject(db, project.id) : null
    if (!project || !row) return null
    return row.read_only ? 'wait' : (signal) => push(platform, { mirror, project, row }, signal)
  },
  nextAfterMs: (mirror, { failures, isPassing }) =>
    failures > 0 && failures < tries && isPassing ? pauseMs(mirror) : null,
}
