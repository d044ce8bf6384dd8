import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import { branchName, isZeroOid, type RefChange } from '../../infra/git/index.ts'
import { role } from '../access/index.ts'
import { initialSettings, levelOfProtection, settingsOfGroup } from '../groups/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { type ProjectRow, projectById } from '../projects/index.ts'
import type { RefListener } from '../repositories/index.ts'
import type { InstanceSettings } from '../settings/index.ts'
import { placeOf } from './protection.ts'
import { type Grantee, insertEntries } from './store/entries.ts'
import { insertRuleUnlessThere, rulesFor } from './store/rules.ts'
import { wildcardMatcher } from './wildcard.ts'

export type InitialProtectionNeeds = {
  database: Database
  clock: Clock
  /** The settings in force. */
  rules(): Promise<InstanceSettings>
}

type Levels = readonly { readonly access_level: number }[]

/** How the first branch of a project is protected. */
export type InitialRules = {
  allowed_to_push: Levels
  allowed_to_merge: Levels
  allow_force_push: boolean
  developer_can_initial_push: boolean
}

const grantees = (levels: Levels): Grantee[] =>
  [...new Set(levels.map(({ access_level }) => access_level))].map((access_level) => ({
    access_level,
    user_id: null,
    group_id: null,
    deploy_key_id: null,
  }))

/** Protects the default branches of new projects (contract 01, "Default branch protection"). */
export function createInitialProtection({ database, clock, rules }: InitialProtectionNeeds) {
  const db = database.read

  /** What the group of a project says, or the instance for a project of a user; null when nothing is to be protected. */
  async function of(project: Pick<ProjectRow, 'namespace_id'>): Promise<InitialRules | null> {
    const namespace = await namespaceById(db, project.namespace_id)
    const settings = namespace?.kind === 'group' ? settingsOfGroup(namespace) : initialSettings(await rules())
    const protection = settings.default_branch_protection_defaults
    return levelOfProtection(protection) === 0 ? null : protection
  }

  async function protect(tx: Tx, projectId: number, initial: InitialRules): Promise<void> {
    const project = await projectById(tx, projectId)
    const name = project?.default_branch
    if (!project || !name) return
    const matching = await rulesFor(tx, placeOf(project), [name])
    if (matching.some((rule) => wildcardMatcher(rule.name)(name))) return
    const moment = now(clock)
    const { allow_force_push } = initial
    const rule = { project_id: projectId, namespace_id: null, name, allow_force_push }
    const id = await insertRuleUnlessThere(tx, { ...rule, created_at: moment, updated_at: moment })
    if (id === null) return
    await insertEntries(tx, 'push', id, grantees(initial.allowed_to_push))
    await insertEntries(tx, 'merge', id, grantees(initial.allowed_to_merge))
    await insertEntries(tx, 'unprotect', id, grantees([{ access_level: role.maintainer }]))
  }

  /** Finds out how the default branch of a project is to be protected; what it returns writes that down. */
  async function prepare(projectId: number): Promise<(tx: Tx) => Promise<void>> {
    const project = await projectById(db, projectId)
    const initial = project && (await of(project))
    return async (tx) => {
      if (initial) await protect(tx, projectId, initial)
    }
  }

  return { of, prepare }
}

export type InitialProtection = ReturnType<typeof createInitialProtection>

/** The names of branches that these changes have made. */
function created(changes: readonly RefChange[]): Set<string> {
  const made = changes.filter((change) => isZeroOid(change.old) && !isZeroOid(change.new))
  return new Set(made.flatMap(({ ref }) => branchName(ref) ?? []))
}

/**
 * Protects the default branch when a project gets its first branches. To stand behind whatever sets the default branch: it
 * is read in the same transaction. Repeated, it finds the rule and does nothing.
 */
export function initialProtectionListener({ prepare }: InitialProtection): RefListener {
  return {
    async prepare({ row, repository, changes }) {
      const made = created(changes)
      if (row.project_id === null || row.kind !== 'project' || made.size === 0) return async () => {}
      // The refs may be those from before or from after: what was just made does not count either way.
      const { branches } = await repository.refs(row.generation)
      if (branches.some(({ name }) => !made.has(name))) return async () => {}
      return prepare(row.project_id)
    },
  }
}
