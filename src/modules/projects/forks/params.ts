import { type ParamValues, t } from '../../../api/index.ts'
import { visibilityLevels } from '../../../platform/settings/index.ts'

export const forkParams = {
  namespace_id: t.integer({ description: 'Namespace of the fork; the personal namespace by default' }),
  namespace_path: t.string({ description: 'The same, by full path' }),
  namespace: t.string({ description: 'Older form: id or full path' }),
  name: t.string(),
  path: t.string(),
  description: t.string(),
  visibility: t.oneOf(visibilityLevels, { description: 'At most that of the source' }),
  mr_default_target_self: t.boolean(),
  branches: t.string({ description: 'The only branch to copy; all by default' }),
}

export type ForkParams = ParamValues<typeof forkParams>
