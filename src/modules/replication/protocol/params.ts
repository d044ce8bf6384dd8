import { t } from '../../../api/index.ts'

const largestPage = 1000

/** Parameters of x.geo_int.replicables. */
export const replicablesQuery = {
  type: t.required(t.string()),
  after_id: t.integer({ minimum: 0, description: 'Default: 0.' }),
  per_page: t.integer({ minimum: 1, maximum: largestPage, description: `Default: ${largestPage}.` }),
}
export const defaultPage = largestPage

/** Parameters of x.geo_int.events. */
export const eventsQuery = {
  after: t.required(t.integer({ minimum: 0 })),
  wait: t.integer({ minimum: 0, maximum: 25, description: 'Seconds to wait for an event. Default: 0.' }),
}

/** Parameters of x.geo_int.authorize. */
export const readRequest = {
  action: t.required(t.oneOf(['git_read', 'upload_read', 'registry_read', 'admin'])),
  path: t.required(t.string()),
  headers: t.required(
    t.object({
      authorization: t.string(),
      'private-token': t.string(),
      'deploy-token': t.string(),
      'job-token': t.string(),
    }),
  ),
}

/** Parameters of x.geo_int.superseded. */
export const promotedNode = {
  url: t.required(t.string({ maxLength: 1000, description: 'Where clients reach it.' })),
  promoted_at: t.required(t.datetime()),
}
