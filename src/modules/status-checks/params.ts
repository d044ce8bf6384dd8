import { type ParamValues, t } from '../../api/index.ts'
import { checkStatuses } from './tables.ts'

export const checkId = { check_id: t.id() }

/** Parameters of x.status_checks_update. */
export const statusCheckChanges = {
  name: t.string({ description: 'Unique in the project.' }),
  external_url: t.string({ description: 'Address of the program that checks merge requests, by http or https.' }),
  shared_secret: t.string({ description: 'Key of the signature that requests carry; an empty one removes it.' }),
  protected_branch_ids: t.array(t.integer(), {
    commaSeparated: true,
    maximum: 1_000,
    description: 'Protected branches of the project whose merge requests are checked; none: all merge requests.',
  }),
}
export type StatusCheckChanges = ParamValues<typeof statusCheckChanges>

/** Parameters of x.status_checks_create. */
export const newStatusCheck = {
  ...statusCheckChanges,
  name: t.required(statusCheckChanges.name),
  external_url: t.required(statusCheckChanges.external_url),
}
export type NewStatusCheck = ParamValues<typeof newStatusCheck>

/** Parameters of x.mr_status_check_respond. */
export const statusCheckResponse = {
  external_status_check_id: t.required(t.integer()),
  sha: t.required(t.string({ blank: false, description: 'The head of the merge request.' })),
  status: t.required(t.oneOf(checkStatuses)),
}
export type StatusCheckResponse = ParamValues<typeof statusCheckResponse>
