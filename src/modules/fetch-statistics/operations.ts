import { reading } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { fetchStatistics } from './fetches.ts'
import { FetchStatistics } from './present.ts'

export const projectsStatistics = operation({
  id: 'projects.statistics',
  contract: 'x.projects_statistics',
  method: 'GET',
  path: '/projects/:id/statistics',
  tag: 'Projects',
  summary: 'Count the fetches of the last 30 days',
  description: 'Clones, fetches and listings of refs, over HTTP and SSH; days without any are absent.',
  subject: project,
  allow: 'read_statistics',
  scopes: reading,
  result: [200, FetchStatistics],
  run: ({ platform, subject }) => fetchStatistics(platform, subject),
})
