import { instance, reading, readingUsers, Type, t } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { AssociationsCount, SignInsOfDay, Statistics, StoredBytes, UserCounts } from './present.ts'
import { associationsOf, instanceStatistics, latestSignIns, storedBytes, workOf } from './statistics.ts'

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

export const signInStatistics = operation({
  ...shared,
  id: 'application.sign_in_statistics',
  contract: 'x.sign_in_statistics',
  path: '/application/statistics/sign_ins',
  tag: 'Metadata',
  summary: 'Count the latest sign-ins by day',
  description: 'Of the last 30 days, the oldest first. Only the latest sign-in of each user counts.',
  allow: 'administrator',
  scopes: reading,
  result: [200, Type.Array(SignInsOfDay)],
  run: ({ platform }) => latestSignIns(platform),
})

export const storageStatistics = operation({
  ...shared,
  id: 'application.storage_statistics',
  contract: 'x.storage_statistics',
  path: '/application/statistics/storage',
  tag: 'Metadata',
  summary: 'Add up what all projects store',
  allow: 'administrator',
  scopes: reading,
  result: [200, StoredBytes],
  run: ({ platform }) => storedBytes(platform),
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
