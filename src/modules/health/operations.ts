import { instance, pageOf, reading, Type } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { listBackups, readiness, spaces } from './health.ts'
import { Backup, Load, Readiness, Space } from './present.ts'

const shared = {
  tag: 'State of the server',
  method: 'GET',
  subject: instance,
  allow: 'administrator',
  scopes: reading,
} as const

export const serverReadiness = operation({
  ...shared,
  id: 'server.readiness',
  contract: 'x.server_readiness',
  path: '/admin/readiness',
  summary: 'Read what keeps the server from working',
  result: [200, Readiness],
  run: ({ platform }) => readiness(platform),
})

export const serverLoad = operation({
  ...shared,
  id: 'server.load',
  contract: 'x.server_load',
  path: '/admin/load',
  summary: 'Read the load of the server in the last four hours',
  description: 'By the minute, the oldest first. It is in memory: a restart forgets it.',
  result: [200, Type.Array(Load)],
  run: async ({ platform }) => [...(await platform.monitored.load())],
})

export const serverSpace = operation({
  ...shared,
  id: 'server.space',
  contract: 'x.server_space',
  path: '/admin/space',
  summary: 'Read the space of the folders of the server',
  result: [200, Type.Array(Space)],
  run: ({ platform }) => spaces(platform),
})

export const backupsList = operation({
  ...shared,
  id: 'server_backups.list',
  contract: 'x.server_backups',
  path: '/admin/backups',
  summary: 'List the backups that were completed',
  description: 'The latest first; the last hundred that `fennec backup` has written. A restored server has none.',
  result: [200, pageOf(Backup)],
  run: ({ platform, page }) => listBackups(platform, page),
})
