import {
  booleanOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  linesOf,
  requiredText,
  timesOf,
  userOf,
} from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { branchLists, clearList, type Grantee, insertEntries } from '../store/entries.ts'
import { insertRule, ruleNamed, updateRule } from '../store/rules.ts'

/** The levels that an entry may have. */
const levels: readonly number[] = [role.none, role.developer, role.maintainer, role.administrator]

/**
 * The entries of a list: levels, and users who were found. Groups and keys are of the other server. Where none is left of several, the
 * Maintainers are in their place, so that neither everyone nor no one may.
 * @throws BadLine
 */
export function importedEntries(into: Importing, line: ImportedLine, name: string): Grantee[] {
  const entries = linesOf(line, name)
  const none = { user_id: null, group_id: null, deploy_key_id: null }
  const found = entries.flatMap((entry): Grantee[] => {
    const userId = userOf(into, entry, 'user_id')
    if (userId !== null) return [{ ...none, access_level: null, user_id: userId }]
    const isOfLevel = entry.user_id == null && entry.group_id == null && entry.deploy_key_id == null
    const level = isOfLevel ? levels.find((one) => one === entry.access_level) : undefined
    return level === undefined ? [] : [{ ...none, access_level: level }]
  })
  if (entries.length > 0 && found.length === 0) return [{ ...none, access_level: role.maintainer }]
  return found
}

/** Imports a rule that protects branches of a project; it replaces one of the same name (contract 14, protected_branches). */
export const importProtectedBranch: ImportLine = async (_platform, into, line) => {
  const name = requiredText(line, 'name')
  const flags = {
    allow_force_push: booleanOf(line, 'allow_force_push', false),
    code_owner_approval_required: booleanOf(line, 'code_owner_approval_required', false),
  }
  const lists = branchLists.map((kind) => [kind, importedEntries(into, line, `${kind}_access_levels`)] as const)
  const times = timesOf(line)
  return async (tx) => {
    const owner = { kind: 'project' as const, id: into.id, namespaceId: into.namespaceId }
    const former = await ruleNamed(tx, owner, name)
    const { id } =
      former ?? (await insertRule(tx, { project_id: into.id, namespace_id: null, name, ...flags, ...times }))
    if (former) await updateRule(tx, id, { ...flags, updated_at: times.updated_at })
    for (const [kind, entries] of lists) {
      if (former) await clearList(tx, kind, id)
      await insertEntries(tx, kind, id, entries)
    }
  }
}
