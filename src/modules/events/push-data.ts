import {
  branchName,
  isZeroOid,
  type Oid,
  type RefChange,
  type Repository,
  shortRefName,
  tagName,
} from '../../infra/git/index.ts'
import type { AppliedChange } from '../../platform/index.ts'
import type { PushData } from './tables.ts'

type Described = Pick<AppliedChange, 'row' | 'repository'>

/** The base of a new branch: the head of the default branch; undefined for the default branch itself. */
async function baseOf({ row, repository }: Described, ref: RefChange['ref']): Promise<Oid | undefined> {
  const snapshot = await repository.refs(row.generation)
  return ref === snapshot.head ? undefined : snapshot.branch(branchName(snapshot.head) ?? '')?.oid
}

/** Counts the new commits of a branch. The common cases need no git process: no new commit, or one on top of the old head. */
async function commitCount({ row, repository }: Described, { ref, old, new: next }: RefChange): Promise<number> {
  if (isZeroOid(next)) return 0
  const base = isZeroOid(old) ? await baseOf({ row, repository }, ref) : old
  if (base === next) return 0
  const [commit] = (await repository.commits([next])).values()
  if (commit?.parentOids.length === 1 && commit.parentOids[0] === base) return 1
  return repository.countCommits({ tips: [next], excluded: base ? [base] : [] })
}

async function titleOf(repository: Repository, oid: Oid): Promise<string | null> {
  const [commit] = (await repository.commits([oid])).values()
  return commit?.title ?? null
}

function actionOf({ old, new: next }: RefChange): PushData['action'] {
  if (isZeroOid(next)) return 'removed'
  return isZeroOid(old) ? 'created' : 'pushed'
}

/** The event data of one changed ref. */
export async function pushDataOf(applied: Described, change: RefChange): Promise<PushData> {
  const { ref, old, new: next } = change
  const branch = branchName(ref)
  return {
    commit_count: branch === null ? 0 : await commitCount(applied, change),
    action: actionOf(change),
    ref_type: branch === null ? 'tag' : 'branch',
    commit_from: isZeroOid(old) ? null : old,
    commit_to: isZeroOid(next) ? null : next,
    ref: shortRefName(ref),
    commit_title: branch === null || isZeroOid(next) ? null : await titleOf(applied.repository, next),
    ref_count: null,
  }
}

/** The data of one event for many changed refs (contract 22 R5). */
export function collapsedPushData(changes: readonly RefChange[]): PushData {
  const actions = new Set(changes.map(actionOf))
  const [action = 'pushed'] = actions.size === 1 ? actions : []
  const isTags = changes.every(({ ref }) => tagName(ref) !== null)
  return {
    commit_count: 0,
    action,
    ref_type: isTags ? 'tag' : 'branch',
    commit_from: null,
    commit_to: null,
    ref: null,
    commit_title: null,
    ref_count: changes.length,
  }
}

const actionNames = { created: 'pushed new', pushed: 'pushed to', removed: 'deleted' } as const

/** The action of the event of a push. */
export function actionName({ action }: PushData): string {
  return actionNames[action]
}
