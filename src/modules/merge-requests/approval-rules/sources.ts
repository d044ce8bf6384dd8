import { isDeepStrictEqual } from 'node:util'
import type { Platform } from '../../../platform/index.ts'
import { type NamedRule, rulesOf } from '../approvals/store.ts'

/** The rules of a project from which rules of merge requests were copied, as they are now. */
export async function sourcesOf({ database }: Platform, projectId: number, rules: readonly NamedRule[]) {
  const isNeeded = rules.some(({ sourceId }) => sourceId !== null)
  const sources = new Map((isNeeded ? await rulesOf(database.read, [projectId]) : []).map((rule) => [rule.id, rule]))
  return ({ sourceId }: NamedRule) => (sourceId === null ? undefined : sources.get(sourceId))
}

const comparedOf = ({ name, approvals_required, userIds, groupIds }: NamedRule) => ({
  ...{ name, approvals_required, userIds, groupIds },
})

/** What a rule of a merge request has besides: the rule that it was copied from, and whether it differs from it. */
export function requestFields(rule: NamedRule, source: NamedRule | undefined) {
  return {
    section: null,
    source_rule: source ? { approvals_required: source.approvals_required } : null,
    overridden: source !== undefined && !isDeepStrictEqual(comparedOf(rule), comparedOf(source)),
  }
}
