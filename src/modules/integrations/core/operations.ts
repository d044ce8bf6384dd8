import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { twinsOf } from '../../projects/index.ts'
import { deleteIntegration, getIntegration, listIntegrations, putIntegration, requirePossible } from './integrations.ts'
import { integrationSettings } from './params.ts'
import { FullIntegration, Integration } from './present.ts'

/** Integrations of projects and groups (contract 25, x.integration_…, x.group_integration_…). */
export const integrationOperations = twinsOf(({ kind, path, subject }) => {
  const contract = (name: string) => `x.${kind === 'project' ? '' : 'group_'}integration_${name}`
  const read = { tag: 'Integrations', subject, allow: 'read_integrations', scopes: reading } as const
  const write = { tag: 'Integrations', subject, allow: 'admin_integrations', scopes: writing } as const
  const all = `${path}/integrations` as const
  const one = `${path}/integrations/:slug` as const
  const formerly = (end: string) => (kind === 'project' ? { otherPaths: [`${path}/services${end}`] } : {})
  return {
    list: operation({
      ...read,
      ...formerly(''),
      id: `${kind}_integrations.list`,
      contract: contract('list'),
      method: 'GET',
      path: all,
      summary: `List the active integrations of a ${kind}`,
      result: [200, pageOf(Integration)],
      run: ({ platform, subject, page }) => listIntegrations(platform, subject, page),
    }),
    get: operation({
      ...read,
      ...formerly('/:slug'),
      id: `${kind}_integrations.get`,
      contract: contract('get'),
      method: 'GET',
      path: one,
      summary: `Get an integration of a ${kind}`,
      description: 'Secret fields are not shown.',
      result: [200, FullIntegration],
      run: ({ platform, subject, params }) => getIntegration(platform, subject, params.slug),
    }),
    put: operation({
      ...write,
      ...formerly('/:slug'),
      id: `${kind}_integrations.set`,
      contract: contract('put'),
      method: 'PUT',
      path: one,
      summary: `Set up or change an integration of a ${kind}`,
      description: 'The fields that the integration requires are given each time; the others stay as they are.',
      params: integrationSettings,
      result: [200, FullIntegration],
      permits: ({ platform, subject, params: { slug = '', use_inherited_settings: inherits } }) =>
        requirePossible(platform, subject, slug, inherits),
      run: ({ platform, subject, params: { slug, ...given }, act }) =>
        putIntegration(platform, subject, slug, given, act),
    }),
    delete: operation({
      ...write,
      ...formerly('/:slug'),
      id: `${kind}_integrations.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: one,
      summary: `Switch an integration of a ${kind} off`,
      description: 'Its fields are forgotten.',
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified, act }) =>
        deleteIntegration(platform, subject, params.slug, { unmodified, act }),
    }),
  }
})
