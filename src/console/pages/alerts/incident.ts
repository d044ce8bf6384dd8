import { addressOfPage } from '../../frame/addresses.ts'
import { page } from '../../page.ts'

/** The address that an incident has besides that of its issue. */
export const incident = page({
  at: 'project',
  path: 'issues/incident/:issue',
  show: async (visit) => ({
    redirect: addressOfPage(visit, 'project', `issues/${encodeURIComponent(visit.params.issue ?? '')}`),
  }),
})
