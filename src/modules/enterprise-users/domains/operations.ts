import { instance, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import {
  changeDomain,
  createDomain,
  domainChanges,
  getDomain,
  listAllDomains,
  listDomains,
  newDomain,
  removeDomain,
  verify,
} from './domains.ts'
import { GroupDomain } from './present.ts'

const shared = { tag: 'Group domains', subject: project } as const
const read = { ...shared, allow: 'read_group_domains', scopes: reading } as const
const write = { ...shared, allow: 'admin_group_domains', scopes: writing } as const

export const groupDomainsList = operation({
  id: 'group_domains.list',
  contract: 'x.group_domain.list',
  method: 'GET',
  path: '/projects/:id/pages/domains',
  summary: 'List the domains of a project',
  ...read,
  result: [200, pageOf(GroupDomain)],
  run: ({ platform, subject, page }) => listDomains(platform, subject, page),
})

export const groupDomainsGet = operation({
  id: 'group_domains.get',
  contract: 'x.group_domain.get',
  method: 'GET',
  path: '/projects/:id/pages/domains/:domain',
  summary: 'Get a domain of a project',
  ...read,
  result: [200, GroupDomain],
  run: ({ platform, subject, params }) => getDomain(platform, subject, params.domain),
})

export const groupDomainsCreate = operation({
  id: 'group_domains.create',
  contract: 'x.group_domain.create',
  method: 'POST',
  path: '/projects/:id/pages/domains',
  summary: 'Add a domain to a project',
  description: 'Verified, it lets the top-level group of the project claim the users with addresses in it.',
  ...write,
  params: newDomain,
  result: [201, GroupDomain],
  run: ({ platform, subject, params }) => createDomain(platform, subject, params),
})

export const groupDomainsVerify = operation({
  id: 'group_domains.verify',
  contract: 'x.group_domain.verify',
  method: 'PUT',
  path: '/projects/:id/pages/domains/:domain/verify',
  summary: 'Verify a domain by its TXT record',
  ...write,
  result: [200, GroupDomain],
  run: ({ platform, subject, params }) => verify(platform, subject, params.domain),
})

export const groupDomainsUpdate = operation({
  id: 'group_domains.update',
  contract: 'x.pages_domain_update',
  method: 'PUT',
  path: '/projects/:id/pages/domains/:domain',
  summary: 'Change a domain of a project',
  ...write,
  params: domainChanges,
  result: [200, GroupDomain],
  run: ({ platform, subject, params }) => changeDomain(platform, subject, params.domain, params),
})

export const groupDomainsListAll = operation({
  id: 'group_domains.list_all',
  contract: 'x.pages_domains_all',
  method: 'GET',
  path: '/pages/domains',
  summary: 'List the domains of all projects',
  tag: 'Group domains',
  subject: instance,
  allow: 'administrator',
  scopes: reading,
  params: { domain: t.string({ description: 'Selects one domain.' }) },
  result: [200, pageOf(GroupDomain)],
  run: ({ platform, params, page }) => listAllDomains(platform, params.domain, page),
})

export const groupDomainsDelete = operation({
  id: 'group_domains.delete',
  contract: 'x.group_domain.delete',
  method: 'DELETE',
  path: '/projects/:id/pages/domains/:domain',
  summary: 'Delete a domain of a project',
  ...write,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => removeDomain(platform, subject, params.domain, unmodified),
})
