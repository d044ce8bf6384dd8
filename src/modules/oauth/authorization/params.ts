import { type ParamValues, t } from '../../../api/index.ts'

/** What an application asks for. A redirection tells it what is wrong, so most values are read as text. */
export const authorizationRequest = {
  client_id: t.required(t.string()),
  redirect_uri: t.required(t.string({ description: 'One of the registered addresses.' })),
  response_type: t.string({ description: '`code`.' }),
  response_mode: t.string({ description: '`query`, the default.' }),
  scope: t.string({ description: 'Separated by spaces; default `api`, or all of the application.' }),
  state: t.string({ description: 'Comes back unchanged.' }),
  code_challenge: t.string({ description: 'Of PKCE; required for applications that cannot keep a secret.' }),
  code_challenge_method: t.string({ description: '`S256`.' }),
  nonce: t.string({ description: 'Stands in the `id_token`.' }),
  prompt: t.string({ description: '`none`, `login`, `consent` or `select_account`.' }),
  max_age: t.string({ description: 'Seconds since the user signed in.' }),
  request: t.string({ description: 'Not supported.' }),
  request_uri: t.string({ description: 'Not supported.' }),
}
export type AuthorizationRequest = ParamValues<typeof authorizationRequest>

export const authorizationDecision = {
  ...authorizationRequest,
  decision: t.required(t.oneOf(['allow', 'deny'])),
}
