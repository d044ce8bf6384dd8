import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { readFeature } from '../../features/index.ts'
import { projectsByIds } from '../../projects/index.ts'
import { protectedBranchTest } from '../../protected-branches/index.ts'
import { projectsWithOverrides } from '../approval-settings/effective.ts'
import { type NamedRule, rulesOf } from '../approvals/store.ts'
import type { MergeRequestRow } from '../tables.ts'
import { groupRulesAbove, scopedRulesOf } from './store.ts'

/** Whether a rule is written for merge requests, and not for a report. */
const isOfPeople = ({ report_type }: NamedRule) => report_type === null

/** Whether own rules of a merge request stand in place of those of its project (contract 24, Approvals). */
export function isOverwritten(rules: readonly NamedRule[]): boolean {
  return rules.some((rule) => rule.scope.kind === 'merge_request' && isOfPeople(rule))
}

/** Whether rules are for a merge request, by its target branch (contract 24, "Approvals"). In a fixed number of queries a project. */
async function branchTest(
  platform: Platform,
  rules: ReadonlyMap<number, readonly NamedRule[]>,
  rows: readonly MergeRequestRow[],
) {
  const needed = rows.filter(({ id }) => rules.get(id)?.some((rule) => rule.applies_to_all_protected_branches))
  const byProject = Map.groupBy(needed, ({ project_id }) => project_id)
  const projects = byProject.size === 0 ? [] : await projectsByIds(platform.database.read, [...byProject.keys()])
  const isProtected = new Map<number, (branch: string) => boolean>()
  for (const project of projects) {
    const targets = byProject.get(project.id)?.map(({ target_branch }) => target_branch)
    isProtected.set(project.id, await protectedBranchTest(platform, project, targets))
  }
  return (rule: NamedRule, { project_id, target_branch: target }: MergeRequestRow) => {
    if (rule.applies_to_all_protected_branches) return isProtected.get(project_id)?.(target) ?? true
    return rule.branches.length === 0 || rule.branches.some((name) => wildcardMatcher(name)(target))
  }
}

/** The rules of merge requests of projects whose settings allow such rules. */
async function allowedOwn(
  platform: Platform,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, NamedRule[]>> {
  const db = platform.database.read
  const rules = await scopedRulesOf(
    db,
    'merge_request',
    rows.map(({ id }) => id),
  )
  const own = Map.groupBy(rules, ({ scope }) => scope.id)
  const ids = new Set(rows.filter(({ id }) => own.has(id)).map(({ project_id }) => project_id))
  const projects = ids.size === 0 ? [] : await projectsByIds(db, [...ids])
  const allowed = await projectsWithOverrides(platform, projects)
  const kept = rows.filter(({ project_id }) => allowed.has(project_id))
  return new Map(kept.map(({ id }) => [id, own.get(id) ?? []]))
}

/** The rules of the groups above projects, while groups may have rules. */
async function rulesAbove(
  platform: Platform,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, NamedRule[]>> {
  const found = await groupRulesAbove(platform.database.read, projectIds)
  if (found.size === 0) return found
  const isOn = await readFeature(platform, 'approval_group_rules')
  const on = new Map<number, boolean>()
  for (const id of new Set([...found.values()].flat().map(({ scope }) => scope.id)))
    on.set(id, await isOn({ groupId: id }))
  return new Map([...found].map(([id, rules]) => [id, rules.filter(({ scope }) => on.get(scope.id))]))
}

/**
 * The rules of each of these merge requests, in a fixed number of queries: those of the project, or in their place its own; those of
 * reports of the project and those of the groups above in any case (contract 24, Approvals). Only rules for its target branch.
 */
export async function rulesOfRequests(
  platform: Platform,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, NamedRule[]>> {
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))]
  const [ofProjects, above, own] = await Promise.all([
    rulesOf(platform.database.read, projectIds),
    rulesAbove(platform, projectIds),
    allowedOwn(platform, rows),
  ])
  const byProject = Map.groupBy(ofProjects, ({ scope }) => scope.id)
  const all = new Map(
    rows.map(({ id, project_id }) => {
      const ofRequest = own.get(id) ?? []
      const ofProject = byProject.get(project_id) ?? []
      const kept = isOverwritten(ofRequest) ? ofProject.filter((rule) => !isOfPeople(rule)) : ofProject
      return [id, [...kept, ...(above.get(project_id) ?? []), ...ofRequest]]
    }),
  )
  const isFor = await branchTest(platform, all, rows)
  return new Map(rows.map((row) => [row.id, (all.get(row.id) ?? []).filter((rule) => isFor(rule, row))]))
}
