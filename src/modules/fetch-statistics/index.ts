import { reading } from '../../api/index.ts'
import { type Module, operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { FetchStatistics, fetchStatistics, forgetFetches } from './statistics.ts'

export { countFetch } from './statistics.ts'

const projectsStatistics = operation({
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

/** How often projects are cloned and fetched (contract 21). */
export const fetchStatisticsModule: Module = {
  name: 'fetch-statistics',
  operations: [projectsStatistics],
  jobs: [forgetFetches],
}
