import type { CommitChange, Oid } from '../../infra/git/index.ts'
import type { ProposedChange } from '../repositories/index.ts'
import { isAsking } from './commit-checks.ts'
import type { Patterns } from './pattern.ts'
import { secretPattern } from './secret-files.ts'
import type { PushRuleRow } from './tables.ts'
import { order, type Verdict } from './verdict.ts'

export type FileContext = { rule: PushRuleRow; patterns: Patterns; change: ProposedChange }

const bytesPerMebibyte = 1024 * 1024
/** Files whose sizes are asked for at once. */
const sizesAtOnce = 1_000

/** Whether any check asks something of files, so that changes have to be read. */
export function asksOfFiles(rule: PushRuleRow): boolean {
  return isAsking(rule.file_name_regex) || rule.prevent_secrets || rule.max_file_size > 0
}

/** The pattern that forbids a new file of this path; null when none does. Files that are there already stay as they may. */
async function forbiddingPattern(path: string, { rule, patterns }: FileContext): Promise<string | null> {
  const { file_name_regex: pattern, prevent_secrets: hasList } = rule
  if (isAsking(pattern) && (await patterns.finds(pattern, path, { what: 'File name' }))) return pattern
  return hasList ? secretPattern(path) : null
}

/** Whether git has the content of the file itself: what a submodule is at is a commit of another repository. */
const isFile = ({ status, newMode }: CommitChange) => status !== 'deleted' && newMode !== '160000'

/** Looks at the files that these commits bring: their names where they are new, and their sizes. */
export async function checkFiles(commits: readonly Oid[], context: FileContext, verdict: Verdict): Promise<void> {
  const { rule, change } = context
  const { repository, quarantine } = change
  let unmeasured: { path: string; oid: Oid }[] = []

  /** Sizes come from a process of their own, which waits for no place: the changes may go on being read meanwhile. */
  async function measure(): Promise<void> {
    const files = unmeasured
    unmeasured = []
    const sizes = await repository.objectSizes(
      files.map(({ oid }) => oid),
      { quarantine },
    )
    const large = files.find(({ oid }) => (sizes.get(oid) ?? 0) > rule.max_file_size * bytesPerMebibyte)
    if (!large) return
    const sentence =
      `File "${large.path}" is larger than the allowed size of ${rule.max_file_size} MiB. ` +
      'Use Git LFS to manage this file.'
    verdict.refuse(order.fileSize, sentence)
  }

  const asksForNames = isAsking(rule.file_name_regex) || rule.prevent_secrets
  for await (const one of repository.changesOf(commits, { quarantine })) {
    if (!verdict.isOpen(order.fileName)) return
    if (asksForNames && one.status === 'added') {
      const pattern = await forbiddingPattern(one.path, context)
      if (pattern !== null) {
        verdict.refuse(order.fileName, `File name ${one.path} was prohibited by the pattern "${pattern}".`)
      }
    }
    const isMeasured = rule.max_file_size > 0 && verdict.isOpen(order.fileSize)
    if (isMeasured && isFile(one) && one.newOid) unmeasured.push({ path: one.path, oid: one.newOid })
    if (unmeasured.length >= sizesAtOnce) await measure()
  }
  if (unmeasured.length > 0) await measure()
}
