import { instance, raw, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { askToUnsubscribe, unsubscribeByLink, unsubscribePath } from './unsubscribing.ts'

const shared = {
  path: unsubscribePath,
  root: true,
  tag: 'Notification settings',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  result: [200, { ...raw, mediaType: 'text/html' }],
} as const

const asPage = (body: string) => ({
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  },
  body,
})

export const unsubscribeAsk = operation({
  ...shared,
  id: 'sent_notifications.ask',
  contract: '25 R1',
  method: 'GET',
  summary: 'Show a button that ends mails, by the link of a mail',
  run: async ({ platform, params }) => asPage(await askToUnsubscribe(platform, params.token)),
})

export const unsubscribeOnce = operation({
  ...shared,
  id: 'sent_notifications.unsubscribe',
  contract: '25 R2',
  method: 'POST',
  summary: 'End the mails about an object, by the link of a mail',
  params: { 'List-Unsubscribe': t.string({ description: '`One-Click`, as mail programs send it.' }) },
  run: async ({ platform, params }) => asPage(await unsubscribeByLink(platform, params.token)),
})
