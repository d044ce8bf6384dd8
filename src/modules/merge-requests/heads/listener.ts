import { branchName, type Oid, type Repository } from '../../../infra/git/index.ts'
import type { AppliedChange, Platform, RefListener } from '../../../platform/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { type Finished, finishMerge, mergedByHand } from '../merging/finish.ts'
import { followPush } from '../pushes/notices.ts'
import type { MergeRequestRow } from '../tables.ts'
import { tipsOf } from './heads.ts'
import { type Observation, observe, recordObservation } from './observe.ts'
import { openRequestsOfBranches, setTargetHead, withCommits } from './store.ts'

type Tips = ReadonlyMap<string, Oid | null>

/** What a change of branches means for the open merge requests of a project. */
type Consequences = { observations: Observation[]; finished: Finished[] }

/** The requests whose new head is contained in a target branch that has moved. Requests without commits never are. */
async function contained(
  platform: Platform,
  repository: Repository,
  rows: readonly MergeRequestRow[],
  tips: Tips,
): Promise<Finished[]> {
  const moved = rows.filter((row) => row.state === 'opened' && tips.get(row.target_branch))
  const ids = await withCommits(
    platform.database.read,
    moved.map(({ id }) => id),
  )
  const found: Finished[] = []
  for (const [branch, requests] of Map.groupBy(moved, ({ target_branch }) => target_branch)) {
    const tip = tips.get(branch)
    if (!tip) continue
    const headOf = ({ source_branch, sha }: MergeRequestRow) => tips.get(source_branch) ?? (sha as Oid)
    const heads = await repository.mergedInto(requests.map(headOf), tip)
    for (const row of requests) {
      if (ids.has(row.id) && heads.has(headOf(row))) found.push(await mergedByHand(repository, row, headOf(row), tip))
    }
  }
  return found
}

/** The requests whose merge has moved the target branch: the one of the writer, and those whose process was killed after that. */
async function completed(
  { repository, writer }: AppliedChange,
  rows: readonly MergeRequestRow[],
  tips: Tips,
): Promise<Finished[]> {
  const found: Finished[] = []
  for (const row of rows) {
    const isOwn = writer.merging?.mergeRequestId === row.id
    const merging = isOwn ? { ...writer.merging, userId: writer.userId } : row.state === 'locked' ? row.merging : null
    const tip = tips.get(row.target_branch)
    if (!merging || !tip) continue
    const isThere = isOwn || (await repository.isAncestor(row.merging?.target as Oid, tip).catch(() => false))
    const { userId, mergeCommit = null, squashCommit = null } = merging
    if (isThere) found.push({ row, userId, mergeCommit, squashCommit, isByHand: false })
  }
  return found
}

async function consequencesOf(
  platform: Platform,
  applied: AppliedChange,
  rows: readonly MergeRequestRow[],
  tips: Tips,
): Promise<Consequences> {
  const { repository } = applied
  const finished = [...(await completed(applied, rows, tips)), ...(await contained(platform, repository, rows, tips))]
  const ended = new Set(finished.map(({ row }) => row.id))
  const moved = rows.filter(({ id, source_branch }) => tips.has(source_branch) && !ended.has(id))
  const observations: Observation[] = []
  for (const row of moved) {
    const target = tips.has(row.target_branch) ? (tips.get(row.target_branch) ?? null) : (row.target_sha as Oid | null)
    const seen = await observe(repository, row, { source: tips.get(row.source_branch) ?? null, target })
    if (seen) observations.push(seen)
  }
  return { observations, finished }
}

/** The branches that have moved. */
function movedBranches({ changes }: AppliedChange): string[] {
  return changes.flatMap(({ ref }) => branchName(ref) ?? [])
}

async function projectOf({ database }: Platform, { row }: AppliedChange): Promise<ProjectRow | null> {
  return row.project_id === null || row.kind !== 'project' ? null : projectById(database.read, row.project_id)
}

/**
 * Follows pushes with the open merge requests of a project: new versions, new heads of the target, and requests that are
 * merged now, by the merge of a request or by hand (contract 19, "Rules and state machines"). The heads are read again,
 * since two pushes may be recorded in the other order than they were made; reads compare once more.
 */
export const mergeRequestListener: RefListener = {
  async prepare(platform, applied) {
    const branches = movedBranches(applied)
    const project = branches.length === 0 ? null : await projectOf(platform, applied)
    const rows = project ? await openRequestsOfBranches(platform.database.read, project.id, branches) : []
    if (!project || rows.length === 0) return async () => {}
    const { repository, writer } = applied
    const tips = await tipsOf(repository, branches)
    const { observations, finished } = await consequencesOf(platform, applied, rows, tips)
    return async (tx) => {
      for (const [branch, tip] of tips) await setTargetHead(tx, project.id, branch, tip)
      for (const one of finished) await finishMerge(platform, tx, { userId: writer.userId, ...one })
      for (const one of observations) await recordObservation(platform, tx, project, one, writer.userId)
    }
  },
  afterPush: followPush,
}
