import { pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { createFlag, deleteFlag, getFlag, listFlags, updateFlag } from './flags.ts'
import { flagChanges, flagFilter, newFlag } from './params.ts'
import { FeatureFlag } from './present.ts'

const shared = { tag: 'Feature flags', subject: project } as const
const read = { ...shared, allow: 'read_feature_flags', scopes: reading } as const
const write = { ...shared, allow: 'admin_feature_flags', scopes: writing } as const
const list = '/projects/:id/feature_flags'
const one = `${list}/:feature_flag_name` as const

export const featureFlagsList = operation({
  ...read,
  id: 'feature_flags.list',
  contract: 'x.feature_flags_list',
  method: 'GET',
  path: list,
  summary: 'List the feature flags of a project',
  params: flagFilter,
  result: [200, pageOf(FeatureFlag)],
  run: ({ platform, subject, params, page }) => listFlags(platform, subject, params.scope, page),
})

export const featureFlagsGet = operation({
  ...read,
  id: 'feature_flags.get',
  contract: 'x.feature_flags_get',
  method: 'GET',
  path: one,
  summary: 'Get a feature flag',
  result: [200, FeatureFlag],
  run: ({ platform, subject, params }) => getFlag(platform, subject, params.feature_flag_name),
})

export const featureFlagsCreate = operation({
  ...write,
  id: 'feature_flags.create',
  contract: 'x.feature_flags_create',
  method: 'POST',
  path: list,
  summary: 'Create a feature flag',
  params: newFlag,
  result: [201, FeatureFlag],
  run: ({ platform, subject, params }) => createFlag(platform, subject, params),
})

export const featureFlagsUpdate = operation({
  ...write,
  id: 'feature_flags.update',
  contract: 'x.feature_flags_update',
  method: 'PUT',
  path: one,
  summary: 'Change or rename a feature flag',
  description:
    'Strategies and scopes with an `id` change, or go with `_destroy`; those without are added; the others stay.',
  params: flagChanges,
  result: [200, FeatureFlag],
  run: ({ platform, subject, actor, params: { feature_flag_name: current, ...changes } }) =>
    updateFlag(platform, subject, actor, current, changes),
})

export const featureFlagsDelete = operation({
  ...write,
  id: 'feature_flags.delete',
  contract: 'x.feature_flags_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a feature flag',
  result: [200, FeatureFlag],
  run: ({ platform, subject, params, unmodified }) =>
    deleteFlag(platform, subject, params.feature_flag_name, unmodified),
})
