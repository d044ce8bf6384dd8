import { forbidden, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { requireIntegration } from '../integrations/integrations.ts'
import { integrationPath, jsonParam } from '../integrations/params.ts'
import { readPayload } from '../payloads/json.ts'
import { processPayload } from './receive.ts'

const RecordedAlert = Type.Object({ iid: Type.Integer(), title: Type.String() }, { title: 'RecordedAlert' })

export const alertIntegrationsTest = operation({
  tag: 'Alert integrations',
  subject: project,
  allow: 'manage_alerts',
  scopes: writing,
  id: 'alert_integrations.test',
  contract: 'x.alert_integration_test',
  method: 'POST',
  path: '/projects/:id/alert_management_integrations/:integration_id/test',
  summary: 'Send a payload to an alert integration as a monitoring tool would',
  description: 'Real alerts are created.',
  params: { ...integrationPath, payload: t.required(jsonParam('The payload.')) },
  result: [200, Type.Array(RecordedAlert)],
  async run({ platform, subject, params }) {
    const integration = await requireIntegration(platform.database.read, subject, params.integration_id)
    if (!integration.active || integration.type === 'external_link') throw forbidden()
    return processPayload(platform, integration, readPayload(params.payload), false)
  },
})
