/**
 * External status checks of projects, the protected branches that they are limited to, and what external programs have answered about
 * the commits of merge requests (contract 24, Status checks).
 */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const externalStatusChecks = table(
  'external_status_checks',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    external_url: t.name(),
    /** The key of the signature of requests. */
    sealed_secret: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { name: ['project_id', 'name'], external_url: ['project_id', 'external_url'] },
    indexes: { order: ['project_id', 'id'] },
  },
)

/** The branches whose merge requests a check is for; without any it is for all. */
export const externalStatusCheckBranches = table(
  'external_status_check_branches',
  {
    check_id: t.refers('external_status_checks', 'cascade'),
    protected_branch_id: t.refers('protected_branches', 'cascade'),
  },
  {
    primaryKey: ['check_id', 'protected_branch_id'],
    indexes: { protected_branch: ['protected_branch_id'] },
  },
)

export const checkStatuses = ['pending', 'passed', 'failed'] as const
export type CheckStatus = (typeof checkStatuses)[number]

/** The newest answer about a commit. */
export const statusCheckResponses = table(
  'status_check_responses',
  {
    id: t.id(),
    merge_request_id: t.refers('merge_requests', 'cascade'),
    check_id: t.refers('external_status_checks', 'cascade'),
    sha: t.text(),
    status: t.oneOf(...checkStatuses),
    answered_at: t.time(),
  },
  {
    unique: { commit: ['merge_request_id', 'sha', 'check_id'] },
    indexes: { check: ['check_id'] },
  },
)

export type StatusCheckRow = RowOf<typeof externalStatusChecks>
export type ResponseRow = RowOf<typeof statusCheckResponses>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof externalStatusChecks | typeof externalStatusCheckBranches | typeof statusCheckResponses> {}
}
