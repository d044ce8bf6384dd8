import { type Oid, parseOid, type Repository } from '../../../infra/git/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { MergeRequestRow } from '../tables.ts'
import { type GitFacts, storeCheck } from './store.ts'

/** A read waits this long for a check; afterwards the status is `checking`, and the check goes on. */
const patienceMs = 10_000

/**
 * Asks git whether a merge would conflict, and whether each side has commits that the other has not (contract 19,
 * "Merge step", 2). Nothing is kept of the trial.
 */
export async function gitFacts(repository: Repository, source: Oid, target: Oid): Promise<GitFacts> {
  const [isContained, isUpToDate] = await Promise.all([
    repository.isAncestor(source, target),
    repository.isAncestor(target, source),
  ])
  const isTrivial = isContained || isUpToDate
  const result = isTrivial
    ? null
    : await repository.withIncoming((incoming) => incoming.mergeHeads({ ours: target, theirs: source }))
  return { hasConflicts: result !== null && 'conflicts' in result, isAhead: !isContained, isBehind: !isUpToDate }
}

/** The files in which a merge of two commits would conflict, in git's order; none of histories without a common commit. */
export async function conflictsBetween(repository: Repository, source: Oid, target: Oid): Promise<readonly string[]> {
  const result = await repository.withIncoming((incoming) => incoming.mergeHeads({ ours: target, theirs: source }))
  return 'conflicts' in result ? result.conflicts : []
}

/** Whether the stored result is about the present heads. */
export function isChecked(row: MergeRequestRow): boolean {
  return row.checked_sha === row.sha && row.checked_target_sha === row.target_sha
}

/** Whether the branches of a merge request can be compared at all. */
export function isCheckable({ state, source_exists, target_sha }: MergeRequestRow): boolean {
  return state === 'opened' && source_exists && target_sha !== null
}

/** Checks under way, by repository and heads, so that concurrent reads run one. */
const running = perPlatform(() => new Map<string, Promise<void>>())

async function check(platform: Platform, row: MergeRequestRow): Promise<void> {
  const [source, target] = [parseOid(row.sha), parseOid(row.target_sha ?? '')]
  if (!source || !target) return
  const { repository } = await openRepository(platform, { id: row.project_id })
  const facts = await gitFacts(repository, source, target)
  await platform.database.write((tx) => storeCheck(tx, row, facts))
}

/** Starts a check, unless the same one is under way. */
function startCheck(platform: Platform, row: MergeRequestRow): Promise<void> {
  const checks = running(platform)
  const key = `${row.id} ${row.sha} ${row.target_sha}`
  const known = checks.get(key)
  if (known) return known
  const started = check(platform, row).finally(() => checks.delete(key))
  checks.set(key, started)
  return started
}

/** Whether a check is under way in this process. */
export function isChecking(platform: Platform, row: MergeRequestRow): boolean {
  return running(platform).has(`${row.id} ${row.sha} ${row.target_sha}`)
}

/** Brings the stored result up to date. A slow check goes on after this has returned (contract 19, `checking`). */
export async function ensureChecked(platform: Platform, row: MergeRequestRow): Promise<void> {
  if (!isCheckable(row) || isChecked(row)) return
  const late = Promise.withResolvers<void>()
  const timer = platform.clock.setTimer(() => late.resolve(), patienceMs)
  const checked = startCheck(platform, row).catch((error) =>
    platform.log.warn({ err: error, mergeRequest: row.id }, 'a check of mergeability failed'),
  )
  await Promise.race([checked, late.promise])
  timer.cancel()
}
