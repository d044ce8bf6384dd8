import { badRequest, oneOf, Type, t, writing } from '../../../api/index.ts'
import type { JsonObject } from '../../../infra/json/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { jsonParam } from '../integrations/params.ts'
import { fieldsOf } from './fields.ts'
import { exampleText } from './json.ts'

const PayloadField = Type.Object(
  {
    path: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] } as never)),
    label: Type.String(),
    type: oneOf(['string', 'array', 'datetime']),
  },
  { title: 'AlertPayloadField' },
)

export const alertPayloadFieldsList = operation({
  tag: 'Alert integrations',
  subject: project,
  allow: 'read_alert_settings',
  scopes: writing,
  id: 'alert_payload_fields.list',
  contract: 'x.alert_payload_fields',
  method: 'POST',
  path: '/projects/:id/alert_management_payload_fields',
  summary: 'List the fields of a sample payload that can be mapped',
  params: { payload_example: t.required(jsonParam('A sample of the payload.')) },
  result: [200, Type.Array(PayloadField)],
  async run({ params }) {
    const text = exampleText(params.payload_example)
    if (text === null) throw badRequest('payload_example must be a valid JSON object')
    return fieldsOf(JSON.parse(text) as JsonObject)
  },
})
