import { type ParamValues, t } from '../../api/index.ts'

const client = { client_id: t.string(), client_secret: t.string() }

export const tokenRequest = {
  grant_type: t.string({
    description:
      '`authorization_code`, `refresh_token`, `password`, or `urn:ietf:params:oauth:grant-type:device_code`.',
  }),
  username: t.string({ description: 'Username or confirmed e-mail address.' }),
  password: t.string(),
  scope: t.string({ description: 'Separated by spaces; default `api`.' }),
  refresh_token: t.string(),
  redirect_uri: t.string(),
  code: t.string(),
  code_verifier: t.string(),
  device_code: t.string(),
  ...client,
}
export type TokenRequest = ParamValues<typeof tokenRequest>

export const revocation = { token: t.required(t.string()), ...client }
export type Revocation = ParamValues<typeof revocation>
