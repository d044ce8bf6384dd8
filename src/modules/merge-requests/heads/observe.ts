import { now, type Tx } from '../../../infra/database/index.ts'
import type { Repository } from '../../../infra/git/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { SavedChange } from '../../issuables/index.ts'
import { addSystemNote } from '../../notes/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { retainedAfterPush } from '../approval-settings/effective.ts'
import { withdrawApprovals } from '../approvals/store.ts'
import { holdMergeRequest, updateMergeRequest } from '../core/store.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { type Heads, keepHead, storedHeads } from './heads.ts'
import { insertVersion } from './store.ts'
import { type NewVersion, readVersion } from './version.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /**
     * A merge request has another diff: it was created (without a previous head), its source branch was pushed to, or its
     * target changed.
     */
    'merge_request.changed': {
      mergeRequestId: number
      projectId: number
      userId: number | null
      sha: string
      previousSha: string | null
    }
    /** A merge request is about to be deleted: its rows are there. */
    'merge_request.removing': { mergeRequestId: number }
    'merge_request.approved': { mergeRequestId: number; projectId: number; userId: number }
    /** A user has taken back their approval. */
    'merge_request.unapproved': { mergeRequestId: number; projectId: number; userId: number }
    /** What `merge_request.edited` says, or a label, an assignee or a reviewer was changed. */
    'merge_request.saved': { mergeRequestId: number; projectId: number; userId: number } & SavedChange<MergeRequestRow>
    /** The title, the description, the target or the state of a merge request was changed by a user. */
    'merge_request.edited': { mergeRequestId: number; userId: number }
  }
}

/** What differs between a merge request and its branches, with all that git has to be asked for. */
export type Observation = { row: MergeRequestRow; heads: Heads; version: NewVersion | null; renews: boolean }

type Options = {
  /** Makes a new version even if the head is the same. */
  renews?: boolean
  /** Runs the change of refs. Needed outside the gate; a listener is called by it. */
  guard?(change: () => Promise<void>): Promise<void>
}

/**
 * Compares a merge request with its branches, and keeps a new head (contract 19, "Push to the source branch").
 * @returns null when nothing differs
 */
export async function observe(
  repository: Repository,
  row: MergeRequestRow,
  heads: Heads,
  { renews = false, guard = (change) => change() }: Options = {},
): Promise<Observation | null> {
  const known = storedHeads(row)
  const isSame = heads.source === known.source && heads.target === known.target
  if (isSame && !renews) return null
  const { source, target } = heads
  const isNew = source !== null && target !== null && (renews || source !== row.sha)
  if (source !== null && source !== row.sha) {
    await guard(() => keepHead(repository, row.iid, source))
  }
  return { row, heads, renews, version: isNew ? await readVersion(repository, source, target) : null }
}

/** The columns of a version. */
export function versionColumns(mergeRequestId: number, version: NewVersion, at: string) {
  return {
    merge_request_id: mergeRequestId,
    ...{ head_sha: version.head, base_sha: version.base, start_sha: version.start },
    ...{ commit_count: version.commitCount, file_count: version.fileCount, created_at: at },
  }
}

/**
 * Stores what was observed. A new head makes a new version, ends the wish to merge later, and withdraws approvals where the
 * project says so.
 * @param userId who pushed; null where that is not known
 */
export async function recordObservation(
  platform: Platform,
  tx: Tx,
  project: ProjectRow,
  { row: { id }, heads, version, renews }: Observation,
  userId: number | null,
): Promise<void> {
  const held = await holdMergeRequest(tx, id)
  if (!held || (held.state !== 'opened' && held.state !== 'locked')) return
  const at = now(platform.clock)
  const sha = heads.source ?? held.sha
  const isMoved = sha !== held.sha
  await updateMergeRequest(tx, id, {
    ...{ sha, source_exists: heads.source !== null, target_sha: heads.target },
    ...(isMoved ? { auto_merge: null, updated_at: at } : {}),
  })
  // Another request may have observed the same.
  if (!version || !(isMoved || renews)) return
  await insertVersion(tx, held.project_id, versionColumns(id, version, at), version.commits)
  if (isMoved && userId !== null) {
    await addSystemNote(tx, issuableOf(held), `added commits up to ${version.head}`, { userId, at })
  }
  if (isMoved) {
    const retained = await retainedAfterPush(platform, tx, project)
    if (retained === 'none') await withdrawApprovals(tx, id)
    // Who pushes a commit may not have approved it.
    if (retained === 'others' && userId !== null) await withdrawApprovals(tx, id, userId)
  }
  const changed = { mergeRequestId: id, projectId: held.project_id, userId, sha, previousSha: held.sha }
  await react(platform, tx, 'merge_request.changed', changed)
}
