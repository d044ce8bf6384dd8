import { instance, reading, readingUsers, t } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { AssociationsCount, Statistics, UserCounts } from './present.ts'
import { associationsOf, instanceStatistics, workOf } from './statistics.ts'

const shared = { method: 'GET', subject: instance } as const

export const applicationStatistics = operation({
  ...shared,
  id: 'application.statistics',
  contract: 'x.app_statistics',
  path: '/application/statistics',
  tag: 'Metadata',
  summary: 'Count what the instance contains',
  allow: 'administrator',
  scopes: reading,
  result: [200, Statistics],
  run: ({ platform }) => instanceStatistics(platform),
})

export const userCounts = operation({
  ...shared,
  id: 'user.counts',
  contract: 'x.user_counts',
  path: '/user_counts',
  tag: 'Users',
  summary: 'Count the open work that waits for you',
  allow: 'authenticated',
  scopes: reading,
  result: [200, UserCounts],
  run: ({ platform, actor }) => workOf(platform, actor),
})

export const usersAssociationsCount = operation({
  ...shared,
  id: 'users.associations_count',
  contract: 'x.users_assoc_count',
  path: '/users/:id/associations_count',
  tag: 'Users',
  summary: 'Count what belongs to a user',
  description: 'For the user and for administrators.',
  allow: 'authenticated',
  scopes: readingUsers,
  params: { id: t.id({ otherwise: 'route' }) },
  result: [200, AssociationsCount],
  run: ({ platform, actor, params }) => associationsOf(platform, actor, params.id),
})
