import { now } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { TagTest } from '../tag-protection/rules.ts'
import { removeTag, tagDetailsAfter } from '../tags/store.ts'
import { type CleanupRules, candidateTest, compileRules, type JudgedTag, selectTags } from './selection.ts'

/** A repository whose tags are cleaned. */
export type Cleaned = {
  repositoryId: number
  /** The tags that rules protect from deletion; null: none. */
  isProtected: TagTest | null
}

/** Tags that are read at once. */
const readAtOnce = 1000
/** Tags that are removed in one transaction. */
const removedAtOnce = 50

/**
 * The tags of a repository that the rules choose at this moment, oldest first (contract 02 R7).
 * @throws PatternError
 */
export async function chosenTags(
  platform: Platform,
  cleaned: Cleaned,
  rules: CleanupRules,
  signal: AbortSignal,
): Promise<JudgedTag[]> {
  const candidates = await candidatesOf(platform, cleaned, rules, signal)
  return selectTags(candidates, rules, platform.clock.now())
}

async function candidatesOf(
  { database }: Platform,
  { repositoryId, isProtected }: Cleaned,
  rules: CleanupRules,
  signal: AbortSignal,
): Promise<JudgedTag[]> {
  const isCandidate = candidateTest(compileRules(rules))
  const found: JudgedTag[] = []
  for (let last: string | undefined, isLast = false; !isLast; ) {
    signal.throwIfAborted()
    const tags = await tagDetailsAfter(database.read, repositoryId, { last, limit: readAtOnce })
    for (const { name, manifest_id: manifestId, created_at: createdAt } of tags) {
      if (!(await isCandidate(name)) || (await isProtected?.(name))) continue
      found.push({ name, manifestId, createdAt })
    }
    isLast = tags.length < readAtOnce
    last = tags.at(-1)?.name
  }
  return found
}

/**
 * Deletes the tags of a repository that the rules choose, each only if it still points at the manifest that was judged
 * (contract 02 R7). When it is stopped, a second run deletes the rest.
 * @throws PatternError
 */
export async function cleanRepository(
  platform: Platform,
  cleaned: Cleaned,
  rules: CleanupRules,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock } = platform
  const { repositoryId } = cleaned
  const chosen = await chosenTags(platform, cleaned, rules, signal)
  for (let start = 0; start < chosen.length; start += removedAtOnce) {
    signal.throwIfAborted()
    const moment = now(clock)
    await database.write(async (tx) => {
      for (const { name, manifestId } of chosen.slice(start, start + removedAtOnce)) {
        await removeTag(tx, { repositoryId, name, manifestId, now: moment })
      }
      await react(platform, tx, 'container_repository.changed', { repositoryId })
    })
  }
}
