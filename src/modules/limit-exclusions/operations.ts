import { nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { createExclusion, deleteExclusion, instanceWithPlans, LimitExclusion, listExclusions } from './exclusions.ts'

const shared = {
  tag: 'Storage limit exclusions',
  subject: instanceWithPlans,
  allow: 'administrator',
  description: 'Only while the setting `check_namespace_plan` is true.',
} as const
const one = '/namespaces/:id/storage/limit_exclusion'
const namespace = { id: t.required(t.string({ description: 'Id or path of a namespace at the top.' })) }

export const limitExclusionsList = operation({
  ...shared,
  id: 'limit_exclusions.list',
  contract: 'x.limit_exclusion_list',
  method: 'GET',
  path: '/namespaces/storage/limit_exclusions',
  summary: 'List the namespaces that are exempt from limits of storage',
  scopes: reading,
  result: [200, pageOf(LimitExclusion)],
  run: ({ platform, page }) => listExclusions(platform, page),
})

export const limitExclusionsCreate = operation({
  ...shared,
  id: 'limit_exclusions.create',
  contract: 'x.limit_exclusion_create',
  method: 'POST',
  path: one,
  summary: 'Exempt a namespace from limits of storage',
  scopes: writing,
  params: { ...namespace, reason: t.required(t.string()) },
  result: [201, LimitExclusion],
  run: ({ platform, params, act }) => createExclusion(platform, params, act),
})

export const limitExclusionsDelete = operation({
  ...shared,
  id: 'limit_exclusions.delete',
  contract: 'x.limit_exclusion_delete',
  method: 'DELETE',
  path: one,
  summary: 'End the exemption of a namespace',
  scopes: writing,
  params: namespace,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) => deleteExclusion(platform, params.id, { unmodified, act }),
})
