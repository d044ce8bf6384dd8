import { type ParamValues, t } from '../../../api/index.ts'
import { issueFilters, issueListFilters, scopeParam, strictScopeParam } from '../../issuables/index.ts'

const non_archived = t.boolean({ description: 'Leave out archived projects; default true.' })

/** Filters of the list of a project (contract 16, 3.32). */
export const projectList = { ...issueListFilters, scope: scopeParam }
/** Filters of the lists of groups and of the instance. */
export const wideList = { ...projectList, non_archived }

export const projectStatistics = { ...issueFilters, scope: scopeParam }
/** The statistics of the instance accept no aliases. */
export const instanceStatistics = { ...issueFilters, scope: strictScopeParam }

export type IssueFilters = ParamValues<typeof projectStatistics>
export type IssueListParams = ParamValues<typeof projectList> & { non_archived?: boolean }
