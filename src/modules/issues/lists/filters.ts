import { type Filters, never, not, type Predicate, predicatesOf } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type IssuableContext,
  issuableExclusions,
  issuableFilters,
  listScopeOf,
  type Scope,
} from '../../issuables/index.ts'
import type { IssueFilters, IssueListParams } from './params.ts'

type Wanted = Omit<Partial<IssueListParams>, 'scope'> & { scope?: Scope | undefined }

/** The filters of contract 16. */
const filters: Filters<IssuableContext, Wanted> = issuableFilters

/** Those of the hash `not`. */
const { my_reaction_emoji: _, ...exclusions } = issuableExclusions
const excluded: Filters<IssuableContext, NonNullable<IssueFilters['not']>> = exclusions

/** `epic_id`: the module of epics knows which issues belong to one. */
function ofEpic(platform: Platform, context: IssuableContext, wanted: IssueFilters['epic_id']): Predicate[] {
  if (wanted === undefined) return []
  const ask = platform.ports['issues.in_epic']
  if (wanted !== 'none') return [ask(platform, context, wanted) ?? never]
  const inAny = ask(platform, context, 'any')
  return inAny ? [not(inAny)] : []
}

/** What the parameters of a list select. */
export function issuePredicates(
  platform: Platform,
  context: IssuableContext,
  params: Partial<IssueListParams>,
): Predicate[] {
  return [
    ...predicatesOf(filters, context, { ...params, scope: listScopeOf(params.scope) }),
    ...ofEpic(platform, context, params.epic_id),
    ...predicatesOf(excluded, context, params.not ?? {}),
  ]
}
