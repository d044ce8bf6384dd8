import { type ParamValues, t } from '../../../api/index.ts'

export const deviceRequest = {
  client_id: t.string(),
  client_secret: t.string(),
  scope: t.string({ description: 'Separated by spaces; default `api`, or all of the application.' }),
}
export type DeviceRequest = ParamValues<typeof deviceRequest>

export const userCode = { user_code: t.required(t.string({ description: 'What the device shows.' })) }

export const deviceDecision = { ...userCode, decision: t.required(t.oneOf(['allow', 'deny'])) }
