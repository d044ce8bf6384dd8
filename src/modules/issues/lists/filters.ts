import type { Platform } from '../../../platform/index.ts'
import type { Filter, ListContext } from '../../issuables/index.ts'
import * as by from '../../issuables/index.ts'
import type { IssueFilters, IssueListParams } from './params.ts'

type Wanted = Omit<Partial<IssueListParams>, 'scope'> & { scope?: by.Scope }

/** The filters of contract 16, in the order of its table. */
const positive: readonly by.FilterOf<Wanted>[] = [
  by.byAssignee,
  by.byAuthor,
  by.byConfidentiality,
  by.byTimes,
  by.byDueDate,
  by.byHealth,
  by.byIids,
  by.bySearch,
  by.byIssueType,
  by.byIteration,
  by.byLabels,
  by.byMilestone,
  by.byOwnReaction,
  by.byScope,
  by.byState,
  by.byWeight,
]

/** The filters of the hash `not`. */
const negative: readonly by.FilterOf<NonNullable<IssueFilters['not']>>[] = [
  by.byOtherAssignee,
  by.byOtherAuthor,
  by.byOtherIids,
  by.byOtherIteration,
  by.byOtherLabels,
  by.byOtherMilestone,
  by.byOtherWeight,
]

const never: Filter = by.nothing

/** `epic_id`: the module of epics knows which issues belong to one. */
function byEpic(platform: Platform, context: ListContext, wanted: IssueFilters['epic_id']): Filter[] {
  if (wanted === undefined) return []
  const ask = platform.ports['issues.in_epic']
  if (wanted !== 'none') return [ask(platform, context, wanted) ?? never]
  const inAny = ask(platform, context, 'any')
  return inAny ? [by.not(inAny)] : []
}

/** What the parameters of a list select. */
export function filtersOf(platform: Platform, context: ListContext, params: Partial<IssueListParams>): Filter[] {
  const wanted: Wanted = { ...params, scope: by.listScopeOf(params.scope) }
  const excluded = params.not
  return [
    ...positive.flatMap((filter) => filter(context, wanted)),
    ...byEpic(platform, context, params.epic_id),
    ...(excluded ? negative.flatMap((filter) => filter(context, excluded)) : []),
  ]
}
