import { limitRequests, pageOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { hookOwnerOf } from '../core/owner.ts'
import { hookPath } from '../core/params.ts'
import { receiverFailed } from '../delivery/attempt.ts'
import { HookDelivery, listDeliveries, resend } from './log.ts'
import { deliveryFilter } from './params.ts'

const resending = { name: 'web_hook_event_resend', requests: 5, periodSeconds: 60 }

/** The requests to hooks of the last week (contract 21, x.project_hooks_events, x.project_hooks_resend). */
export const logOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const one = `${path}/hooks/:hook_id/events` as const
  return [
    operation({
      id: `${kind}_hooks.list_events`,
      contract: `x.${kind}_hooks_events`,
      method: 'GET',
      path: one,
      tag: 'Webhooks',
      summary: `List the requests of the last week to a webhook of a ${kind}`,
      subject,
      allow: 'read_hooks',
      scopes: reading,
      params: { ...hookPath, ...deliveryFilter },
      result: [200, pageOf(HookDelivery)],
      run: ({ platform, subject, params: { hook_id, status }, page }) =>
        listDeliveries(platform, hookOwnerOf(subject), hook_id, status, page),
    }),
    operation({
      id: `${kind}_hooks.resend_event`,
      contract: `x.${kind}_hooks_resend`,
      method: 'POST',
      path: `${one}/:event_id/resend`,
      tag: 'Webhooks',
      summary: `Repeat a request to a webhook of a ${kind}`,
      subject,
      allow: 'admin_hooks',
      scopes: writing,
      params: { ...hookPath, event_id: t.id() },
      result: [201, Type.Object({ response_status: Type.Integer() })],
      async run({ platform, subject, actor, params: { hook_id, event_id } }) {
        const owner = hookOwnerOf(subject)
        await limitRequests(platform, `${actor.kind === 'user' ? actor.userId : 0}:${kind}:${subject.id}`, resending)
        const made = await resend(platform, owner, hook_id, event_id)
        if (made.code === null) throw receiverFailed(made)
        return { response_status: made.code }
      },
    }),
  ]
})
