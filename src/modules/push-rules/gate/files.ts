import type { CommitChange, Oid } from '../../../infra/git/index.ts'
import type { ProposedChange } from '../../../platform/index.ts'
import type { Patterns } from '../pattern.ts'
import type { PushRuleRow } from '../tables.ts'
import { isSet } from './commits.ts'
import { secretPattern } from './secret-files.ts'
import { order, type Verdict } from './verdict.ts'

type FileContext = { rule: PushRuleRow; patterns: Patterns; change: ProposedChange }

const bytesPerMebibyte = 1024 * 1024
/** The number of files whose sizes are read at once. */
const sizesAtOnce = 1_000

/** Whether the rule has a check for which changed files must be read. */
export function checksFiles(rule: PushRuleRow): boolean {
  return isSet(rule.file_name_regex) || rule.prevent_secrets || rule.max_file_size > 0
}

/** The pattern that forbids a new file at a path, or null. Existing files are not checked. */
async function forbiddingPattern(path: string, { rule, patterns }: FileContext): Promise<string | null> {
  const { file_name_regex: pattern, prevent_secrets: hasList } = rule
  if (isSet(pattern) && (await patterns.finds(pattern, path, { what: 'File name' }))) return pattern
  return hasList ? secretPattern(path) : null
}

/** Whether the change has a blob: a submodule refers to a commit of another repository. */
const isFile = ({ status, newMode }: CommitChange) => status !== 'deleted' && newMode !== '160000'

/** Checks the names of new files and the sizes of changed ones. */
export async function checkFiles(commits: readonly Oid[], context: FileContext, verdict: Verdict): Promise<void> {
  const { rule, change } = context
  const { repository, quarantine } = change
  let unmeasured: { path: string; oid: Oid }[] = []

  // Reading sizes needs no slot of the process pool, so it cannot wait for the process that reads the changes.
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

  const checksNames = isSet(rule.file_name_regex) || rule.prevent_secrets
  for await (const one of repository.changesOf(commits, { quarantine })) {
    if (!verdict.isOpen(order.fileName)) return
    if (checksNames && one.status === 'added') {
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
