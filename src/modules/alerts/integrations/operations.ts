import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  listIntegrations,
  resetKey,
  updateIntegration,
} from './integrations.ts'
import { integrationChanges, integrationFilter, integrationPath, newIntegration } from './params.ts'
import { AlertIntegration } from './present.ts'

const shared = { tag: 'Alert integrations', subject: project } as const
const read = { ...shared, allow: 'read_alert_settings', scopes: reading } as const
const write = { ...shared, allow: 'admin_alert_settings', scopes: writing } as const
const list = '/projects/:id/alert_management_integrations'
const one = `${list}/:integration_id` as const

export const alertIntegrationsList = operation({
  ...read,
  id: 'alert_integrations.list',
  contract: 'x.alert_integration_list',
  method: 'GET',
  path: list,
  summary: 'List the alert integrations of a project',
  params: integrationFilter,
  result: [200, pageOf(AlertIntegration)],
  run: ({ platform, subject, params, page }) => listIntegrations(platform, subject, params, page),
})

export const alertIntegrationsGet = operation({
  ...read,
  id: 'alert_integrations.get',
  contract: 'x.alert_integration_get',
  method: 'GET',
  path: one,
  summary: 'Get an alert integration',
  params: integrationPath,
  result: [200, AlertIntegration],
  run: ({ platform, subject, params }) => getIntegration(platform, subject, params.integration_id),
})

export const alertIntegrationsCreate = operation({
  ...write,
  id: 'alert_integrations.create',
  contract: 'x.alert_integration_create',
  method: 'POST',
  path: list,
  summary: 'Create an alert integration with a new authorization key',
  params: newIntegration,
  result: [201, AlertIntegration],
  run: ({ platform, subject, params }) => createIntegration(platform, subject, params),
})

export const alertIntegrationsUpdate = operation({
  ...write,
  id: 'alert_integrations.update',
  contract: 'x.alert_integration_update',
  method: 'PUT',
  path: one,
  summary: 'Change an alert integration',
  params: { ...integrationPath, ...integrationChanges },
  atLeastOne: ['name', 'active', 'external_url', 'payload_example', 'payload_attribute_mappings'],
  result: [200, AlertIntegration],
  run: ({ platform, subject, params: { integration_id: id, ...changes } }) =>
    updateIntegration(platform, subject, id, changes),
})

export const alertIntegrationsResetToken = operation({
  ...write,
  id: 'alert_integrations.reset_token',
  contract: 'x.alert_integration_reset_token',
  method: 'POST',
  path: `${one}/reset_token`,
  summary: 'Replace the authorization key of an alert integration',
  params: integrationPath,
  result: [200, AlertIntegration],
  run: ({ platform, subject, params }) => resetKey(platform, subject, params.integration_id),
})

export const alertIntegrationsDelete = operation({
  ...write,
  id: 'alert_integrations.delete',
  contract: 'x.alert_integration_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete an alert integration',
  description: 'Its alerts stay.',
  params: integrationPath,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    deleteIntegration(platform, subject, params.integration_id, unmodified),
})
