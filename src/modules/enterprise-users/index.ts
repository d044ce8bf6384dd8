import type { Module } from '../../platform/index.ts'
import * as domainOperations from './domains/operations.ts'
import { claimDomainJob, recheckDomainsJob } from './domains/verification.ts'
import * as userOperations from './users/operations.ts'

export { claimUser, isVerifiedAddress, releaseMovedUser } from './domains/claims.ts'
export { groupDomainsCreate, groupDomainsList, groupDomainsVerify } from './domains/operations.ts'
export { domainById, domainNamed, domainOf as domainOfProject } from './domains/store.ts'

/** Users whom a top-level group claims by domains that it has verified (contract 13). */
export const enterpriseUsers: Module = {
  name: 'enterprise-users',
  tags: {
    'Enterprise users': 'Users whom a top-level group has claimed by the domain of their address.',
    'Group domains': 'Domains of projects: of their sites, and by which groups claim users.',
  },
  operations: [userOperations, domainOperations].flatMap((room) => Object.values(room)),
  jobs: [claimDomainJob, recheckDomainsJob],
}
