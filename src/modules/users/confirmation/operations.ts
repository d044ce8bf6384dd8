import { instance, raw, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { confirmAddress, confirmationPath } from './confirmation.ts'

/** The link in mails; a browser shows the answer as text (contract 20 R10). */
export const usersConfirmation = operation({
  id: 'users.confirmation',
  contract: '20 R10',
  method: 'GET',
  path: confirmationPath,
  root: true,
  tag: 'Users',
  summary: 'Confirm an e-mail address by the link of a mail',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  params: { confirmation_token: t.required(t.string()) },
  result: [200, { ...raw, mediaType: 'text/plain' }],
  async run({ platform, params }) {
    await confirmAddress(platform, params.confirmation_token)
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
    return { headers, body: 'Your e-mail address has been confirmed.\n' }
  },
})
