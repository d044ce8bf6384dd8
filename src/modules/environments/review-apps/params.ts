import { type ParamValues, t } from '../../../api/index.ts'

/** Parameters of x.environments_delete_review_apps. */
export const reviewAppFilter = {
  before: t.datetime({ description: 'Only those created before. Default: 30 days ago.' }),
  limit: t.integer({ minimum: 1, maximum: 1000, description: 'Default 100.' }),
  dry_run: t.boolean({ description: 'Whether nothing is changed. Default true.' }),
}
export type ReviewAppFilter = ParamValues<typeof reviewAppFilter>
