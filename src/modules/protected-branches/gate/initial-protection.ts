import { now, type Tx } from '../../../infra/database/index.ts'
import { branchName, isZeroOid, type RefChange } from '../../../infra/git/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Platform, RefListener } from '../../../platform/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import { role } from '../../access/index.ts'
import { initialSettings, levelOfProtection, settingsOfGroup } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { levelEntry } from '../rules/entries.ts'
import { insertEntries } from '../store/entries.ts'
import { insertRuleUnlessThere, ruleOwnerOf, rulesFor } from '../store/rules.ts'

/** How the default branch of a new project is protected. */
export type InitialProtection = InstanceSettings['default_branch_protection_defaults']

/**
 * The default branch protection of a project's group, or that of the instance for a personal project (contract 01, "Default
 * branch protection"). @returns null when new projects are not protected
 */
export async function initialProtectionOf(
  { database, settings }: Platform,
  project: Pick<ProjectRow, 'namespace_id'>,
): Promise<InitialProtection | null> {
  const namespace = await namespaceById(database.read, project.namespace_id)
  const chosen =
    namespace?.kind === 'group' ? settingsOfGroup(namespace) : initialSettings(await settings.current(), null)
  const protection = chosen.default_branch_protection_defaults
  return levelOfProtection(protection) === 0 ? null : protection
}

const entriesOf = (levels: readonly { access_level: number }[]) =>
  [...new Set(levels.map(({ access_level }) => access_level))].map(levelEntry)

async function insertProtection({ clock }: Platform, tx: Tx, projectId: number, initial: InitialProtection) {
  const project = await projectById(tx, projectId)
  const name = project?.default_branch
  if (!project || !name) return
  const matching = await rulesFor(tx, ruleOwnerOf(project), [name])
  if (matching.some((rule) => wildcardMatcher(rule.name)(name))) return
  const moment = now(clock)
  const { allow_force_push, allowed_to_push, allowed_to_merge } = initial
  const rule = { project_id: projectId, namespace_id: null, name, allow_force_push }
  const id = await insertRuleUnlessThere(tx, { ...rule, created_at: moment, updated_at: moment })
  if (id === null) return
  await insertEntries(tx, 'push', id, entriesOf(allowed_to_push))
  await insertEntries(tx, 'merge', id, entriesOf(allowed_to_merge))
  await insertEntries(tx, 'unprotect', id, [levelEntry(role.maintainer)])
}

/** Reads how the default branch of a project is to be protected. @returns what creates the rule in a transaction */
export async function prepareInitialProtection(
  platform: Platform,
  projectId: number,
): Promise<(tx: Tx) => Promise<void>> {
  const project = await projectById(platform.database.read, projectId)
  const initial = project && (await initialProtectionOf(platform, project))
  return async (tx) => {
    if (initial) await insertProtection(platform, tx, projectId, initial)
  }
}

function createdBranches(changes: readonly RefChange[]): Set<string> {
  const created = changes.filter((change) => isZeroOid(change.old) && !isZeroOid(change.new))
  return new Set(created.flatMap(({ ref }) => branchName(ref) ?? []))
}

/**
 * Protects the default branch when a project gets its first branches. It comes after the listener that sets the default
 * branch, which it reads in the same transaction. It may run again.
 */
export const initialProtectionListener: RefListener = {
  async prepare(platform, { row, repository, changes }) {
    const created = createdBranches(changes)
    if (row.project_id === null || row.kind !== 'project' || created.size === 0) return async () => {}
    // The refs may be those before or after the change, so the created branches do not count.
    const { branches } = await repository.refs(row.generation)
    if (branches.some(({ name }) => !created.has(name))) return async () => {}
    return prepareInitialProtection(platform, row.project_id)
  },
}
